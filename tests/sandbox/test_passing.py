"""What time does in the simulated world: scheduled actions, and reserved capacity that opens and ends."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from scripts.sandbox.clock import stamp
from scripts.sandbox.kinds.aws import reservation
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.passing import catch_up
from scripts.sandbox.store import Record
from tests.sandbox.cloud import REGION, Cloud
from tests.sandbox.kinds.aws.test_network import refused

BLOCK = "cr-0123456789abcdef0"
HOUR = timedelta(hours=1)


def after(cloud: Cloud, step: timedelta) -> str:
    return stamp(cloud.world.clock.now() + step)


def passes(cloud: Cloud, step: timedelta) -> None:
    cloud.world.clock.advance(step)
    catch_up(cloud.world)


def scheduled(cloud: Cloud, group: Record, step: timedelta, desired: int, **changes: Any) -> Record:
    given: dict[str, Any] = {"autoscalingGroupName": group.id, "scheduledActionName": f"in-{step}", "startTime": after(cloud, step)}
    given.update({"minSize": -1, "maxSize": -1, "desiredCapacity": desired, **changes})
    return cloud.make(t.SCHEDULE, **given)


def declared(cloud: Cloud, **changes: Any) -> Record:
    """Two machines from one hour to four hours from now."""
    given = {"id": BLOCK, "region": REGION, "machine": "p5.48xlarge", "zone": f"{REGION}a", "count": 2, "block": True}
    with cloud.world.store.transaction():
        return reservation.declared(cloud.world, {**given, "starts": after(cloud, HOUR), "ends": after(cloud, 4 * HOUR), **changes})


def block_group(cloud: Cloud, desired: int = 0, **template: Any) -> Record:
    """A node group on the block; its scaling group."""
    target = {"capacityReservationTarget": {"capacityReservationId": BLOCK}}
    made = cloud.template(
        name="block", instanceType="p5.48xlarge", instanceMarketOptions={"marketType": "capacity-block"},
        capacityReservationSpecification=target, **template,
    )  # fmt: skip
    cloud.group(cloud.cluster(), template=made, desired=desired, capacityType="CAPACITY_BLOCK", instanceTypes=None)
    [owned] = cloud.all(t.SCALING_GROUP)
    return owned


@pytest.fixture
def group(cloud: Cloud) -> Record:
    cloud.group(cloud.cluster(), desired=0)
    [owned] = cloud.all(t.SCALING_GROUP)
    return owned


def test_a_scheduled_action_runs_when_its_time_has_come_and_is_gone_then(cloud: Cloud, group: Record) -> None:
    action = scheduled(cloud, group, HOUR, 2)
    passes(cloud, HOUR / 2)
    assert (cloud.running(), cloud.there(action)) == ([], True)
    passes(cloud, HOUR)
    assert (len(cloud.running()), cloud.there(action)) == (2, False)


def test_actions_that_are_due_together_run_in_their_order(cloud: Cloud, group: Record) -> None:
    scheduled(cloud, group, 3 * HOUR, 1)
    scheduled(cloud, group, HOUR, 3)
    passes(cloud, 5 * HOUR)
    assert len(cloud.running()) == 1


def test_an_action_stays_within_the_sizes_of_its_group(cloud: Cloud, group: Record) -> None:
    scheduled(cloud, group, HOUR, 99)
    passes(cloud, 2 * HOUR)
    assert len(cloud.running()) == int(group.state["maxSize"])


def test_an_action_in_the_past_is_refused(cloud: Cloud, group: Record) -> None:
    with refused("ValidationError"):
        scheduled(cloud, group, -HOUR, 1)


def test_a_group_whose_schedule_is_suspended_stays_as_it_is(cloud: Cloud, group: Record) -> None:
    scheduled(cloud, group, HOUR, 2)
    with cloud.world.store.transaction():
        cloud.world.store.put(cloud.now(group).with_state(suspended=["ScheduledActions"]))
    passes(cloud, 2 * HOUR)
    assert cloud.running() == []


@pytest.mark.failure("B1")
def test_a_block_has_no_node_before_its_window_and_all_of_them_in_it(cloud: Cloud) -> None:
    declared(cloud)
    owned = block_group(cloud)
    scheduled(cloud, owned, HOUR / 2, 2)
    passes(cloud, HOUR / 2)
    assert cloud.running() == []
    assert "not active" in cloud.now(owned).state["activities"][0]["message"]
    scheduled(cloud, owned, HOUR, 2)
    passes(cloud, HOUR)
    assert len(cloud.running()) == 2


@pytest.mark.failure("B15")
def test_the_group_of_a_block_goes_to_zero_before_its_end_whatever_it_wants(cloud: Cloud) -> None:
    declared(cloud, starts=None)
    owned = block_group(cloud, desired=2)
    passes(cloud, 3 * HOUR)
    assert len(cloud.running()) == 2
    passes(cloud, timedelta(minutes=25))
    assert cloud.running() == []
    assert cloud.now(owned).state["desiredCapacity"] == 0


def test_what_still_runs_in_a_block_is_ended_half_an_hour_before_its_end(cloud: Cloud) -> None:
    ends = reservation.moment(declared(cloud, starts=None), "endDate")
    assert ends is not None
    owned = block_group(cloud, desired=1)
    with cloud.world.store.transaction():
        cloud.world.store.put(cloud.now(owned).with_state(template={}))  # no group of its own that EKS would scale down
    passes(cloud, ends - timedelta(minutes=35) - cloud.world.clock.now())
    assert len(cloud.running()) == 1
    passes(cloud, timedelta(minutes=6))
    assert cloud.running() == []


def test_a_reservation_lends_no_more_than_it_holds(cloud: Cloud) -> None:
    declared(cloud, starts=None, count=1)
    owned = block_group(cloud, desired=0)
    scheduled(cloud, owned, HOUR, 2)
    passes(cloud, 2 * HOUR)
    assert len(cloud.running()) == 1
    assert "1 of them in use" in cloud.now(owned).state["activities"][0]["message"]


@pytest.mark.failure("A9")
def test_a_placement_group_that_is_not_the_reservation_s_own_finds_no_capacity(cloud: Cloud) -> None:
    declared(cloud, starts=None)
    cloud.make(t.PLACEMENT_GROUP, name="own", strategy="cluster")
    owned = block_group(cloud, placement={"groupName": "own"})
    scheduled(cloud, owned, HOUR, 1)
    passes(cloud, 2 * HOUR)
    assert "InsufficientInstanceCapacity" in cloud.now(owned).state["activities"][0]["message"]


@pytest.mark.parametrize("changes", [{"machine": "p4d.24xlarge"}, {"zone": f"{REGION}b"}])
def test_another_machine_or_zone_than_the_reserved_one_does_not_start(cloud: Cloud, changes: dict[str, Any]) -> None:
    declared(cloud, starts=None, **changes)
    owned = block_group(cloud)
    scheduled(cloud, owned, HOUR, 1)
    passes(cloud, 2 * HOUR)
    assert cloud.running() == []


def test_instances_outlive_a_plain_reservation(cloud: Cloud) -> None:
    reserved = declared(cloud, starts=None, block=False)
    made = cloud.template(name="reserved", capacityReservationSpecification={"capacityReservationTarget": {"capacityReservationId": BLOCK}})
    cloud.group(cloud.cluster(), template=made, desired=1, instanceTypes=["p5.48xlarge"])
    assert len(reservation.instances(cloud.world, reserved)) == 1
    passes(cloud, 5 * HOUR)
    assert reservation.instances(cloud.world, reserved) == []
    assert len(cloud.running()) == 1


def test_a_reservation_that_nobody_declared_has_room(cloud: Cloud) -> None:
    block_group(cloud, desired=2)
    assert len(cloud.running()) == 2


def test_a_program_s_own_reservation_counts_like_a_declared_one(cloud: Cloud) -> None:
    given: dict[str, Any] = {
        "instanceType": "p5.48xlarge",
        "instancePlatform": "Linux/UNIX",
        "availabilityZone": f"{REGION}a",
        "instanceCount": 1,
    }
    made = cloud.make(t.CAPACITY_RESERVATION, **given)
    with refused("InvalidInstanceType"):
        cloud.make(t.CAPACITY_RESERVATION, **dict[str, Any](given, instanceType="p5.49xlarge"))
    target = {"capacityReservationTarget": {"capacityReservationId": made.id}}
    template = cloud.template(name="reserved", capacityReservationSpecification=target)
    cloud.group(cloud.cluster(), template=template, desired=1, instanceTypes=["p5.48xlarge"])
    with refused("InvalidParameterValue"):
        cloud.change(made, instanceCount=0)


def test_a_declaration_that_lacks_something_is_refused_by_name(cloud: Cloud) -> None:
    from scripts.errors import BadInput

    with pytest.raises(BadInput, match="zone"):
        declared(cloud, zone="")
    with pytest.raises(BadInput, match="with its zone"):
        declared(cloud, starts="2027-01-11T11:30")


def test_reservations_show_what_is_free_through_the_api(cloud: Cloud) -> None:
    from scripts.sandbox.doors.aws.call import Call
    from scripts.sandbox.doors.aws.ec2 import HANDLERS

    def show() -> list[dict[str, Any]]:
        return HANDLERS["DescribeCapacityReservations"](Call(cloud.world, REGION, {}))["CapacityReservations"]

    declared(cloud)
    assert [(r["State"], r["AvailableInstanceCount"]) for r in show()] == [("scheduled", 2)]
    passes(cloud, 2 * HOUR)
    assert [r["State"] for r in show()] == ["active"]
    passes(cloud, 2 * HOUR)
    assert [r["State"] for r in show()] == ["expired"]
