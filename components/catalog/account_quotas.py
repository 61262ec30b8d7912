"""Quotas: which caps a machine counts against, by cloud and by how its capacity is bought."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from typing import Literal, cast

from .machine_types import Machine
from .names import Cloud, UnknownName, cloud_named
from .tables import as_of, rows, source, words

QuotaMarket = Literal["on_demand", "spot", "other"]
QuotaScope = Literal["region", "zone", "global"]
EVERY_FAMILY = "*"

_METERED_AS: dict[Cloud, dict[str, QuotaMarket]] = {
    "aws": {"on_demand": "on_demand", "reservation": "on_demand", "spot": "spot"},
    "gcp": {"on_demand": "on_demand", "reservation": "on_demand", "spot": "spot", "flex_start": "spot", "queued": "spot"},
    "azure": {"on_demand": "on_demand", "reservation": "on_demand", "spot": "spot"},
}
"""Capacity in AWS reservations counts against on-demand, GCP flex-start against the preemptible quota, AWS Capacity Blocks against none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """One cap of a cloud account."""

    cloud: Cloud
    code: str
    """The cloud's own identifier: AWS quota code, GCP metric or quota id with its dimension, Azure usage name."""
    name: str
    unit: str
    """What is counted: `vCPU`, `GPU`, `chip`, `host`, `address`."""
    market: QuotaMarket
    scope: QuotaScope
    """Where it is counted: in each region, in each zone, or over all regions of the account."""
    families: tuple[str, ...]
    """Machine families that draw on it; `*` for all."""
    unclear_families: tuple[str, ...]
    """Families of which the sources disagree whether they draw on it."""
    default: float | None
    """Value in a new account, where known."""
    notes: str
    source: str
    as_of: date | None
    ambiguous: bool = False
    """Set in `quotas_for`: one of several candidates for that machine, to be resolved by name in the account at run time."""


@cache
def quotas(cloud: str) -> tuple[Quota, ...]:
    """All known quotas of a cloud. Raises UnknownName for an unknown cloud."""
    known_cloud = cloud_named(cloud)
    return tuple(
        Quota(
            cloud=known_cloud,
            code=row["code"],
            name=row["name"],
            unit=row["unit"],
            market=cast("QuotaMarket", row["market"]),
            scope=cast("QuotaScope", row["scope"]),
            families=words(row["families"]),
            unclear_families=words(row["unclear_families"]),
            default=float(row["default"]) if row["default"] else None,
            notes=row["notes"],
            source=source(row),
            as_of=as_of(row),
        )
        for row in rows("quotas")
        if row["cloud"] == known_cloud
    )


def quota(cloud: str, code: str) -> Quota:
    """The quota with the cloud's own identifier. Raises UnknownName with the nearest codes."""
    known = {q.code: q for q in quotas(cloud)}
    if code in known:
        return known[code]
    raise UnknownName(f"{cloud} quota", code, known)


def quotas_for(machine: Machine, market: str) -> tuple[Quota, ...]:
    """All caps that nodes of `machine` count against when bought as `market` (a value of `inventory.Market`).

    () when none is known or none exists. Candidates that the sources disagree about come marked `ambiguous`: one of them applies.
    """
    metered = _METERED_AS[machine.cloud].get(market)
    if metered is None:
        return ()
    code = machine.quota_spot if metered == "spot" else machine.quota_on_demand
    own = (quota(machine.cloud, code),) if code else _candidates(machine, metered)
    return own + tuple(q for q in quotas(machine.cloud) if _second_cap(q, machine, metered))


def _candidates(machine: Machine, market: QuotaMarket) -> tuple[Quota, ...]:
    unclear = (q for q in quotas(machine.cloud) if q.market == market and machine.family in q.unclear_families)
    return tuple(replace(q, ambiguous=True) for q in unclear)


def _second_cap(cap: Quota, machine: Machine, market: QuotaMarket) -> bool:
    """Google counts the CPUs of machines without accelerators alone, Azure those of all; GPU caps count NVIDIA's."""
    if EVERY_FAMILY not in cap.families or cap.market not in (market, "other"):
        return False
    if cap.unit == "vCPU":
        return cap.cloud != "gcp" or not machine.accelerated
    return machine.vendor == "NVIDIA"
