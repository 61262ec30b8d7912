"""Whether machines can be had now: the project's quotas, the zone's stock, and reservations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from components import catalog
from components.catalog import Machine
from components.inventory import Market
from scripts.sandbox.kinds.gcp import paths
from scripts.sandbox.kinds.gcp import tokens as t
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

GLOBAL = "GPUS_ALL_REGIONS"
"""The one quota that counts over all regions (Compute Engine documentation, allocation quotas)."""
_SPECIFIC = "SPECIFIC_RESERVATION"


@dataclass(frozen=True, kw_only=True)
class Purchase:
    """How machines are bought."""

    spot: bool = False
    flex: bool = False
    affinity: str = ""
    """`consumeReservationType`; "" where the program leaves it to Google."""
    reservation: str = ""
    """Value of the affinity, such as `name` or `projects/P/reservations/name`."""

    @property
    def market(self) -> Market:
        """Flex-start counts against the preemptible quota (Dynamic Workload Scheduler documentation)."""
        return Market.SPOT if self.spot or self.flex else Market.ON_DEMAND

    @property
    def specific(self) -> bool:
        return self.affinity == _SPECIFIC


def bought(config: Mapping[str, Any]) -> Purchase:
    """The purchase that a node config means."""
    affinity = cast("dict[str, Any]", config.get("reservationAffinity") or {})
    values = list(affinity.get("values") or ())
    return Purchase(
        spot=bool(config.get("spot") or config.get("preemptible")),
        flex=bool(config.get("flexStart")),
        affinity=str(affinity.get("consumeReservationType") or ""),
        reservation=str(values[0]) if values else "",
    )


def _units(machine: Machine, unit: str) -> float:
    return machine.vcpus if unit == "vCPU" else machine.gpu_count


@dataclass(frozen=True, kw_only=True)
class Wish:
    """Machines that are to start in a zone."""

    machine: Machine
    zone: str
    purchase: Purchase
    count: int = 1


@dataclass(frozen=True, kw_only=True)
class Shortage:
    """A declared quota that a wish would exceed, in the quota's own unit."""

    code: str
    limit: float
    used: float
    asked: float


def short(world: Simulation, key: str, wish: Wish) -> Shortage | None:
    """The first declared quota that a wish would exceed; None while there is room.

    What is bought in a specific reservation counts against no quota again: the reservation did (Compute Engine documentation, reservations).
    """
    declared: dict[str, float] = world.store.meta("quotas", {})
    if wish.purchase.specific or not declared:
        return None
    region = paths.region_of(wish.zone)
    for quota in catalog.quotas_for(wish.machine, wish.purchase.market):
        limit = declared.get(quota.code)
        if limit is None or quota.ambiguous:
            continue
        used = in_use(world, key, quota.code, None if quota.code == GLOBAL else region)
        asked = _units(wish.machine, quota.unit) * wish.count
        if used + asked > limit:
            return Shortage(code=quota.code, limit=limit, used=used, asked=asked)
    return None


def in_use(world: Simulation, key: str, code: str, region: str | None) -> float:
    """What running machines of a region (None: of all) draw on a quota, in its own unit."""
    total = 0.0
    for instance in world.store.of_kind(t.INSTANCE, key):
        machine = catalog.find_machine("gcp", str(instance.state["machineType"]).rsplit("/", 1)[-1])
        if machine is None or instance.status != "RUNNING" or instance.state.get("reservation"):
            continue
        if region is not None and paths.region_of(str(instance.state["zone"])) != region:
            continue
        market = Market.SPOT if instance.state.get("preemptible") else Market.ON_DEMAND
        for quota in catalog.quotas_for(machine, market):
            if quota.code == code:
                total += _units(machine, quota.unit)
    return total


def refuse_over_quota(world: Simulation, key: str, wish: Wish) -> None:
    """Raises Refusal when the machines would exceed a declared quota. Quotas that nobody declares are plenty."""
    over = short(world, key, wish)
    if over is not None:
        where = "globally" if over.code == GLOBAL else f"in region {paths.region_of(wish.zone)}"
        raise Refusal(
            "Error 403",
            f"Quota '{over.code}' exceeded. Limit: {over.limit:.1f} {where} ({over.used:g} in use), quotaExceeded",
            source="fastai/course-v3#165; cluster-toolkit#3225",
            status=403,
        )


def refuse_stockout(world: Simulation, machine: Machine, zone: str, project: str) -> None:
    """Raises Refusal when a capacity fault is set for this machine and zone."""
    if world.faults.no_capacity(machine.name, zone):
        raise Refusal(
            "ZONE_RESOURCE_POOL_EXHAUSTED",
            f"The zone 'projects/{project}/zones/{zone}' does not have enough resources available to fulfill the request. "
            "Try a different zone, or try again later.",
            source="kubernetes/k8s.io#9834, fontbakery-dashboard#81",
            status=503,
        )


def reservation_of(world: Simulation, key: str, purchase: Purchase, zone: str) -> Record | None:
    """The reservation that a purchase names, if this world knows it: one that it does not is large enough and always open."""
    name = purchase.reservation.rsplit("/reservationBlocks", 1)[0].rsplit("/", 1)[-1]
    if not name:
        return None
    found = [r for r in world.store.of_kind(t.RESERVATION, key) if r.state["name"] == name]
    return next((r for r in found if str(r.state["zone"]).rsplit("/", 1)[-1] == zone), found[0] if found else None)


def using(world: Simulation, reservation: Record) -> list[Record]:
    """Running machines in a reservation."""
    return [
        i
        for i in world.store.of_kind(t.INSTANCE, reservation.key)
        if i.status == "RUNNING" and i.state.get("reservation") == reservation.id
    ]


def differences(reservation: Record, machine: Machine, zone: str) -> Iterator[str]:
    """D6: a reservation serves machines that are alike in every property."""
    properties = (reservation.state.get("specificReservation") or {}).get("instanceProperties") or {}
    for what, held, wanted in (
        ("machine type", str(properties.get("machineType")), machine.name),
        ("zone", str(reservation.state["zone"]).rsplit("/", 1)[-1], zone),
    ):
        if held != wanted:
            yield f"{what} {held}, not {wanted}"


def refuse_reservation(world: Simulation, reservation: Record, machine: Machine, zone: str) -> None:
    """Raises Refusal when a reservation has no room for one more such machine now."""
    for difference in differences(reservation, machine, zone):
        raise Refusal(
            "Error 400", f"Invalid value for field 'resource.reservationAffinity': reservation {reservation.state['name']} holds {difference}, invalid",
            source="D6: AI-Hypercomputer/xpk#476, cluster-toolkit#5543",
        )  # fmt: skip
    if reservation.status != "READY":
        raise Refusal(
            "RESERVATION_NOT_READY", f"reservation {reservation.state['name']} is {reservation.status}", source="D6: cluster-toolkit#5543"
        )
    count = int((reservation.state.get("specificReservation") or {}).get("count") or 0)
    used = len(using(world, reservation))
    if used >= count:
        raise Refusal(
            "RESERVATION_CAPACITY_EXCEEDED",
            f"Specified reservation {reservation.state['name']} does not have enough capacity: {used} of {count} in use",
            source="Compute Engine documentation, troubleshooting reservations",
        )
