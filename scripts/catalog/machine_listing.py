"""`gpukit catalog machines` and `gpukit catalog prices`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from components import catalog
from components.catalog import Figure, Machine, MachinePrice
from scripts.counted import counted

from .listing import Column, Listing, Row, age_days
from .wanted import Wanted, offered, priced_regions

MARKETS = ("on_demand", "spot", "capacity_block", "flex_start", "calendar")

_MACHINE_COLUMNS = (
    Column("cloud", "cloud"),
    Column("name", "machine", folds=True),
    Column("gpu_model", "accelerator", folds=True),
    Column("gpu_count", "count", "number"),
    Column("gpu_memory_gib", "GiB each", "number"),
    Column("vcpus", "vCPU", "number"),
    Column("fabric", "fabric"),
    Column("usd_per_hour", "USD/h from", "usd"),
    Column("price_age_days", "age", "age", of="usd_per_hour"),
)


def machines(wanted: Wanted) -> Listing:
    """One row a machine, with its lowest known price in the wanted region or over all regions."""
    rows: list[Row] = []
    for machine in wanted.machines():
        region, figure = lowest(wanted, machine)
        if wanted.affords(figure):
            rows.append(_machine_row(machine, region, figure))
    way = "spot in the dearest zone" if wanted.spot else "on demand"
    where = wanted.region or "the cheapest region"
    return Listing(
        kind="machines",
        columns=_MACHINE_COLUMNS,
        rows=tuple(rows),
        note=f"{counted(len(rows), 'machine')}; prices: {way} in {where}, list price.",
    )


def lowest(wanted: Wanted, machine: Machine) -> tuple[str | None, Figure | None]:
    """The region with the lowest wanted price, and that price."""
    found = [(figure.usd, region, figure) for region, figure in _figures(wanted, machine)]
    if not found:
        return None, None
    _, region, figure = min(found, key=lambda offer: offer[:2])
    return region, figure


def _figures(wanted: Wanted, machine: Machine) -> Iterator[tuple[str, Figure]]:
    for region in (wanted.region,) if wanted.region else priced_regions(machine):
        figure = wanted.rate(catalog.price(machine.cloud, region, machine.name))
        if figure is not None:
            yield region, figure


def _machine_row(machine: Machine, region: str | None, figure: Figure | None) -> dict[str, Any]:
    return {
        **facts(machine),
        "regions": len(offered(machine)),
        "usd_per_hour": figure.usd if figure else None,
        "price_region": region,
        "price_as_of": day(figure) if figure else None,
        "price_age_days": age_days(figure.as_of) if figure else None,
    }


def facts(machine: Machine) -> dict[str, Any]:
    """A machine's own facts as JSON values."""
    return {
        "cloud": machine.cloud,
        "name": machine.name,
        "family": machine.family,
        "vendor": machine.vendor,
        "gpu_model": machine.gpu_model,
        "gpu_count": int(machine.gpu_count) if machine.gpu_count == int(machine.gpu_count) else machine.gpu_count,
        "gpu_memory_gib": machine.gpu_memory_gib,
        "vcpus": machine.vcpus,
        "memory_gib": machine.memory_gib,
        "nvme_gib": machine.nvme_gib,
        "arch": machine.arch,
        "network_gbps": machine.network_gbps,
        "fabric": machine.fabric,
        "rdma_interfaces": machine.rdma_interfaces,
        "nvlink": machine.nvlink,
        "mig": machine.mig,
        "spot": machine.spot,
        "capacity_block": machine.capacity_block,
        "min_image": machine.min_image,
        "status": machine.status,
        "notes": machine.notes,
        "source": machine.source,
        "as_of": machine.as_of.isoformat() if machine.as_of else "undated",
        "age_days": age_days(machine.as_of),
    }


_PRICE_COLUMNS = (
    Column("cloud", "cloud"),
    Column("machine", "machine", folds=True),
    Column("region", "region", folds=True),
    Column("market", "market"),
    Column("usd", "USD/h", "usd"),
    Column("usd_high", "dearest", "usd"),
    Column("as_of", "as of"),
    Column("age_days", "age", "age"),
)


def prices(wanted: Wanted, machine_names: tuple[str, ...] = ()) -> Listing:
    """One row a machine, region and market; `machine_names` narrows it further."""
    rows = tuple(row for machine in _chosen(wanted, machine_names) for row in _price_rows(wanted, machine))
    sources = len({row["source"] for row in rows})
    return Listing(
        kind="prices",
        columns=_PRICE_COLUMNS,
        rows=rows,
        note=f"{len(rows)} list prices of {sources} sources; --json names the source of each.",
    )


def _chosen(wanted: Wanted, names: tuple[str, ...]) -> list[Machine]:
    return [machine for machine in wanted.machines() if not names or machine.name in names]


def _price_rows(wanted: Wanted, machine: Machine) -> Iterator[Row]:
    for region in (wanted.region,) if wanted.region else priced_regions(machine):
        price = catalog.price(machine.cloud, region, machine.name)
        for row in offers(price) if price else ():
            if wanted.spot and row["market"] != "spot":
                continue
            if wanted.max_usd is None or (row["usd_high"] or row["usd"]) <= wanted.max_usd:
                yield {"cloud": machine.cloud, "machine": machine.name, "region": region, **row}


def offers(price: MachinePrice) -> Iterator[dict[str, Any]]:
    """Each way of buying that has a price."""
    for market in MARKETS:
        figure = price.spot_low if market == "spot" else getattr(price, market)
        high = price.spot_high if market == "spot" else None
        if figure is not None:
            yield {
                "market": market,
                "usd": figure.usd,
                "usd_high": high.usd if high else None,
                "source": figure.source,
                "as_of": day(figure),
                "age_days": age_days(figure.as_of),
            }


_MISSING_COLUMNS = (
    Column("cloud", "cloud"),
    Column("machine", "machine", folds=True),
    Column("gpu_model", "accelerator", folds=True),
    Column("missing", "no known price"),
    Column("status", "listed", folds=True),
)


def missing(wanted: Wanted, machine_names: tuple[str, ...] = ()) -> Listing:
    """Machines without any price, and those that have no on-demand price: both make a cost gate fail rather than count as free."""
    rows: list[Row] = []
    for machine in _chosen(wanted, machine_names):
        known = [p for region in priced_regions(machine) if (p := catalog.price(machine.cloud, region, machine.name))]
        gap = "of any kind" if not known else "on demand" if all(p.on_demand is None for p in known) else None
        if gap:
            rows.append(
                {
                    "cloud": machine.cloud,
                    "machine": machine.name,
                    "gpu_model": machine.gpu_model,
                    "missing": gap,
                    "status": machine.status,
                    "regions": sorted(offered(machine)),
                }
            )
    return Listing(
        kind="prices-missing", columns=_MISSING_COLUMNS, rows=tuple(rows), note=f"{counted(len(rows), 'machine')} without a price."
    )


def day(figure: Figure) -> str:
    return figure.as_of.isoformat() if figure.as_of else "undated"
