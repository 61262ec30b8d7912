"""`gpukit catalog …`: names and options. The work lies in the other modules, loaded when a command runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from scripts.errors import BadInput

if TYPE_CHECKING:
    from .listing import Listing

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Facts with source and age; live prices.")

Cloud = Annotated[str | None, typer.Option(metavar="CLOUD", help="aws, gcp or azure.")]
Gpu = Annotated[str | None, typer.Option(metavar="MODEL", help="Part of an accelerator's name, such as H100.")]
MinMemory = Annotated[float | None, typer.Option("--min-memory", min=0, metavar="GIB", help="Least memory of each accelerator.")]
Region = Annotated[str | None, typer.Option(metavar="REGION", help="As the cloud spells it.")]
Spot = Annotated[bool, typer.Option("--spot", help="Sold as spot; prices are spot prices in the dearest zone.")]
Rdma = Annotated[bool, typer.Option("--rdma", help="With a fast fabric: EFA, GPUDirect, InfiniBand.")]
MaxUsd = Annotated[float | None, typer.Option(min=0, metavar="USD", help="At most so much an hour; without a known price: left out.")]
AllMachines = Annotated[bool, typer.Option("--cpu", help="CPU machines too.")]
Sort = Annotated[str | None, typer.Option(metavar="KEY", help="A key of the JSON rows; -KEY for the other direction.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON with a `schema` key and every field of a row.")]


@app.command()
def machines(  # noqa: PLR0913 # one parameter an option
    cloud: Cloud = None,
    gpu: Gpu = None,
    min_memory: MinMemory = None,
    region: Region = None,
    *,
    spot: Spot = False,
    rdma: Rdma = False,
    max_usd: MaxUsd = None,
    cpu: AllMachines = False,
    sort: Sort = None,
    as_json: AsJson = False,
) -> None:
    """List machines with their lowest known price.

    Example: gpukit catalog machines --gpu H100 --rdma --sort usd_per_hour
    """
    from . import machine_listing
    from .wanted import wanted

    asked = wanted(cloud=cloud, gpu=gpu, min_memory_gib=min_memory, region=region, spot=spot, rdma=rdma, max_usd=max_usd, cpu_too=cpu)
    _print(machine_listing.machines(asked).ordered(sort), as_json=as_json)


@app.command()
def gpus(  # noqa: PLR0913 # one parameter an option
    cloud: Cloud = None,
    gpu: Gpu = None,
    min_memory: MinMemory = None,
    region: Region = None,
    *,
    rdma: Rdma = False,
    sort: Sort = None,
    as_json: AsJson = False,
) -> None:
    """List GPU models: memory, throughput, partitions.

    Example: gpukit catalog gpus --cloud aws --min-memory 40
    """
    from . import fact_listing
    from .wanted import wanted

    asked = wanted(cloud=cloud, gpu=gpu, min_memory_gib=min_memory, region=region, rdma=rdma)
    _print(fact_listing.gpu_models(asked).ordered(sort), as_json=as_json)


@app.command()
def prices(  # noqa: PLR0913 # one parameter an option
    machine: Annotated[str | None, typer.Argument(metavar="[MACHINE]", help="Prices of this machine alone.")] = None,
    cloud: Cloud = None,
    gpu: Gpu = None,
    min_memory: MinMemory = None,
    region: Region = None,
    *,
    spot: Spot = False,
    rdma: Rdma = False,
    max_usd: MaxUsd = None,
    cpu: AllMachines = False,
    missing: Annotated[bool, typer.Option("--missing", help="List machines without a known price instead.")] = False,
    services: Annotated[bool, typer.Option("--services", help="List what is no machine: control planes, NAT, disks, traffic.")] = False,
    commitments: Annotated[bool, typer.Option("--commitments", help="List discounts for one and three years.")] = False,
    sort: Sort = None,
    as_json: AsJson = False,
) -> None:
    """List prices by region and way of buying, with their age.

    Example: gpukit catalog prices p5.48xlarge --region us-east-1
    """
    from . import fact_listing, machine_listing
    from .wanted import the_machine, wanted

    if missing + services + commitments > 1:
        raise BadInput("--missing, --services and --commitments are different lists: choose one.")
    chosen = the_machine(machine, cloud) if machine else None
    asked = wanted(
        cloud=chosen.cloud if chosen else cloud,
        gpu=gpu,
        min_memory_gib=min_memory,
        region=region,
        spot=spot,
        rdma=rdma,
        max_usd=max_usd,
        cpu_too=cpu or chosen is not None,
    )
    names = (chosen.name,) if chosen else ()
    if services:
        listed = fact_listing.services(asked)
    elif commitments:
        listed = fact_listing.discounts(asked)
    else:
        listed = (machine_listing.missing if missing else machine_listing.prices)(asked, names)
    _print(listed.ordered(sort), as_json=as_json)


@app.command()
def quotas(
    machine: Annotated[str | None, typer.Argument(metavar="[MACHINE]", help="Only those that this machine counts against.")] = None,
    cloud: Cloud = None,
    *,
    spot: Spot = False,
    sort: Sort = None,
    as_json: AsJson = False,
) -> None:
    """List account quotas, or those that one machine counts against.

    Example: gpukit catalog quotas p5.48xlarge --spot
    """
    from . import fact_listing
    from .wanted import the_machine, wanted

    chosen = the_machine(machine, cloud) if machine else None
    _print(fact_listing.quotas(wanted(cloud=cloud, spot=spot), chosen).ordered(sort), as_json=as_json)


@app.command()
def drivers(
    driver: Annotated[str | None, typer.Option(metavar="VERSION", help="Say what this driver runs, such as 580 or 580.95.05.")] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """List the oldest driver for each CUDA, container and framework.

    And how long driver branches live.

    Example: gpukit catalog drivers --driver 570
    """
    import re

    from .fact_listing import driver_tables

    if driver is not None and not re.fullmatch(r"\d{3}(\.\d+){0,2}", driver):
        raise BadInput(f"--driver: {driver!r} is no driver version: give a branch such as 580 or a release such as 580.95.05.")
    _print(*driver_tables(driver), as_json=as_json)


@app.command()
def charts(sort: Sort = None, as_json: AsJson = False) -> None:
    """List the pinned Helm charts.

    Example: gpukit catalog charts --sort age
    """
    from . import fact_listing

    _print(fact_listing.charts().ordered(sort), as_json=as_json)


@app.command()
def explain(
    machine: Annotated[str, typer.Argument(help="Machine type as its cloud spells it.")], cloud: Cloud = None, as_json: AsJson = False
) -> None:
    """Show everything about one machine.

    Layout, quota, images, drivers, prices by region, what it is good for.

    Example: gpukit catalog explain p5.48xlarge
    """
    from scripts.plan.terminal import print_json, results

    from .explaining import explain as explained
    from .wanted import the_machine

    document = explained(the_machine(machine, cloud))
    if as_json:
        print_json(document)
        return
    from .explained_text import print_explained

    print_explained(document, results())


@app.command()
def refresh(  # noqa: PLR0913 # one parameter an option
    cloud: Annotated[
        list[str] | None, typer.Option(metavar="CLOUD", help="aws, gcp or azure; may be repeated; default: all three.")
    ] = None,
    region: Annotated[list[str] | None, typer.Option(metavar="REGION", help="Only this region; may be repeated.")] = None,
    *,
    out: Annotated[str | None, typer.Option(metavar="DIR", help="Write complete new tables into this folder.")] = None,
    write: Annotated[bool, typer.Option("--write", help="Write them into the catalogue of this checkout.")] = False,
    accept: Annotated[
        list[str] | None,
        typer.Option(metavar="MACHINE=REASON", help="Accept rows of a machine that look absurd; the reason becomes their note."),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Fetch live list prices and show, or write, what changes.

    Written with --write or --out.

    Absurd rows (zero, negative, spot above on-demand, a jump beyond the stated ratio, larger cheaper than smaller) stop the whole
    cloud, whose table then stays as it is.

    Example: gpukit catalog refresh --cloud aws --region us-east-1
    """
    from .refresh.command import run

    return run(clouds=cloud or [], regions=region or [], out=out, write=write, accept=accept or [], as_json=as_json)


def _print(*listings: Listing, as_json: bool) -> None:
    from scripts.plan.terminal import results

    from .listing import show

    show(listings, results(), as_json=as_json)
