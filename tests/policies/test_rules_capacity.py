"""GPU-CAP rules on raw programs: each breaks one thing of a good one, and its twin repairs it."""

from __future__ import annotations

from typing import Any

import pytest

from components.inventory import Market
from policies import Finding, Level, Status, evaluate
from policies.readers import inventory, types
from tests.policies.raw import SETTINGS, Raw, said, training

ID = "cr-0123456789abcdef0"
TARGET = {"capacityReservationTarget": {"capacityReservationId": ID}}


def cap(program: Raw, rule: str) -> list[Finding]:
    return said(evaluate(program.built(), SETTINGS), rule)


def statuses(program: Raw) -> list[tuple[str, Status]]:
    return [(f.rule, f.status) for f in evaluate(program.built(), SETTINGS) if f.rule.startswith("GPU-CAP")]


def block() -> Raw:
    """The good program with its pool on a capacity block."""
    program = training().set("gpu", "CAPACITY_BLOCK", "capacityType")
    return program.set("p4d", {"marketType": "capacity-block"}, "instanceMarketOptions").set(
        "p4d", TARGET, "capacityReservationSpecification"
    )


def reservation() -> Raw:
    return training().set("gpu", "ON_DEMAND", "capacityType").set("p4d", TARGET, "capacityReservationSpecification")


@pytest.mark.parametrize("program", [training(), block(), reservation()], ids=["spot", "block", "reservation"])
def test_nothing_is_wrong_with_good_programs(program: Raw) -> None:
    assert statuses(program) == []


@pytest.mark.parametrize(("program", "market"), [(block(), Market.CAPACITY_BLOCK), (reservation(), Market.RESERVATION)])
def test_reserved_nodes_are_costed_by_their_own_market(program: Raw, market: Market) -> None:
    [pool] = [p for p in inventory(program.built()).pools if p.name == "gpu"]
    assert (pool.market, pool.reservation) == (market, ID)


# --- GPU-CAP-01


@pytest.mark.failure("B1")
@pytest.mark.parametrize(
    ("resource", "key", "value", "missing"),
    [
        ("gpu", "capacityType", "ON_DEMAND", "capacityType CAPACITY_BLOCK on the group"),
        ("p4d", "instanceMarketOptions", None, "instanceMarketOptions.marketType capacity-block in the template"),
        ("p4d", "capacityReservationSpecification", None, "the block's id in the template's capacityReservationTarget"),
        ("p4d", "instanceType", None, "instanceType in the template"),
    ],
)
def test_a_block_with_one_of_its_fields_missing(resource: str, key: str, value: Any, missing: str) -> None:
    program = block().set(resource, value, key)
    if key == "instanceType":
        program = program.set("gpu", ["p4d.24xlarge"], "instanceTypes")
    [finding] = cap(program, "GPU-CAP-01")
    assert (finding.status, finding.level, finding.urn) == (Status.VIOLATED, Level.MANDATORY, program.urn("gpu"))
    assert finding.message == (
        f"gpu: a capacity block without {missing}. EKS refuses the group, or nodes start beside the paid block. Add it: group, template and block must agree."
    )


@pytest.mark.failure("B1")
def test_the_block_of_the_same_program_is_a_target_too() -> None:
    program = block().plus(types.CAPACITY_BLOCK, "h100", capacityBlockOfferingId="cb-1", instancePlatform="Linux/UNIX")
    planned = {"capacityReservationTarget": {"capacityReservationId": "@h100"}}
    assert cap(program.set("p4d", planned, "capacityReservationSpecification"), "GPU-CAP-01") == []


@pytest.mark.parametrize(
    ("resource", "path"),
    [("gpu", ("capacityType",)), ("p4d", ("instanceMarketOptions", "marketType")), ("p4d", ("instanceType",))],
)
def test_a_hidden_field_of_a_block_is_unknown(resource: str, path: tuple[str, ...]) -> None:
    assert (Status.UNKNOWN, Level.MANDATORY) in [(f.status, f.level) for f in cap(block().hide(resource, *path), "GPU-CAP-01")]


# --- GPU-CAP-02


