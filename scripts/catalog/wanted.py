"""Which rows a person asked for: the filters of the `gpukit catalog` commands, checked against the catalogue's own names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from components import catalog
from components.catalog import Figure, Machine, MachinePrice, UnknownName
from components.catalog.names import CLOUDS, Cloud, cloud_named
from scripts.errors import BadInput


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Filters that all have to hold; the default lets every accelerator machine pass."""

    cloud: Cloud | None = None
    gpu: str | None = None
    """Part of an accelerator model's name, letter case aside."""
    min_memory_gib: float | None = None
    """Of each accelerator."""
    region: str | None = None
    spot: bool = False
    rdma: bool = False
    max_usd: float | None = None
    """Per machine and hour: spot (dearest zone) with `spot`, else on demand."""
    cpu_too: bool = False

    def clouds(self) -> tuple[Cloud, ...]:
        return CLOUDS if self.cloud is None else (self.cloud,)

    def machines(self) -> tuple[Machine, ...]:
        """Machines that pass every filter but the price's."""
        return tuple(m for cloud in self.clouds() for m in catalog.machines(cloud) if self._suits(m))

    def _suits(self, machine: Machine) -> bool:
        return (
            (self.cpu_too or machine.accelerated)
            and (self.gpu is None or self.gpu.casefold() in (machine.gpu_model or "").casefold())
            and (self.min_memory_gib is None or (machine.gpu_memory_gib or 0) >= self.min_memory_gib)
            and (not self.rdma or machine.fabric is not None)
            and (not self.spot or sold_as_spot(machine))
            and (self.region is None or self.region in offered(machine))
        )

    def rate(self, price: MachinePrice | None) -> Figure | None:
        """The figure that `max_usd` and the price column speak of."""
        if price is None:
            return None
        return (price.spot_high or price.spot_low) if self.spot else price.on_demand

    def affords(self, figure: Figure | None) -> bool:
        """An unknown price is not below any bound."""
        return self.max_usd is None or (figure is not None and figure.usd <= self.max_usd)


def offered(machine: Machine) -> frozenset[str]:
    """Regions that list the machine or have a price for it."""
    return frozenset({*catalog.regions(machine.cloud, machine.name), *priced_regions(machine)})


def priced_regions(machine: Machine) -> tuple[str, ...]:
    """Regions with some price of the machine, in the order of their names."""
    return _priced(machine.cloud).get(machine.name, ())


@cache
def _priced(cloud: Cloud) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for region, name in catalog.priced(cloud):
        found.setdefault(name, []).append(region)
    return {name: tuple(sorted(regions)) for name, regions in found.items()}


def sold_as_spot(machine: Machine) -> bool:
    """What the machine's row says; where it says nothing, whether a spot price is known."""
    if machine.spot is not None:
        return machine.spot
    prices = (catalog.price(machine.cloud, region, machine.name) for region in priced_regions(machine))
    return any(price and price.spot_low for price in prices)


def wanted(  # noqa: PLR0913 # one parameter an option
    *,
    cloud: str | None = None,
    gpu: str | None = None,
    min_memory_gib: float | None = None,
    region: str | None = None,
    spot: bool = False,
    rdma: bool = False,
    max_usd: float | None = None,
    cpu_too: bool = False,
) -> Wanted:
    """Filters as typed. Raises BadInput with the nearest name for a cloud, accelerator or region that the catalogue does not hold."""
    known_cloud = None if cloud is None else the_cloud(cloud)
    found = Wanted(
        cloud=known_cloud, gpu=gpu, min_memory_gib=min_memory_gib, region=region, spot=spot, rdma=rdma, max_usd=max_usd, cpu_too=cpu_too
    )
    if gpu is not None:
        _known_gpu(gpu, found.clouds())
    if region is not None:
        _known_region(region, found.clouds())
    return found


def the_cloud(name: str) -> Cloud:
    try:
        return cloud_named(name)
    except UnknownName as error:
        raise BadInput(f"--cloud: {error}; allowed: {', '.join(CLOUDS)}.") from error


def the_machine(name: str, cloud: str | None) -> Machine:
    """The machine of that name on any cloud, letter case aside where it is unambiguous. Raises BadInput with the nearest names."""
    clouds = CLOUDS if cloud is None else (the_cloud(cloud),)
    for each in clouds:
        if found := catalog.find_machine(each, name):
            return found
    names = {machine.name: machine for each in clouds for machine in catalog.machines(each)}
    folded = [machine for known, machine in names.items() if known.casefold() == name.casefold()]
    if len(folded) == 1:
        return folded[0]
    raise BadInput(f"{UnknownName('machine', name, names)}. `gpukit catalog machines` lists them.")


def _known_gpu(part: str, clouds: Iterable[Cloud]) -> None:
    models = {m.gpu_model for cloud in clouds for m in catalog.machines(cloud) if m.gpu_model}
    models |= {gpu.model for gpu in catalog.gpus.gpus()}
    if not any(part.casefold() in model.casefold() for model in models):
        raise BadInput(f"--gpu: {UnknownName('accelerator', part, models)}. Give a part of a name that `gpukit catalog gpus` lists.")


def _known_region(region: str, clouds: Iterable[Cloud]) -> None:
    regions: set[str] = set()
    for cloud in clouds:
        regions |= {found for found, _ in catalog.priced(cloud)}
        regions |= {found for machine in catalog.machines(cloud) for found in catalog.regions(cloud, machine.name)}
    if region not in regions:
        raise BadInput(f"--region: {UnknownName('region', region, regions)}. Give a region, not a zone, as its cloud spells it.")
