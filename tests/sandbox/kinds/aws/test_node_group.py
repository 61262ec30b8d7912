from __future__ import annotations

from typing import Any

import pytest

from scripts.sandbox.kinds import tokens as k8s
from scripts.sandbox.kinds.aws import scaling
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.refusal import NotReady
from scripts.sandbox.store import Record
from tests.sandbox.cloud import Cloud, efa
from tests.sandbox.kinds.aws.test_network import refused

P5 = {"instanceTypes": ["p5.48xlarge"], "amiType": "AL2023_x86_64_NVIDIA"}
P4 = {"instanceTypes": ["p4d.24xlarge"], "amiType": "AL2023_x86_64_NVIDIA"}
B300 = {"instanceTypes": ["p6-b300.48xlarge"], "amiType": "AL2023_x86_64_NVIDIA"}


@pytest.fixture
def cluster(cloud: Cloud) -> Record:
    return cloud.cluster()


def group_with(cloud: Cloud, cluster: Record, interfaces: list[dict[str, Any]], **changes: Any) -> Record:
    return cloud.group(cluster, template=cloud.template(networkInterfaces=interfaces), **changes)


def test_a_group_owns_a_scaling_group_whose_instances_are_nodes_of_its_cluster(cloud: Cloud, cluster: Record):
    group = cloud.group(cluster, desired=2)
    name = group.state["resources"][0]["autoscalingGroups"][0]["name"]
    assert name.startswith(f"eks-{group.state['nodeGroupName']}-")
    assert [g.id for g in cloud.all(t.SCALING_GROUP)] == [name]
    assert len(cloud.running()) == 2
    nodes = cloud.world.store.of_kind(k8s.NODE, f"k8s/{cluster.key}/{cluster.id}")
    assert {n.state["metadata"]["labels"]["node.kubernetes.io/instance-type"] for n in nodes} == {"m7i.large"}
    cloud.delete(group)
    assert not cloud.running() + cloud.all(t.SCALING_GROUP) + cloud.all(t.VOLUME)
    assert not cloud.world.store.of_kind(k8s.NODE, f"k8s/{cluster.key}/{cluster.id}")


@pytest.mark.failure("A2")
def test_a_device_index_beyond_the_bound_of_its_card_is_refused(cloud: Cloud, cluster: Record):
    with refused("InvalidParameterValue"):
        group_with(cloud, cluster, [*efa(1), {"networkCardIndex": 1, "deviceIndex": 2, "interfaceType": "efa-only"}], **P5)


@pytest.mark.failure("A2")
def test_the_same_index_is_fine_where_the_card_takes_more_interfaces(cloud: Cloud, cluster: Record):
    interfaces = [*efa(1), {"networkCardIndex": 1, "deviceIndex": 2, "interfaceType": "efa-only"}]
    assert group_with(cloud, cluster, interfaces, **P4).status == "ACTIVE"


@pytest.mark.failure("A3")
def test_interfaces_that_all_land_on_one_slot_are_refused(cloud: Cloud, cluster: Record):
    with refused("InvalidParameterValue"):
        group_with(
            cloud, cluster, [{"deviceIndex": 0, "interfaceType": "interface"}, {"deviceIndex": 0, "interfaceType": "efa-only"}], **P4
        )


@pytest.mark.failure("A3")
def test_one_interface_a_card_is_accepted(cloud: Cloud, cluster: Record):
    assert group_with(cloud, cluster, efa(4), **P4).status == "ACTIVE"


@pytest.mark.failure("A4")
def test_efa_on_the_card_without_it_is_refused(cloud: Cloud, cluster: Record):
    with refused("InvalidParameterValue"):
        group_with(cloud, cluster, efa(1), **B300)


@pytest.mark.failure("A4")
def test_efa_on_the_other_cards_is_accepted(cloud: Cloud, cluster: Record):
    cards = [{"networkCardIndex": c, "deviceIndex": 0, "interfaceType": "efa-only"} for c in range(1, 17)]
    primary = {"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": "interface"}
    assert group_with(cloud, cluster, [primary, *cards], **B300).status == "ACTIVE"


@pytest.mark.failure("A5")
def test_more_efa_interfaces_than_the_machine_takes_are_refused(cloud: Cloud, cluster: Record):
    fifth = {"networkCardIndex": 1, "deviceIndex": 3, "interfaceType": "efa-only"}
    with refused("AttachmentLimitExceeded"):
        group_with(cloud, cluster, [*efa(4), fifth], **P4)


