from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from components.aws.capacity import Target
from components.aws.node_pool import NodePool, NodePoolArgs, scaling_group
from components.aws.outline import PoolOutline, pool_outlines
from components.inventory import Market
from components.naming import Identity
from components.resource import ResourceSet
from components.spec import NodeRange

from .specs import built, inference, only, recorded, training

GROUP = "aws:eks/nodeGroup:NodeGroup"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
PLACEMENT = "aws:ec2/placementGroup:PlacementGroup"
TAG = "aws:autoscaling/tag:Tag"


@pytest.fixture(scope="module")
def made() -> ResourceSet:
    return built(training())


@pytest.fixture(scope="module")
def outline() -> PoolOutline:
    return pool_outlines(training())[0]


def args(outline: PoolOutline, **changes: Any) -> NodePoolArgs:
    valid: dict[str, Any] = {
        "outline": outline,
        "cluster": "lab",
        "cluster_name": "lab",
        "kubernetes_version": "1.35",
        "node_role_arn": "arn:aws:iam::123456789012:role/nodes",
        "subnet_ids": ["subnet-1"],
        "cluster_security_group_id": "sg-cluster",
        "fabric_security_group_id": "sg-efa",
        "identity": Identity(cloud="aws", stack="s", cluster="lab"),
    }
    return NodePoolArgs(**{**valid, **changes})


# What arguments are refused ---------------------------------------------------------------------------------------------------------------


@pytest.mark.failure("A1")
def test_a_fabric_without_its_security_group_is_refused(outline: PoolOutline) -> None:
    with pytest.raises(ValueError, match="pool a100: EFA without its security group"):
        args(outline, fabric_security_group_id=None)


@pytest.mark.failure("A8")
@pytest.mark.failure("F7")
def test_gpu_nodes_in_several_zones_are_refused(outline: PoolOutline) -> None:
    with pytest.raises(ValueError, match="GPU nodes in several zones"):
        args(replace(outline, zones=("us-east-1b", "us-east-1d")), subnet_ids=["subnet-1", "subnet-2"])


@pytest.mark.failure("A8")
def test_a_placement_group_over_several_zones_is_refused(outline: PoolOutline) -> None:
    cpu = replace(outline, machines=(replace(outline.machine, gpu_count=0.0),), zones=("us-east-1b", "us-east-1d"))
    with pytest.raises(ValueError, match="placement group over several zones"):
        args(cpu, subnet_ids=["subnet-1", "subnet-2"])


@pytest.mark.failure("A8")
@pytest.mark.failure("F7")
def test_gpu_nodes_in_one_zone_are_taken(outline: PoolOutline) -> None:
    assert args(outline).outline.zones == ("us-east-1d",)


@pytest.mark.failure("A2")
def test_one_layout_for_several_machine_types_is_refused(outline: PoolOutline) -> None:
    with pytest.raises(ValueError, match="several machine types with EFA"):
        args(replace(outline, machines=(outline.machine, outline.machine)))


def test_alternatives_are_for_spot_only(outline: PoolOutline) -> None:
    with pytest.raises(ValueError, match="use them on spot only"):
        args(replace(outline, machines=(outline.machine, outline.machine), market=Market.ON_DEMAND))


def test_a_market_of_another_cloud_is_refused(outline: PoolOutline) -> None:
    with pytest.raises(ValueError, match="capacity flex_start is none of AWS's"):
        args(replace(outline, market=Market.FLEX_START))


@pytest.mark.failure("B2")
@pytest.mark.parametrize("market", [Market.RESERVATION, Market.CAPACITY_BLOCK])
def test_reserved_capacity_without_its_target_is_refused(outline: PoolOutline, market: Market) -> None:
    with pytest.raises(ValueError, match="reserved capacity and its target"):
        args(replace(outline, market=market))


@pytest.mark.failure("A9")
def test_a_placement_group_of_ours_outside_reserved_capacity_is_refused(outline: PoolOutline) -> None:
    reserved = replace(outline, market=Market.RESERVATION, target=Target(reservation="cr-0123456789abcdef0"))
    with pytest.raises(ValueError, match="outside paid capacity"):
        args(reserved)
    assert args(replace(reserved, placement="none"))


