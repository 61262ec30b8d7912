"""AWS programs of other teams: self-managed groups, images that EKS picks, resources that are only looked up, options that miss."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from components.costing import cost
from components.resource import ResourceSet
from components.unknown import Unknown
from policies import Finding, Status, evaluate
from policies.readers import inventory, types
from tests.policies.raw import NOW, SETTINGS, Raw, said, training

FIND = "k8s.io/cluster-autoscaler/enabled"
OFFER = "k8s.io/cluster-autoscaler/node-template/resources/nvidia.com/gpu"
DISK = [{"deviceName": "/dev/xvda", "ebs": {"volumeSize": 200}}]


def found(program: Raw | ResourceSet, rule: str) -> list[Finding]:
    return said(evaluate(program.built() if isinstance(program, Raw) else program, SETTINGS), rule)


def group(*keys: str | Unknown, disk: Any = DISK, **more: Any) -> Raw:
    """A self-managed group of g5 nodes with these tags."""
    program = Raw(config={"aws:region": "us-east-1"})
    program.add(types.LAUNCH_TEMPLATE, "t", instanceType="g5.2xlarge", imageId="ami-1", blockDeviceMappings=disk)
    tags = [{"key": key, "value": "x", "propagateAtLaunch": True} for key in keys]
    return program.add(
        types.SCALING_GROUP, "own", launchTemplate={"id": "@t"}, minSize=0, maxSize=4, availabilityZones=["us-east-1a"], tags=tags, **more
    )


@pytest.mark.failure("F1")
def test_an_autoscaled_group_of_ones_own_says_what_a_node_offers() -> None:
    (finding,) = found(group(FIND), "GPU-SCALE-01")
    assert finding.path == "minSize"
    assert OFFER in finding.message


@pytest.mark.failure("F1")
@pytest.mark.parametrize(
    "program",
    [
        group(FIND, OFFER),
        group(FIND).plus(types.SCALING_TAG, "apart", autoscalingGroupName="@own", tag={"key": OFFER, "value": "1"}),
        group("Name"),
        group(FIND).set("own", 1, "minSize"),
    ],
    ids=["inline", "apart", "no autoscaler", "never empty"],
)
def test_groups_that_say_it_or_need_not_are_fine(program: Raw) -> None:
    assert found(program, "GPU-SCALE-01") == []


@pytest.mark.parametrize("program", [group(FIND, Unknown("key")), group().hide("own", "tags")])
def test_hidden_tags_of_a_group_are_no_pass(program: Raw) -> None:
    assert [f.status for f in found(program, "GPU-SCALE-01")] == [Status.UNKNOWN]


@pytest.mark.failure("B11")
def test_small_disks_of_nodes_and_machines_of_ones_own_are_told() -> None:
    assert "evicted" in found(group("kubernetes.io/cluster/ml", disk=None), "GPU-NODE-02")[0].message
    box = training().plus(types.INSTANCE, "box", instanceType="g5.xlarge", ami="ami-1", rootBlockDevice={"volumeSize": 8})
    assert [f.path for f in found(box, "GPU-NODE-02")] == ["rootBlockDevice.volumeSize"]
    assert found(box.set("box", 200, "rootBlockDevice", "volumeSize"), "GPU-NODE-02") == []
    assert found(group(disk=None), "GPU-NODE-02") == [], "what an image brings outside clusters is not known"


@pytest.mark.failure("B7")
def test_eks_picks_no_amazon_linux_2_where_the_program_names_no_image() -> None:
    assert found(training().set("system", None, "amiType"), "GPU-IMG-01") == []
    assert [f.status for f in found(training().set("gpu", None, "amiType"), "GPU-IMG-01")] == [Status.UNKNOWN]
    elsewhere = training().set("system", None, "amiType").set("system", {"id": "lt-elsewhere"}, "launchTemplate")
    assert [f.status for f in found(elsewhere, "GPU-IMG-01")] == [Status.UNKNOWN]


@pytest.mark.failure("C10")
def test_an_image_of_ones_own_is_named_by_its_property() -> None:
    machine = Raw(config={"aws:region": "us-east-1"}).add(types.INSTANCE, "box", instanceType="p5.48xlarge", ami="ami-1")
    assert [f.path for f in found(machine, "GPU-IMG-05")] == ["ami"]


@pytest.mark.failure("H1")
def test_an_ignored_path_in_pythons_spelling_is_named() -> None:
    (finding,) = found(training().with_options("gpu", ignore_changes=("scaling_config.desired_size",)), "GPU-NODE-06")
    assert "'scaling_config.desired_size' is no path" in finding.message
    assert found(training().with_options("gpu", ignore_changes=("scalingConfig",)), "GPU-NODE-06") == []


def looked_up(program: Raw, *names: str) -> ResourceSet:
    """The program with resources that it reads by `.get()`."""
    built = program.built()
    return replace(built, resources=tuple(replace(r, external=r.name in names) for r in built))


def test_a_cluster_that_is_only_looked_up_is_judged_for_what_the_program_adds() -> None:
    program = training().without("system").set("eks", None, "tags")
    assert found(program, "GPU-NODE-08")
    assert found(program, "GPU-TAG-02")
    there = looked_up(program, "eks")
    assert found(there, "GPU-NODE-08") == found(there, "GPU-TAG-02") == []
    assert found(looked_up(program.set("gpu", "AL2_x86_64_GPU", "amiType"), "eks"), "GPU-IMG-01"), "its version counts"


def test_what_is_only_looked_up_is_not_billed_here() -> None:
    program = (
        training().plus(types.INSTANCE, "box", instanceType="p5.48xlarge").plus("aws:batch/computeEnvironment:ComputeEnvironment", "b")
    )
    ours, theirs = (cost(inventory(built), now=NOW) for built in (program.built(), looked_up(program, "box", "b", "eks")))
    assert (ours.bounded, theirs.bounded) == (False, True)
    assert {line.urn for line in ours.lines} - {line.urn for line in theirs.lines} == {program.urn("box"), program.urn("eks")}


def test_an_auto_mode_that_cannot_be_told_is_not_asserted() -> None:
    (finding,) = found(training().set("eks", Unknown("computeConfig"), "computeConfig"), "GPU-COST-03")
    assert "cannot be told" in finding.message


def test_subnets_that_cannot_be_told_leave_the_size_of_an_update_open_and_say_how_to_bound_it() -> None:
    (finding,) = found(training().set("gpu", None, "updateConfig").hide("gpu", "subnetIds"), "GPU-COST-03")
    assert "not MINIMAL" in finding.message
    assert finding.path == "updateConfig.updateStrategy"


def elsewhere(name: str = "gpu") -> ResourceSet:
    """The training program with one group whose subnets another stack gives."""
    program = training().plus(types.STACK_REFERENCE, "network", name="acme/network/prod").hide(name, "subnetIds")
    program.written[name].depends = {"subnetIds": (program.urn("network"),)}
    return program.built()


@pytest.mark.failure("H10")
def test_subnets_of_another_stack_are_asked_for_where_a_public_one_would_break_the_nodes() -> None:
    assert [(f.status, f.path) for f in found(elsewhere(), "GPU-READ-01")] == [(Status.UNKNOWN, "subnetIds")]
    plain = training().set("gpu", None, "launchTemplate").set("gpu", ["g5.xlarge"], "instanceTypes")
    plain = plain.plus(types.STACK_REFERENCE, "network", name="acme/network/prod").hide("gpu", "subnetIds")
    assert [f.status for f in found(plain, "GPU-READ-01")] == [Status.UNKNOWN], "nothing tells where they come from"
    plain.written["gpu"].depends = {"subnetIds": (plain.urn("network"),)}
    assert found(plain, "GPU-READ-01") == []