@pytest.mark.failure("B2")
@pytest.mark.parametrize(
    "specification",
    [{}, {"capacityReservationTarget": {}}, {"capacityReservationTarget": {"capacityReservationId": ""}}, {"capacityReservationId": ID}],
    ids=["empty", "empty target", "blank id", "wrong nesting"],
)
def test_a_specification_without_a_target(specification: dict[str, Any]) -> None:
    [finding] = cap(reservation().set("p4d", specification, "capacityReservationSpecification"), "GPU-CAP-02")
    assert (finding.status, finding.path) == (Status.VIOLATED, "launchTemplate.capacityReservationSpecification")
    assert "names neither a reservation's id nor the ARN of a resource group" in finding.message


@pytest.mark.failure("B2")
@pytest.mark.parametrize(
    "specification",
    [
        {"capacityReservationTarget": {"capacityReservationResourceGroupArn": "arn:aws:resource-groups:us-east-1:123456789012:group/g"}},
        {"capacityReservationPreference": "open"},
        {"capacityReservationPreference": "none"},
    ],
    ids=["group", "open", "none"],
)
def test_a_resource_group_is_a_target_and_a_preference_asks_for_none(specification: dict[str, Any]) -> None:
    assert cap(reservation().set("p4d", specification, "capacityReservationSpecification"), "GPU-CAP-02") == []


def test_a_hidden_specification_is_unknown() -> None:
    [finding] = cap(reservation().hide("p4d", "capacityReservationSpecification"), "GPU-CAP-02")
    assert (finding.status, finding.level) == (Status.UNKNOWN, Level.ADVISORY)


# --- GPU-CAP-03


def placed(program: Raw) -> Raw:
    return program.plus(types.PLACEMENT_GROUP, "close", strategy="cluster").set("p4d", {"groupName": "@close"}, "placement")


@pytest.mark.failure("A9")
@pytest.mark.parametrize("program", [reservation(), block()], ids=["reservation", "block"])
def test_a_placement_group_of_the_program_lies_outside_paid_capacity(program: Raw) -> None:
    [finding] = cap(placed(program), "GPU-CAP-03")
    assert finding.status is Status.VIOLATED
    assert finding.message == (
        f"gpu: placement group close, which this program makes, lies outside the reserved capacity {ID}. Launches end in "
        "InsufficientInstanceCapacity though the capacity is active and paid for. Use no placement group, or the one in which the "
        "reservation was made."
    )


@pytest.mark.failure("A9")
def test_the_reservations_own_placement_group_is_the_right_one() -> None:
    made = {"instanceType": "p4d.24xlarge", "instanceCount": 4, "instancePlatform": "Linux/UNIX", "availabilityZone": "us-east-1d"}
    program = placed(reservation()).plus(types.CAPACITY_RESERVATION, "h100", **made, placementGroupArn="@close")
    target = {"capacityReservationTarget": {"capacityReservationId": "@h100"}}
    program = program.set("p4d", target, "capacityReservationSpecification")
    assert cap(program, "GPU-CAP-03") == []
    assert [f.status for f in cap(program.set("h100", None, "placementGroupArn"), "GPU-CAP-03")] == [Status.VIOLATED]


@pytest.mark.failure("A9")
@pytest.mark.parametrize("placement", [None, {"groupName": "made-with-the-reservation"}])
def test_no_group_or_one_that_exists_is_fine(placement: dict[str, str] | None) -> None:
    assert cap(reservation().set("p4d", placement, "placement"), "GPU-CAP-03") == []


def test_a_hidden_target_beside_a_placement_group_is_unknown() -> None:
    program = placed(reservation()).hide("p4d", "capacityReservationSpecification", "capacityReservationTarget", "capacityReservationId")
    assert [f.status for f in cap(program, "GPU-CAP-03")] == [Status.UNKNOWN]


def test_a_placement_group_without_reserved_capacity_is_no_matter_of_this_rule() -> None:
    assert cap(placed(training()), "GPU-CAP-03") == []


def test_a_reservation_of_the_program_makes_the_cost_unbounded_and_never_nothing() -> None:
    lost = inventory(training().plus(types.CAPACITY_RESERVATION, "h100", instanceCount=4).built()).lost
    assert [entry.reason for entry in lost] == [
        "a capacity reservation, which bills whether it is used or not, and what it bills itself is not worked out"
    ]


# --- GPU-CAP-04, GPU-CAP-05


@pytest.mark.failure("B3")
@pytest.mark.parametrize("word", ["SPOT", "ON_DEMAND"])
def test_spot_in_the_template_of_a_managed_group(word: str) -> None:
    program = training().set("gpu", word, "capacityType").set("p4d", {"marketType": "spot"}, "instanceMarketOptions")
    [finding] = cap(program, "GPU-CAP-04")
    assert (finding.status, finding.path) == (Status.VIOLATED, "launchTemplate.instanceMarketOptions")
    assert "set capacityType SPOT on the group" in finding.message