def test_every_zone_needs_its_subnet(outline: PoolOutline) -> None:
    with pytest.raises(ValueError, match="2 subnets for 1 zones"):
        args(outline, subnet_ids=["subnet-1", "subnet-2"])


# What is built ----------------------------------------------------------------------------------------------------------------------------


@pytest.mark.failure("B3")
def test_spot_is_a_word_of_the_group_and_not_of_its_template(made: ResourceSet) -> None:
    assert only(made, GROUP, "a100").inputs["capacityType"] == "SPOT"
    assert "instanceMarketOptions" not in only(made, TEMPLATE, "a100").inputs


@pytest.mark.failure("B12")
def test_machine_types_are_named_in_the_group_alone() -> None:
    several = {"machine": None, "machines": ["g5.2xlarge", "g5.4xlarge"], "capacity": {"mode": "spot"}}
    mixed = built(inference({"pools": several}))
    assert only(mixed, GROUP, "a10g").inputs["instanceTypes"] == ["g5.2xlarge", "g5.4xlarge"]
    assert "instanceType" not in only(mixed, TEMPLATE, "a10g").inputs


@pytest.mark.failure("B11")
def test_the_disk_is_in_the_template_alone(made: ResourceSet) -> None:
    assert "diskSize" not in only(made, GROUP, "a100").inputs
    [disk] = only(made, TEMPLATE, "a100").inputs["blockDeviceMappings"]
    assert (disk["ebs"]["volumeSize"], disk["ebs"]["volumeType"], disk["ebs"]["encrypted"]) == (500, "gp3", "true")


@pytest.mark.failure("B17")
@pytest.mark.parametrize("pool", ["a100", "system"])
def test_instances_volumes_and_interfaces_carry_the_pools_identity(made: ResourceSet, pool: str) -> None:
    specifications = only(made, TEMPLATE, pool).inputs["tagSpecifications"]
    assert [s["resourceType"] for s in specifications] == ["instance", "volume", "network-interface"]
    assert all(s["tags"]["gpukit/pool"] == pool and s["tags"]["gpukit/stack"] == "aws-test" for s in specifications)


def test_a_change_of_the_users_tags_leaves_what_rolls_nodes_alone() -> None:
    def rolling(value: str) -> dict[str, Any]:
        template = only(built(training({"tags": {"cost-center": value}})), TEMPLATE, "a100")
        return {key: template.inputs[key] for key in template.inputs if key != "tags"}

    assert rolling("1") == rolling("2")


def test_the_users_tags_reach_instances_by_the_scaling_group(made: ResourceSet) -> None:
    tag = only(made, TAG, "a100/cost-center").inputs["tag"]
    assert tag == {"key": "cost-center", "value": "4711", "propagateAtLaunch": True}


@pytest.mark.failure("F1")
def test_hints_sit_on_the_scaling_group_of_the_pool_itself(made: ResourceSet) -> None:
    hint = only(made, TAG, "a100/k8s.io/cluster-autoscaler/node-template/resources/vpc.amazonaws.com/efa")
    assert hint.inputs["tag"]["value"] == "4"
    assert hint.property_dependencies["autoscalingGroupName"] == (only(made, GROUP, "a100").urn,)


