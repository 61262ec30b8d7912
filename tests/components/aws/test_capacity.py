"""Reservations and capacity blocks: the rendered launch template, the group beside it, and the schedule of a window."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.aws.assembly import Assembly
from components.aws.capacity import DRAIN_BEFORE_END, Phase, Target, Window, first_size, target
from components.aws.outline import PoolOutline, pool_outlines
from components.aws.schedule import schedule
from components.aws.stack import build
from components.resource import ResourceSet
from components.spec import NodeRange
from scripts.plan.recorder import record

from .specs import REGION, STACK, built, only, training

GROUP = "aws:eks/nodeGroup:NodeGroup"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
PLACEMENT = "aws:ec2/placementGroup:PlacementGroup"
SCHEDULE = "aws:autoscaling/schedule:Schedule"
TAG = "aws:autoscaling/tag:Tag"

ID = "cr-0123456789abcdef0"
RESERVED = {"mode": "reservation", "id": ID}
RESERVATIONS = "arn:aws:resource-groups:us-east-1:123456789012:group/h100"
BLOCK = {"mode": "capacity_block", "id": ID, "starts": "2027-01-11T11:30Z", "ends": "2027-01-18T11:30Z"}
BEFORE, OPEN, DRAINING, ENDED = "2027-01-01T00:00Z", "2027-01-12T00:00Z", "2027-01-18T10:45Z", "2027-01-18T11:30Z"


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setenv("GPUKIT_WORLD", "sandbox")
    monkeypatch.setenv("GPUKIT_NOW", BEFORE)
    return monkeypatch


def pool(capacity: dict[str, Any], **more: Any) -> ResourceSet:
    return built(training({"pools": {"machine": "p5.48xlarge", "capacity": capacity, **more}}))


def outline(capacity: dict[str, Any]) -> PoolOutline:
    return pool_outlines(training({"pools": {"machine": "p5.48xlarge", "capacity": capacity}}))[0]


# Reservations -----------------------------------------------------------------------------------------------------------------------------


@pytest.mark.failure("B2")
@pytest.mark.parametrize(
    ("capacity", "rendered"),
    [
        (RESERVED, {"capacityReservationId": ID}),
        ({"mode": "reservation", "group": RESERVATIONS}, {"capacityReservationResourceGroupArn": RESERVATIONS}),
    ],
    ids=["id", "group"],
)
def test_the_rendered_template_targets_the_reservation_and_nothing_else(capacity: dict[str, Any], rendered: dict[str, Any]) -> None:
    template = only(pool(capacity), TEMPLATE, "a100").inputs
    assert template["capacityReservationSpecification"] == {"capacityReservationTarget": rendered}


@pytest.mark.failure("B2")
def test_capacity_that_is_not_reserved_targets_nothing() -> None:
    assert "capacityReservationSpecification" not in only(pool({"mode": "on_demand"}), TEMPLATE, "a100").inputs
    assert target(training().pools[0]) is None


@pytest.mark.failure("B2")
@pytest.mark.parametrize("both", [{}, {"reservation": ID, "group": RESERVATIONS}])
def test_a_target_is_an_id_or_a_group(both: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="either the reservation's id or the ARN"):
        Target(**both)


@pytest.mark.failure("B3")
def test_a_reservation_is_on_demand_capacity_without_market_options() -> None:
    made = pool(RESERVED)
    assert only(made, GROUP, "a100").inputs["capacityType"] == "ON_DEMAND"
    assert "instanceMarketOptions" not in only(made, TEMPLATE, "a100").inputs


@pytest.mark.failure("A9")
def test_reserved_nodes_get_no_placement_group_but_the_reservations_own() -> None:
    assert pool(RESERVED).of_type(PLACEMENT) == ()
    assert "placement" not in only(pool(RESERVED), TEMPLATE, "a100").inputs
    placed = pool({**RESERVED, "placement_group": "made-with-it"})
    assert placed.of_type(PLACEMENT) == ()
    assert only(placed, TEMPLATE, "a100").inputs["placement"] == {"groupName": "made-with-it"}


@pytest.mark.failure("B14")
def test_reserved_nodes_are_replaced_without_a_spare_one_and_may_always_run() -> None:
    group = only(pool(RESERVED, nodes={"min": 4, "max": 4}), GROUP, "a100").inputs
    assert group["updateConfig"]["updateStrategy"] == "MINIMAL"
    assert group["scalingConfig"] == {"minSize": 4, "desiredSize": 4, "maxSize": 4}


# Capacity blocks --------------------------------------------------------------------------------------------------------------------------


@pytest.mark.failure("B1")
def test_the_three_fields_of_a_block_agree() -> None:
    made = pool(BLOCK)
    template, group = only(made, TEMPLATE, "a100").inputs, only(made, GROUP, "a100").inputs
    assert template["instanceMarketOptions"] == {"marketType": "capacity-block"}
    assert template["capacityReservationSpecification"] == {"capacityReservationTarget": {"capacityReservationId": ID}}
    assert group["capacityType"] == "CAPACITY_BLOCK"


@pytest.mark.failure("B12")
def test_the_machine_of_a_block_is_named_in_the_template_alone() -> None:
    made = pool(BLOCK)
    assert only(made, TEMPLATE, "a100").inputs["instanceType"] == "p5.48xlarge"
    assert "instanceTypes" not in only(made, GROUP, "a100").inputs


@pytest.mark.failure("B1")
def test_a_block_has_one_subnet_and_no_placement_group() -> None:
    made = pool(BLOCK)
    assert len(only(made, GROUP, "a100").inputs["subnetIds"]) == 1
    assert made.of_type(PLACEMENT) == ()


def test_before_its_window_a_block_has_no_node_and_two_actions_ahead() -> None:
    made = pool(BLOCK)
    assert only(made, GROUP, "a100").inputs["scalingConfig"] == {"minSize": 0, "desiredSize": 0, "maxSize": 4}
    starts, drains = only(made, SCHEDULE, "block-starts"), only(made, SCHEDULE, "block-drains")
    assert (starts.inputs["startTime"], starts.inputs["desiredCapacity"]) == ("2027-01-11T11:30:00Z", 4)
    assert (drains.inputs["startTime"], drains.inputs["desiredCapacity"]) == ("2027-01-18T10:45:00Z", 0)


@pytest.mark.failure("B15")
def test_an_action_leaves_the_groups_bounds_alone_and_knows_its_scaling_group() -> None:
    for action in pool(BLOCK).of_type(SCHEDULE):
        assert (action.inputs["minSize"], action.inputs["maxSize"]) == (-1, -1)
        assert any("nodeGroup" in urn for urn in action.property_dependencies["autoscalingGroupName"])


@pytest.mark.failure("H1")
def test_the_schedule_alone_decides_the_size_of_a_block() -> None:
    made = pool(BLOCK)
    keys = {tag.inputs["tag"]["key"] for tag in made.of_type(TAG) if "a100" in tag.name}
    assert not {"k8s.io/cluster-autoscaler/enabled", "k8s.io/cluster-autoscaler/lab"} & keys
    assert "k8s.io/cluster-autoscaler/enabled" in {tag.inputs["tag"]["key"] for tag in pool(RESERVED).of_type(TAG) if "a100" in tag.name}


def test_a_pool_that_is_made_in_its_window_has_all_its_nodes_at_once(clock: pytest.MonkeyPatch) -> None:
    clock.setenv("GPUKIT_NOW", OPEN)
    made = pool(BLOCK)
    assert only(made, GROUP, "a100").inputs["scalingConfig"]["desiredSize"] == 4
    assert [action.name for action in made.of_type(SCHEDULE)] == ["lab-a100-block-drains"]


@pytest.mark.failure("B15")
def test_a_pool_that_is_made_while_its_block_drains_starts_nothing(clock: pytest.MonkeyPatch) -> None:
    clock.setenv("GPUKIT_NOW", DRAINING)
    made = pool(BLOCK)
    assert only(made, GROUP, "a100").inputs["scalingConfig"] == {"minSize": 0, "desiredSize": 0, "maxSize": 4}
    assert made.of_type(SCHEDULE) == ()


@pytest.mark.failure("B15")
def test_a_pool_whose_block_ended_is_taken_down_and_the_program_says_so(clock: pytest.MonkeyPatch) -> None:
    clock.setenv("GPUKIT_NOW", ENDED)
    made = training({"pools": {"machine": "p5.48xlarge", "capacity": BLOCK}})

    def program() -> None:
        build(made, region=REGION, stack=STACK)

    recording = record(program, project="gpukit", stack=STACK, config={}, directory=Path(__file__).parent)
    assert recording.error is None
    assert [r.name for r in recording.resources.of_type(GROUP)] == ["lab-system"]
    [said] = [str(log) for log in recording.logs if "capacity block ended" in str(log)]
    assert "2027-01-18T11:30:00+00:00" in said
    assert "give it the id and the window of a new block" in said


@pytest.mark.failure("B15")
def test_the_fabric_stays_for_the_next_block(clock: pytest.MonkeyPatch) -> None:
    clock.setenv("GPUKIT_NOW", ENDED)
    plan = Assembly(spec=training({"pools": {"machine": "p5.48xlarge", "capacity": BLOCK}}), region=REGION, stack=STACK)
    assert plan.pools == ()
    assert plan.outlines[0].efa_interfaces == 32


@pytest.mark.failure("B15")
def test_what_runs_in_the_cluster_stays_as_it_is_between_two_blocks(clock: pytest.MonkeyPatch) -> None:
    def inside() -> dict[str, Any]:
        return {r.urn: r.inputs for r in pool(BLOCK) if r.type.startswith("kubernetes:")}

    during = inside()
    clock.setenv("GPUKIT_NOW", ENDED)
    assert inside() == during


MOMENTS = st.datetimes(min_value=datetime(2027, 1, 1), max_value=datetime(2027, 3, 1), timezones=st.just(UTC))  # noqa: DTZ001  # hypothesis adds the zone


@given(starts=MOMENTS, hours=st.integers(1, 24 * 182), now=MOMENTS)
def test_at_every_moment_a_window_is_in_one_phase_and_its_actions_lie_ahead(starts: datetime, hours: int, now: datetime) -> None:
    paid = Window(starts=starts, ends=starts + timedelta(hours=hours))
    phase = paid.phase(now)
    assert (phase is Phase.ENDED) == (now >= paid.ends)
    assert (phase in (Phase.DRAINING, Phase.ENDED)) == (now >= paid.ends - DRAIN_BEFORE_END)
    size = first_size(NodeRange(min=0, max=7), phase)
    assert (size.desired == 7) == (phase is Phase.OPEN)


@pytest.mark.parametrize("now", [BEFORE, OPEN, DRAINING, ENDED])
def test_no_action_is_scheduled_for_the_past(clock: pytest.MonkeyPatch, now: str) -> None:
    clock.setenv("GPUKIT_NOW", now)
    present = datetime.fromisoformat(now)
    assert all(action.at > present for action in schedule(outline(BLOCK)))