@pytest.mark.failure("A5")
def test_as_many_as_it_takes_are_accepted_and_each_becomes_an_interface(cloud: Cloud, cluster: Record):
    group_with(cloud, cluster, efa(32), **P5)
    (instance,) = cloud.running()
    kinds = [i.state["interfaceType"] for i in cloud.world.store.children(instance) if i.kind == t.NETWORK_INTERFACE]
    assert sorted(kinds) == ["efa-only"] * 32 + ["interface"]


@pytest.mark.failure("A7")
@pytest.mark.parametrize("public", [True, "true"])
def test_a_public_address_with_several_interfaces_is_refused(cloud: Cloud, cluster: Record, public: object):
    interfaces = efa(4)
    interfaces[0]["associatePublicIpAddress"] = public
    with refused("InvalidParameterCombination"):
        group_with(cloud, cluster, interfaces, **P4)


@pytest.mark.failure("A7")
def test_a_public_address_with_one_interface_is_accepted(cloud: Cloud, cluster: Record):
    assert group_with(cloud, cluster, [{"deviceIndex": 0, "associatePublicIpAddress": "true"}]).status == "ACTIVE"


def test_an_efa_only_interface_cannot_be_the_primary_one(cloud: Cloud, cluster: Record):
    with refused("InvalidParameterValue"):
        group_with(cloud, cluster, efa(1, primary="efa-only", device=1)[:1], **P4)


@pytest.mark.failure("A8")
def test_a_cluster_placement_group_over_two_zones_is_refused(cloud: Cloud, cluster: Record):
    placement = cloud.make(t.PLACEMENT_GROUP, strategy="cluster")
    with refused("InvalidParameterCombination"):
        cloud.group(
            cluster, template=cloud.template(placement={"groupName": placement.id}), subnetIds=cluster.state["vpcConfig"]["subnetIds"]
        )


@pytest.mark.failure("A8")
def test_a_cluster_placement_group_in_one_zone_is_accepted_and_in_use(cloud: Cloud, cluster: Record):
    placement = cloud.make(t.PLACEMENT_GROUP, strategy="cluster")
    group = cloud.group(cluster, template=cloud.template(placement={"groupName": placement.id}))
    with refused("InvalidPlacementGroup.InUse"):
        cloud.delete(placement)
    cloud.delete(group)
    cloud.delete(placement)
    assert not cloud.there(placement)


def test_a_placement_group_that_is_not_there_is_refused(cloud: Cloud, cluster: Record):
    with refused("InvalidPlacementGroup.Unknown"):
        cloud.group(cluster, template=cloud.template(placement={"groupName": "none"}))


@pytest.mark.failure("B1")
@pytest.mark.parametrize("missing", ["capacityType", "market", "target"])
def test_a_capacity_block_with_one_of_its_three_fields_missing_is_refused(cloud: Cloud, cluster: Record, missing: str):
    with refused("InvalidParameterException"):
        block(cloud, cluster, missing)


@pytest.mark.failure("B1")
def test_a_capacity_block_whose_three_fields_agree_is_accepted(cloud: Cloud, cluster: Record):
    assert block(cloud, cluster, "").state["capacityType"] == "CAPACITY_BLOCK"


def block(cloud: Cloud, cluster: Record, missing: str) -> Record:
    template: dict[str, Any] = {"instanceType": "p5.48xlarge"}
    if missing != "market":
        template["instanceMarketOptions"] = {"marketType": "capacity-block"}
    if missing != "target":
        template["capacityReservationSpecification"] = {"capacityReservationTarget": {"capacityReservationId": "cr-0123456789abcdef0"}}
    capacity = "ON_DEMAND" if missing == "capacityType" else "CAPACITY_BLOCK"
    return cloud.group(
        cluster, template=cloud.template(**template), desired=0, instanceTypes=None, amiType="AL2023_x86_64_NVIDIA", capacityType=capacity
    )


@pytest.mark.failure("B3")
def test_spot_in_the_template_of_a_managed_group_is_refused(cloud: Cloud, cluster: Record):
    with refused("InvalidParameterException"):
        cloud.group(cluster, template=cloud.template(instanceMarketOptions={"marketType": "spot"}))


