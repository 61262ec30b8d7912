"""Machine types: what one node of each is made of and which quotas it counts against."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cache
from math import ceil
from typing import Literal, cast

from .names import CLOUDS, Cloud, UnknownName, cloud_named
from .tables import Row, as_of, claim, number, rows, source, whole

Arch = Literal["x86_64", "arm64"]
FabricKind = Literal["efa", "tcpx", "tcpxo", "rdma", "infiniband"]

_TABLES: dict[Cloud, tuple[str, ...]] = {
    "aws": ("aws_machines", "aws_cpu_machines"),
    "gcp": ("gcp_machines", "gcp_cpu_machines"),
    "azure": ("azure_machines", "azure_cpu_machines"),
}


@dataclass(frozen=True, slots=True)
class Card:
    """One network card of a machine. Device indexes on it run from 0 to `max_interfaces - 1`."""

    index: int
    efa: bool
    """Whether it takes EFA interfaces."""
    max_interfaces: int | None
    """None where no source gives the bound."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """One machine type. None means "not established" everywhere: it is never zero and never a no."""

    cloud: Cloud
    name: str
    family: str
    gpu_model: str | None
    gpu_count: float
    """Accelerators per machine: 0 for none, a fraction for a share of one."""
    gpu_memory_gib: float | None
    """Of each accelerator, as the cloud reports it."""
    vcpus: int
    memory_gib: float
    nvme_gib: float | None
    arch: Arch
    vendor: str | None
    """Maker of the accelerators: `NVIDIA`, `AMD`, `AWS Neuron`, `Google` …; None for a machine without any."""
    network_gbps: float | None
    """Peak of the ordinary network; InfiniBand is not included."""
    fabric: FabricKind | None
    rdma_interfaces: int | None
    """EFA interfaces (AWS), GPU network interfaces (GCP) or InfiniBand adapters (Azure) that a node gets at most; known for all of AWS."""
    cards: tuple[Card, ...]
    extra_ena_cards: tuple[int, ...]
    """Cards on which the cloud's guide offers an ENA interface beside EFA for more ordinary bandwidth."""
    nvlink: str | None
    """`nvswitch`, `nvlink` (partial boards) or `none`."""
    mig: bool | None
    spot: bool | None
    capacity_block: bool | None
    quota_on_demand: str | None
    quota_spot: str | None
    min_image: str | None
    """The oldest image that runs on it, where one is known."""
    status: str
    """Whether the cloud still lists it, as far as known."""
    notes: str
    source: str
    as_of: date | None

    @property
    def accelerated(self) -> bool:
        return self.vendor is not None

    @property
    def devices(self) -> int:
        """Accelerator devices that a node shows: a share of one (vGPU) is a device too."""
        return ceil(self.gpu_count)

    @property
    def efa_interfaces(self) -> int:
        """EFA interfaces that a node takes at most; 0 where the fabric is another or none."""
        return (self.rdma_interfaces or 0) if self.fabric == "efa" else 0


@cache
def _index(cloud: Cloud) -> dict[str, Row]:
    return {row["name"]: row for table in _TABLES[cloud] for row in rows(table)}


@cache
def _built(cloud: Cloud, name: str) -> Machine | None:
    row = _index(cloud).get(name)
    return _machine(cloud, row) if row else None


def find_machine(cloud: str, name: str) -> Machine | None:
    """The machine type `name` as its cloud spells it, or None. Raises UnknownName for an unknown cloud."""
    return _built(cloud_named(cloud), name)


def machine(cloud: str, name: str) -> Machine:
    """The machine type `name` as its cloud spells it. Raises UnknownName with the nearest names."""
    if found := find_machine(cloud, name):
        return found
    raise UnknownName(f"{cloud} machine", name, _index(cloud_named(cloud)))


def machines(cloud: str | None = None) -> tuple[Machine, ...]:
    """All machine types, or those of one cloud, CPU machines included."""
    clouds = CLOUDS if cloud is None else (cloud_named(cloud),)
    return tuple(machine(c, name) for c in clouds for name in _index(c))


@cache
def _regions(cloud: Cloud) -> dict[str, tuple[str, ...]]:
    """Machine types share their regions by the hundred: a row holds one set of regions and every type that has it."""
    return {name: tuple(row["regions"].split()) for row in rows(f"{cloud}_regions") for name in row["machines"].split()}


def all_regions(cloud: str) -> tuple[str, ...]:
    """Every region in which the catalogue knows a machine, sorted."""
    return tuple(sorted({region for known in _regions(cloud_named(cloud)).values() for region in known}))


def regions(cloud: str, machine_name: str) -> tuple[str, ...]:
    """Regions that list the machine type; () where that is not known."""
    return _regions(cloud_named(cloud)).get(machine_name, ())


@cache
def _cards(cell: str) -> tuple[Card, ...]:
    """Cards from `0:ena/4 1-16:efa/4`: index or range, kind, bound of device indexes (`?` where not established)."""
    cards: list[Card] = []
    for group in cell.split():
        span, _, rest = group.partition(":")
        kind, _, bound = rest.partition("/")
        first, _, last = span.partition("-")
        cards += [
            Card(index, efa=kind == "efa", max_interfaces=None if bound == "?" else int(bound))
            for index in range(int(first), int(last or first) + 1)
        ]
    return tuple(cards)


def _machine(cloud: Cloud, row: Row) -> Machine:
    return Machine(
        cloud=cloud,
        name=row["name"],
        family=row["family"],
        gpu_model=row.get("gpu_model") or None,
        gpu_count=float(row.get("gpu_count", "0")),
        gpu_memory_gib=number(row.get("gpu_memory_gib", "")),
        vcpus=int(row["vcpus"]),
        memory_gib=float(row["memory_gib"]),
        nvme_gib=number(row["nvme_gib"]),
        arch=cast("Arch", row["arch"]),
        vendor=row.get("vendor") or None,
        network_gbps=number(row["network_gbps"]),
        fabric=cast("FabricKind | None", row["fabric"] or None),
        rdma_interfaces=whole(row["rdma_interfaces"]),
        cards=_cards(row["cards"]),
        extra_ena_cards=tuple(int(card) for card in row.get("extra_ena_cards", "").split()),
        nvlink=row.get("nvlink", "none") or None,
        mig=claim(row.get("mig", "no")),
        spot=claim(row["spot"]),
        capacity_block=claim(row["capacity_block"]),
        quota_on_demand=row["quota_on_demand"] or None,
        quota_spot=row["quota_spot"] or None,
        min_image=row.get("min_image") or None,
        status=row.get("status", ""),
        notes=row.get("notes", ""),
        source=source(row),
        as_of=as_of(row),
    )