@pytest.mark.failure("B3")
def test_spot_on_the_group_alone_is_right() -> None:
    assert cap(training().set("gpu", "SPOT", "capacityType"), "GPU-CAP-04") == []


@pytest.mark.failure("B12")
def test_machine_types_in_both_places() -> None:
    [finding] = cap(training().set("gpu", ["p4d.24xlarge"], "instanceTypes"), "GPU-CAP-05")
    assert (finding.status, finding.path) == (Status.VIOLATED, "instanceTypes")


@pytest.mark.failure("B12")
def test_machine_types_in_the_group_alone_are_right() -> None:
    program = training().set("gpu", ["p4d.24xlarge"], "instanceTypes").set("p4d", None, "instanceType")
    assert cap(program, "GPU-CAP-05") == []


@pytest.mark.parametrize(
    ("rule", "program"),
    [
        ("GPU-CAP-04", training().hide("p4d", "instanceMarketOptions")),
        ("GPU-CAP-05", training().set("gpu", ["p4d.24xlarge"], "instanceTypes").hide("p4d", "instanceType")),
    ],
)
def test_what_eks_would_refuse_at_once_is_advice_while_it_is_hidden(rule: str, program: Raw) -> None:
    assert [(f.status, f.level) for f in cap(program, rule)] == [(Status.UNKNOWN, Level.ADVISORY)]


# --- GPU-CAP-06


def on_demand(machine: str = "p4d.24xlarge", desired: int = 2) -> Raw:
    program = training().set("gpu", "ON_DEMAND", "capacityType").set("p4d", machine, "instanceType")
    return program.set("gpu", desired, "scalingConfig", "desiredSize")


@pytest.mark.failure("B4")
def test_scarce_machines_on_demand_that_must_be_there_for_the_pool_to_be_made() -> None:
    [finding] = cap(on_demand(), "GPU-CAP-06")
    assert (finding.status, finding.level, finding.path) == (Status.VIOLATED, Level.ADVISORY, "scalingConfig.desiredSize")
    assert finding.message.startswith("gpu: 2 of p4d.24xlarge on demand as it is made. ")


@pytest.mark.failure("B4")
@pytest.mark.parametrize(
    "program",
    [on_demand(desired=0), on_demand("g5.2xlarge"), reservation().set("gpu", 4, "scalingConfig", "desiredSize")],
    ids=["none at first", "a common machine", "reserved"],
)
def test_pools_that_wait_for_nobody(program: Raw) -> None:
    assert cap(program, "GPU-CAP-06") == []


def test_a_hidden_number_of_scarce_machines_is_unknown() -> None:
    assert [f.status for f in cap(on_demand().hide("gpu", "scalingConfig", "desiredSize"), "GPU-CAP-06")] == [Status.UNKNOWN]


def _launching(type_: str, **inputs: object) -> Raw:
    program = Raw(config={"aws:region": "us-east-1"})
    program.add("aws:ec2/launchTemplate:LaunchTemplate", "lt", instanceType="p5.48xlarge", imageId="ami-1")
    return program.add(type_, "made", **inputs)


_FLEET = {
    "launchTemplateConfigs": [{"launchTemplateSpecification": {"launchTemplateId": "@lt", "version": "1"}}],
    "targetCapacitySpecification": {"totalTargetCapacity": 2, "defaultTargetCapacityType": "on-demand"},
}


@pytest.mark.parametrize(
    ("program", "path"),
    [
        (_launching("aws:ec2/instance:Instance", instanceType="p5.48xlarge", ami="ami-1"), "instanceType"),
        (
            _launching("aws:autoscaling/group:Group", minSize=0, maxSize=4, desiredCapacity=2, launchTemplate={"id": "@lt"}),
            "desiredCapacity",
        ),
        (_launching("aws:ec2/fleet:Fleet", **_FLEET), "targetCapacitySpecification"),
    ],
    ids=["machine", "scaling group", "fleet"],
)
def test_scarce_machines_outside_managed_groups_are_told_in_words_of_what_launches_them(program: Raw, path: str) -> None:
    [finding] = cap(program, "GPU-CAP-06")
    assert finding.path.startswith(path)
    assert not any(word in finding.message for word in ("scalingConfig", "managed group", "CREATE_FAILED"))
