from __future__ import annotations

from datetime import timedelta

import pytest

from scripts.errors import BadInput
from scripts.sandbox.faults import KINDS
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.refusal import Injected
from tests.sandbox.cloud import Cloud


def test_a_create_that_fails_before_leaves_nothing(cloud: Cloud):
    cloud.world.faults.add("fail_before_create", {"type": t.VPC})
    with pytest.raises(Injected):
        cloud.vpc()
    assert not cloud.all(t.VPC)
    assert cloud.vpc(), "it fails once"


def test_a_create_that_fails_after_leaves_an_orphan(cloud: Cloud):
    cloud.world.faults.add("fail_after_create", {"type": "aws:ec2/*"})
    with pytest.raises(Injected):
        cloud.vpc()
    assert len(cloud.all(t.VPC)) == 1


def test_updates_and_deletes_fail_as_often_as_asked(cloud: Cloud):
    vpc = cloud.vpc()
    cloud.world.faults.add("fail_delete", {"type": t.VPC, "times": 2})
    for _ in range(2):
        with pytest.raises(Injected):
            cloud.delete(vpc)
    cloud.world.faults.add("fail_update", {"type": t.VPC})
    with pytest.raises(Injected):
        cloud.change(vpc, enableDnsHostnames=True)
    assert cloud.change(vpc, enableDnsHostnames=True).state["enableDnsHostnames"] is True
    cloud.delete(vpc)
    assert not cloud.there(vpc)


def test_latency_makes_an_operation_longer_in_world_time(cloud: Cloud):
    cloud.world.faults.add("latency", {"type": t.VPC, "seconds": "3600"})
    before = cloud.world.clock.now()
    cloud.vpc()
    assert cloud.world.clock.now() - before > timedelta(hours=1)


def test_faults_survive_a_restart_and_are_cleared_one_or_all(cloud: Cloud):
    first = cloud.world.faults.add("capacity", {"machine": "p5*"})
    cloud.world.faults.add("api_unreachable", {})
    again = cloud.restarted()
    assert len(again.world.faults.all()) == 2
    assert again.world.faults.clear(first.id) == 1
    assert again.world.faults.clear() == 1
    assert not again.world.faults.all()


def test_throttling_hits_its_service_as_often_as_it_was_told(cloud: Cloud):
    cloud.world.faults.add("throttle", {"service": "ec2"})
    assert not cloud.world.faults.throttled("eks")
    assert cloud.world.faults.throttled("ec2")
    assert not cloud.world.faults.throttled("ec2")


@pytest.mark.parametrize(
    ("kind", "where"),
    [("meteor", {}), ("capacity", {"colour": "red"}), ("throttle", {"times": 0}), ("latency", {"seconds": "soon"}), ("unseen", {})],
)
def test_a_fault_that_is_none_is_refused_with_what_there_is(cloud: Cloud, kind: str, where: dict[str, object]):
    with pytest.raises(BadInput, match=r"\w+"):
        cloud.world.faults.add(kind, where)
    assert not cloud.world.faults.all()


def test_every_documented_kind_can_be_set(cloud: Cloud):
    for kind, settings in KINDS.items():
        cloud.world.faults.add(kind, {name: 2 if name in ("times", "seconds") else "x" for name in settings})
    assert {f.kind for f in cloud.world.faults.all()} == set(KINDS)
