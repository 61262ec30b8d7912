"""GPUs that a program attaches to machines that carry none (N1 on GCP): their price and quota come on top of the machine's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from . import catalog
from .catalog import Figure, Quota
from .inventory import Accelerator, Market, NodePool
from .unknown import Unknown, known

SERVICE = "gpu_attached_to_n1"


@dataclass(frozen=True)
class AttachedRate:
    """One hour of the GPUs of one kind on one node; `figure` is of a single GPU, None where no price is known."""

    what: str
    count: int
    figure: Figure | None


def rates(pool: NodePool) -> Iterator[AttachedRate | Unknown]:
    """What each node of `pool` pays for attached GPUs."""
    if isinstance(pool.attached, Unknown):
        yield pool.attached
        return
    for entry in pool.attached:
        unknown = next((fact for fact in (entry.kind, entry.count, pool.region, pool.market) if isinstance(fact, Unknown)), None)
        yield _rate(pool, entry) if unknown is None else unknown


def _rate(pool: NodePool, entry: Accelerator) -> AttachedRate:
    word = "spot" if pool.market in (Market.SPOT, Market.FLEX_START, Market.QUEUED) else "on_demand"
    sku = f"{str(entry.kind).replace('-', '_')}_{word}"
    figure = catalog.service_price(pool.cloud, str(pool.region), SERVICE, sku)
    count = entry.count if known(entry.count) else 0
    return AttachedRate(what=f"{count} x {entry.kind}, {word.replace('_', ' ')}", count=count, figure=figure)


def quotas(pool: NodePool) -> Iterator[tuple[Quota, int] | Unknown]:
    """Quotas on which attached GPUs draw, with the GPUs of one node: that of their kind and the project's total."""
    if isinstance(pool.attached, Unknown):
        yield pool.attached
        return
    for entry in pool.attached:
        yield from _quotas(pool, entry)


def _quotas(pool: NodePool, entry: Accelerator) -> Iterator[tuple[Quota, int] | Unknown]:
    unknown = next((fact for fact in (entry.kind, entry.count) if isinstance(fact, Unknown)), None)
    if isinstance(entry.count, Unknown) or unknown is not None:
        yield Unknown(entry.path) if unknown is None else unknown
        return
    offer = next((row for row in catalog.gpus.attached_gpus() if row.accelerator == entry.kind), None)
    if offer is None:
        yield Unknown(f"{entry.path}.type", f"{entry.kind!r}, for which no quota is known")
        return
    spot = pool.market in (Market.SPOT, Market.FLEX_START, Market.QUEUED)
    yield catalog.quota(pool.cloud, offer.quota_spot if spot else offer.quota_on_demand), entry.count
    yield catalog.quota(pool.cloud, "GPUS_ALL_REGIONS"), entry.count