@pytest.mark.failure("F2")
def test_gpu_nodes_join_with_the_accelerator_label_and_a_taint(made: ResourceSet) -> None:
    group = only(made, GROUP, "a100").inputs
    assert group["labels"]["k8s.amazonaws.com/accelerator"] == "nvidia-a100-40gb"
    assert group["taints"] == [{"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}]


@pytest.mark.failure("F10")
def test_the_system_pool_joins_without_a_taint_in_every_zone(made: ResourceSet) -> None:
    group = only(made, GROUP, "system").inputs
    assert group["taints"] == []
    assert len(group["subnetIds"]) == 2
    assert group["scalingConfig"]["minSize"] == 2


@pytest.mark.failure("H1")
@pytest.mark.parametrize("pool", ["a100", "system"])
def test_the_desired_size_is_the_autoscalers(made: ResourceSet, pool: str) -> None:
    assert "scalingConfig.desiredSize" in only(made, GROUP, pool).options.ignore_changes


def test_tags_of_people_and_of_the_idle_watch_outlive_an_update(made: ResourceSet) -> None:
    left = only(made, GROUP, "a100").options.ignore_changes
    assert {'tags["gpukit/idle"]', 'tags["gpukit/idle-warned"]', 'tags["gpukit/idle-sizes"]'} < set(left)
    assert not any(path in {"tags", "tagsAll"} for path in left), "the stack file's own tags still change"


@pytest.mark.failure("H2")
def test_only_the_cluster_its_logs_and_charts_have_fixed_names(made: ResourceSet) -> None:
    named = {r.type for r in made if {"name", "nodeGroupName", "namePrefix"} & set(r.inputs)}
    assert named == {"aws:eks/cluster:Cluster", "aws:cloudwatch/logGroup:LogGroup", "kubernetes:helm.sh/v3:Release"}


@pytest.mark.failure("B4")
def test_a_gpu_pool_starts_at_its_minimum_so_that_lacking_capacity_does_not_break_its_creation(made: ResourceSet) -> None:
    assert only(made, GROUP, "a100").inputs["scalingConfig"] == {"minSize": 0, "maxSize": 4, "desiredSize": 0}


@pytest.mark.failure("B14")
@pytest.mark.parametrize(("updates", "strategy"), [("in_place", "MINIMAL"), ("surge", "DEFAULT")])
def test_updates_end_nodes_first_unless_surge_is_asked_for(updates: str, strategy: str) -> None:
    group = only(built(training({"pools": {"updates": updates}})), GROUP, "a100")
    assert group.inputs["updateConfig"] == {"maxUnavailable": 1, "updateStrategy": strategy}


def repaired(spec: Any, pool: str) -> bool:
    return only(built(spec), GROUP, pool).inputs["nodeRepairConfig"]["enabled"]


@pytest.mark.parametrize(
    ("spec", "pool", "on"),
    [
        (inference(), "a10g", True),
        (training(), "a100", True),
        (training({"pools": {"capacity": {"mode": "reservation", "id": "cr-0123456789abcdef0"}}}), "a100", False),
        (training({"pools": {"node_auto_repair": False}}), "a100", False),
        (training(), "system", True),
    ],
    ids=["inference", "spot training", "reserved training", "turned off", "system"],
)
def test_faulty_nodes_are_repaired_unless_they_are_reserved_for_training(spec: Any, pool: str, on: bool) -> None:
    assert repaired(spec, pool) is on


def test_nodes_of_a_training_pool_are_placed_close_together(made: ResourceSet) -> None:
    placement = only(made, PLACEMENT)
    assert placement.inputs["strategy"] == "cluster"
    assert only(made, TEMPLATE, "a100").property_dependencies["placement"] == (placement.urn,)


def test_a_group_that_is_there_already_is_used_and_none_made() -> None:
    placed = built(training({"pools": {"placement": {"group": "made-before"}}}))
    assert placed.of_type(PLACEMENT) == ()
    assert only(placed, TEMPLATE, "a100").inputs["placement"] == {"groupName": "made-before"}


def test_the_scaling_group_is_the_one_that_eks_reports() -> None:
    def reported(*names: str) -> list[SimpleNamespace]:
        return [SimpleNamespace(autoscaling_groups=[SimpleNamespace(name=name) for name in names])]

    assert scaling_group(reported("eks-a100-1")) == "eks-a100-1"
    with pytest.raises(RuntimeError, match="no scaling group"):
        scaling_group(reported())


def test_a_pool_can_be_made_outside_of_our_clusters(outline: PoolOutline) -> None:
    small = replace(outline, nodes=NodeRange(min=0, max=1), placement="none")
    alone = recorded(lambda: NodePool("lab-a100", args(small)) and None)
    assert only(alone, GROUP).inputs["scalingConfig"]["maxSize"] == 1
    assert alone.of_type(PLACEMENT) == ()
