"""GPU-CAP: reserved capacity is really targeted, and each fact about how nodes are bought stands where AWS reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from components import catalog
from components.inventory import GpuPool, Market, Purchase
from components.resource import name_of
from components.unknown import Maybe, Unknown, known
from policies.finding import Level, Status
from policies.readers.values import any_of

from .rule import Case, Rule, Scope, Verdict, cannot_tell

BLOCK_OF_GROUP, BLOCK_OF_TEMPLATE = "CAPACITY_BLOCK", "capacity-block"


def _bought(case: Case) -> Iterator[tuple[GpuPool, Purchase]]:
    """Managed groups of machines with GPUs, with a launch template."""
    for pool in case.inventory.gpu_pools:
        if pool.purchase is not None:
            yield pool, pool.purchase


def _is(value: Maybe[str | None], word: str) -> Maybe[bool]:
    return value if isinstance(value, Unknown) else value == word


def _given(value: Maybe[str | None]) -> Maybe[bool]:
    return value if isinstance(value, Unknown) else value is not None


def _violated(pool: GpuPool, path: str, text: str) -> Verdict:
    return Verdict(status=Status.VIOLATED, urn=pool.urn, path=path, message=f"{pool.name}: {text}")


# --- GPU-CAP-01


def _blocks(case: Case) -> Iterator[Verdict]:
    so = "it cannot be told whether the fields of a capacity block agree"
    for pool, buys in _bought(case):
        of_group, of_template = _is(buys.group_word, BLOCK_OF_GROUP), _is(buys.template_word, BLOCK_OF_TEMPLATE)
        wanted = any_of([of_group, of_template])
        if isinstance(wanted, Unknown):
            yield _mild(cannot_tell(pool.urn, wanted, subject=pool.name, so=so), of_group)
        elif wanted:
            parts: dict[str, Maybe[bool]] = {
                f"capacityType {BLOCK_OF_GROUP} on the group": of_group,
                f"instanceMarketOptions.marketType {BLOCK_OF_TEMPLATE} in the template": of_template,
                "the block's id in the template's capacityReservationTarget": _given(buys.target),
                "instanceType in the template": _given(buys.template_machine),
            }
            yield from _disagreement(pool, parts, so)


def _disagreement(pool: GpuPool, parts: dict[str, Maybe[bool]], so: str) -> Iterator[Verdict]:
    missing = [part for part, claim in parts.items() if known(claim) and not claim]
    if missing:
        text = f"a capacity block without {', '.join(missing)}. EKS refuses the group, or nodes start beside the paid block. Add it: group, template and block must agree."
        yield _violated(pool, "capacityType", text)
    unknown = next((claim for claim in parts.values() if isinstance(claim, Unknown)), None)
    if unknown is not None:
        yield cannot_tell(pool.urn, unknown, subject=pool.name, so=so)


def _mild(verdict: Verdict, of_group: Maybe[bool]) -> Verdict:
    """Advice where the group says that it is no block and only its template cannot be read: EKS refuses such a pair by itself."""
    return replace(verdict, level=Level.ADVISORY) if known(of_group) else verdict


# --- GPU-CAP-02


def _targets(case: Case) -> Iterator[Verdict]:
    for pool, buys in _bought(case):
        wanted = buys.reserved
        if isinstance(wanted, Unknown):
            so = "it cannot be told whether nodes start in the reserved capacity"
            yield replace(cannot_tell(pool.urn, wanted, subject=pool.name, so=so), level=Level.ADVISORY)
        elif wanted and buys.target is None:
            text = (
                "capacityReservationSpecification names neither a reservation's id nor the ARN of a resource group. "
                "Nodes start on demand beside the paid capacity, or not at all. Give capacityReservationTarget with one of the two."
            )
            yield _violated(pool, "launchTemplate.capacityReservationSpecification", text)


# --- GPU-CAP-03


def _placements(case: Case) -> Iterator[Verdict]:
    for pool, buys in _bought(case):
        if not buys.own_placement or buys.target is None:
            continue
        group = str(pool.placement_group)
        if isinstance(buys.target, Unknown):
            so = "it cannot be told whether the placement group lies outside paid capacity"
            yield cannot_tell(pool.urn, buys.target, subject=pool.name, so=so)
        elif isinstance(buys.target_placement, Unknown):
            so = "it cannot be told whether the reservation was made in the placement group"
            yield cannot_tell(pool.urn, buys.target_placement, subject=pool.name, so=so)
        elif buys.target_placement != group:
            text = (
                f"placement group {name_of(group)}, which this program makes, lies outside the reserved capacity {name_of(buys.target)}. "
                "Launches end in InsufficientInstanceCapacity though the capacity is active and paid for. "
                "Use no placement group, or the one in which the reservation was made."
            )
            yield _violated(pool, "launchTemplate.placement", text)


# --- GPU-CAP-04, GPU-CAP-05: one place for each fact


def _spot_in_template(case: Case) -> Iterator[Verdict]:
    text = (
        "the launch template has market type spot, which EKS refuses for managed groups (market options are not supported with the launch "
        "template). Take instanceMarketOptions out of the template and set capacityType SPOT on the group."
    )
    return _one_place(case, lambda buys: _is(buys.template_word, "spot"), "launchTemplate.instanceMarketOptions", text)


def _machines_twice(case: Case) -> Iterator[Verdict]:
    text = (
        "machine types stand in the launch template and in instanceTypes of the group, which EKS refuses. "
        "Name them in the group, or for a capacity block in the template alone."
    )
    return _one_place(case, _named_twice, "instanceTypes", text)


def _named_twice(buys: Purchase) -> Maybe[bool]:
    if known(buys.group_machines) and not buys.group_machines:
        return False
    in_template = _given(buys.template_machine)
    return in_template if isinstance(in_template, Unknown) or not in_template else buys.group_machines


def _one_place(case: Case, wrong: Callable[[Purchase], Maybe[bool]], path: str, text: str) -> Iterator[Verdict]:
    """EKS refuses these at once and nothing is lost, so that what cannot be told is advice."""
    for pool, buys in _bought(case):
        claim = wrong(buys)
        if isinstance(claim, Unknown):
            so = "it cannot be told whether EKS would refuse the group"
            yield replace(cannot_tell(pool.urn, claim, subject=pool.name, so=so), level=Level.ADVISORY)
        elif claim:
            yield _violated(pool, path, text)


# --- GPU-CAP-06


def _scarce(case: Case) -> Iterator[Verdict]:
    """B4: whatever is sold in capacity blocks is rarely free on demand."""
    for pool in case.inventory.gpu_pools:
        if pool.market is not Market.ON_DEMAND or isinstance(pool.machines, Unknown):
            continue
        rows = [catalog.find_machine(pool.cloud, machine) for machine in pool.machines if known(machine)]
        scarce = next((row.name for row in rows if row is not None and row.capacity_block), None)
        desired = pool.nodes.desired
        if scarce is None or desired == 0:
            continue
        if isinstance(desired, Unknown):
            so = "it cannot be told whether its creation waits for scarce nodes"
            yield cannot_tell(pool.urn, desired, subject=pool.name, so=so)
        else:
            path, after = _launched(pool)
            yield _violated(pool, path, f"{desired} of {scarce} on demand as it is made. Such machines are rarely free: {after}")


def _launched(pool: GpuPool) -> tuple[str, str]:
    """Where the number stands, what a launch without capacity ends in, and the repair, in words of what is launched."""
    if pool.managed is not None:
        text = "a first launch without capacity leaves a managed group in CREATE_FAILED, which refuses every update. "
        return "scalingConfig.desiredSize", f"{text}Start at 0 and scale later, or reserve capacity."
    count = pool.paths.get("desired") or pool.paths.get("maximum")
    if count is None:
        text = "a launch without capacity ends in InsufficientInstanceCapacity, and the update with it. "
        return pool.paths.get("machines", "instanceType"), f"{text}Reserve capacity and launch into it, or be ready to try again elsewhere."
    text = "a launch without capacity ends in InsufficientInstanceCapacity, and the update waits or fails. "
    return count, f"{text}Set {count} to 0 at first and raise it later, or reserve capacity."


RULES = (
    Rule(
        id="GPU-CAP-01",
        title="The fields of a capacity block agree: market type, target and machine in the template, capacity type on the group",
        failures=("B1",),
        scope=Scope.STACK,
        check=_blocks,
        fix="capacityType CAPACITY_BLOCK; template with instanceType, marketType capacity-block and capacityReservationTarget",
    ),
    Rule(
        id="GPU-CAP-02",
        title="A launch template that asks for reserved capacity names it",
        failures=("B2",),
        scope=Scope.STACK,
        check=_targets,
        fix="capacityReservationTarget: {capacityReservationId: cr-…}",
    ),
    Rule(
        id="GPU-CAP-03",
        title="Reserved capacity gets no placement group but its own",
        failures=("A9",),
        scope=Scope.STACK,
        check=_placements,
        fix="no placement in the template, or the group in which the reservation was made",
    ),
    Rule(
        id="GPU-CAP-04",
        title="Spot is a word of the managed group, not of its launch template",
        failures=("B3",),
        scope=Scope.STACK,
        check=_spot_in_template,
        fix="capacityType SPOT, no instanceMarketOptions",
    ),
    Rule(
        id="GPU-CAP-05",
        title="Machine types stand in the group or in its launch template, not in both",
        failures=("B12",),
        scope=Scope.STACK,
        check=_machines_twice,
        fix="instanceTypes on the group, no instanceType in the template",
    ),
    Rule(
        id="GPU-CAP-06",
        title="A pool of scarce machines bought on demand starts at no node",
        failures=("B4",),
        scope=Scope.STACK,
        check=_scarce,
        fix="scalingConfig: {minSize: 0, desiredSize: 0, maxSize: 4}; desiredCapacity 0 of a scaling group",
        level=Level.ADVISORY,
    ),
)