@pytest.mark.failure("B3")
def test_spot_as_the_groups_capacity_type_is_accepted_and_its_instances_are_spot(cloud: Cloud, cluster: Record):
    cloud.group(cluster, template=cloud.template(), capacityType="SPOT")
    assert [i.state["instanceLifecycle"] for i in cloud.running()] == ["spot"]


@pytest.mark.failure("B5")
def test_a_machine_that_its_region_does_not_offer_is_refused(cloud: Cloud):
    vpc = cloud.vpc(region="us-west-1")
    subnets = [
        cloud.make(t.SUBNET, region="us-west-1", vpcId=vpc.id, cidrBlock=f"10.0.{i * 16}.0/20", availabilityZone=f"us-west-1{z}").id
        for i, z in enumerate("ab")
    ]
    role = cloud.role()
    cluster = cloud.make(t.CLUSTER, region="us-west-1", name="w", roleArn=role.state["arn"], vpcConfig={"subnetIds": subnets})
    sizes = {"minSize": 0, "desiredSize": 0, "maxSize": 1}
    given = {"clusterName": cluster.id, "nodeRoleArn": role.state["arn"], "subnetIds": subnets[:1], "scalingConfig": sizes}
    with refused("Unsupported"):
        cloud.make(t.NODE_GROUP, region="us-west-1", **given, **P4)
    assert cloud.make(t.NODE_GROUP, region="us-west-1", **given, instanceTypes=["g4dn.xlarge"], amiType="AL2023_x86_64_NVIDIA")


@pytest.mark.failure("B5")
def test_a_machine_that_does_not_exist_is_refused(cloud: Cloud, cluster: Record):
    with refused("InvalidInstanceType"):
        cloud.group(cluster, instanceTypes=["p9.mega"])


@pytest.mark.failure("B7")
def test_amazon_linux_2_is_refused_from_kubernetes_1_33_on(cloud: Cloud, cluster: Record):
    with refused("InvalidParameterException"):
        cloud.group(cluster, amiType="AL2_x86_64")


@pytest.mark.failure("B7")
def test_amazon_linux_2_is_accepted_below(cloud: Cloud):
    assert cloud.group(cloud.cluster(version="1.32"), amiType="AL2_x86_64").status == "ACTIVE"


@pytest.mark.failure("B9")
def test_an_image_of_another_architecture_is_refused(cloud: Cloud, cluster: Record):
    with refused("InvalidParameterException"):
        cloud.group(cluster, instanceTypes=["g5g.xlarge"], amiType="AL2023_x86_64_NVIDIA", desired=0)


@pytest.mark.failure("B9")
def test_an_image_of_its_architecture_is_accepted(cloud: Cloud, cluster: Record):
    assert cloud.group(cluster, instanceTypes=["g5g.xlarge"], amiType="AL2023_ARM_64_NVIDIA", desired=0).status == "ACTIVE"


@pytest.mark.failure("B11")
def test_a_disk_size_in_the_group_beside_a_template_is_refused(cloud: Cloud, cluster: Record):
    with refused("InvalidParameterException"):
        cloud.group(cluster, template=cloud.template(), diskSize=500)


@pytest.mark.failure("B11")
def test_a_disk_size_in_the_template_reaches_the_volume(cloud: Cloud, cluster: Record):
    cloud.group(cluster, template=cloud.template(blockDeviceMappings=[{"deviceName": "/dev/xvda", "ebs": {"volumeSize": 500}}]))
    assert [v.state["size"] for v in cloud.all(t.VOLUME)] == [500]


@pytest.mark.failure("B12")
def test_instance_types_in_both_places_are_refused(cloud: Cloud, cluster: Record):
    with refused("InvalidParameterException"):
        cloud.group(cluster, template=cloud.template(instanceType="m7i.large"))


@pytest.mark.failure("B12")
def test_an_instance_type_in_the_template_alone_is_accepted(cloud: Cloud, cluster: Record):
    cloud.group(cluster, template=cloud.template(instanceType="m7i.large"), instanceTypes=None)
    assert [i.state["instanceType"] for i in cloud.running()] == ["m7i.large"]


@pytest.mark.failure("B17")
def test_tags_reach_instances_volumes_and_interfaces_by_the_template_and_not_by_the_group(cloud: Cloud, cluster: Record):
    tags = {"gpukit/stack": "dev"}
    specified = [{"resourceType": kind, "tags": tags} for kind in ("instance", "volume", "network-interface")]
    cloud.group(cluster, tags={"only": "group"})
    cloud.group(cluster, template=cloud.template(tagSpecifications=specified))
    tagged = [i for i in cloud.running() if i.tags.get("gpukit/stack") == "dev"]
    assert len(tagged) == 1
    assert not any("only" in i.tags for i in cloud.running())
    assert {p.tags["gpukit/stack"] for p in cloud.world.store.children(tagged[0])} == {"dev"}


@pytest.mark.parametrize("sizes", [(0, 0, 0), (2, 1, 3), (0, 5, 4)])
def test_sizes_out_of_order_are_refused(cloud: Cloud, cluster: Record, sizes: tuple[int, int, int]):
    with refused("InvalidParameterException"):
        cloud.group(cluster, scalingConfig=dict(zip(("minSize", "desiredSize", "maxSize"), sizes, strict=True)))


def test_names_are_unique_in_a_cluster(cloud: Cloud, cluster: Record):
    cloud.group(cluster, nodeGroupName="a100")
    with refused("ResourceInUseException"):
        cloud.group(cluster, nodeGroupName="a100")


def test_a_template_version_that_is_not_there_is_refused(cloud: Cloud, cluster: Record):
    template = cloud.template()
    with refused("InvalidParameterException"):
        cloud.group(cluster, launchTemplate={"id": template.id, "version": "7"})


@pytest.mark.failure("B4")
def test_without_stock_the_group_is_there_but_failed_and_refuses_updates(cloud: Cloud, cluster: Record):
    cloud.world.faults.add("capacity", {"machine": "p4d.24xlarge"})
    with pytest.raises(NotReady, match=r"do not have sufficient p4d\.24xlarge capacity"):
        cloud.group(cluster, **P4)
    (group,) = cloud.all(t.NODE_GROUP)
    assert group.status == group.state["status"] == "CREATE_FAILED"
    with refused("InvalidRequestException"):
        cloud.change(group, labels={"a": "b"})


@pytest.mark.failure("B4")
def test_without_stock_a_group_of_no_nodes_comes_up_and_grows_when_there_is_some(cloud: Cloud, cluster: Record):
    fault = cloud.world.faults.add("capacity", {"machine": "p4d.24xlarge"})
    cloud.group(cluster, desired=0, **P4)
    (owned,) = cloud.all(t.SCALING_GROUP)
    with cloud.world.store.transaction():
        failure = scaling.set_desired(cloud.world, owned, 2)
    assert failure is not None
    assert failure.code == "InsufficientInstanceCapacity"
    assert cloud.now(owned).state["activities"][0]["status"] == "Failed"
    cloud.world.faults.clear(fault.id)
    with cloud.world.store.transaction():
        assert scaling.set_desired(cloud.world, cloud.now(owned), 2) is None
    assert len(cloud.running()) == 2


def test_a_new_template_version_replaces_the_nodes_and_a_new_label_does_not(cloud: Cloud, cluster: Record):
    template = cloud.template()
    group = cloud.group(cluster, template=template, launchTemplate={"id": template.id, "version": "1"})
    before = {i.id for i in cloud.running()}
    group = cloud.change(group, labels={"pool": "a"})
    assert {i.id for i in cloud.running()} == before
    nodes = cloud.world.store.of_kind(k8s.NODE, f"k8s/{cluster.key}/{cluster.id}")
    assert [n.state["metadata"]["labels"]["pool"] for n in nodes] == ["a"]
    cloud.change(template, userData="bmV3")
    cloud.change(group, launchTemplate={"id": template.id, "version": "2"})
    assert before.isdisjoint(i.id for i in cloud.running())


def test_growing_and_shrinking_keeps_the_oldest_nodes(cloud: Cloud, cluster: Record):
    group = cloud.group(cluster, desired=2)
    first = [i.id for i in cloud.running()]
    group = cloud.change(group, scalingConfig={"minSize": 0, "desiredSize": 4, "maxSize": 4})
    assert len(cloud.running()) == 4
    cloud.change(group, scalingConfig={"minSize": 0, "desiredSize": 2, "maxSize": 4})
    assert sorted(i.id for i in cloud.running()) == sorted(first)
