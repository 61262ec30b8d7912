from __future__ import annotations

from typing import Any

import pytest

from scripts.errors import BadInput
from scripts.sandbox import api_server, load
from scripts.sandbox.commands import pods_left_out
from scripts.sandbox.kinds import tokens as k8s
from scripts.sandbox.kinds.aws import scaling
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.store import Record
from tests.sandbox.cloud import Cloud, efa

TAGS = {"gpukit/stack": "dev", "gpukit/pool": "a100"}
GPU = {"instanceTypes": ["p4d.24xlarge"], "amiType": "AL2023_x86_64_NVIDIA"}


@pytest.fixture
def cluster(cloud: Cloud) -> Record:
    return cloud.cluster()


def pool(cloud: Cloud, cluster: Record, **changes: Any) -> Record:
    given = {"template": cloud.template(networkInterfaces=efa(4)), "desired": 0, "tags": TAGS, **GPU}
    return cloud.group(cluster, **{**given, **changes})


def release(cloud: Cloud, cluster: Record, chart: str, **values: Any) -> Record:
    from scripts.sandbox import kinds
    from scripts.sandbox.kinds.kind import Order
    from scripts.sandbox.place import Place

    inputs = {
        "name": chart,
        "chart": chart,
        "namespace": "kube-system",
        "repositoryOpts": {"repo": "https://charts.invalid"},
        "values": values,
    }
    place = Place.of(cluster.key).in_cluster(cluster.id)
    return cloud.world.create(kinds.kind(k8s.RELEASE), Order(world=cloud.world, place=place, token=k8s.RELEASE, name=chart, inputs=inputs))


def offered(cloud: Cloud, cluster: Record) -> dict[str, str]:
    (node,) = cloud.world.store.of_kind(k8s.NODE, f"k8s/{cluster.key}/{cluster.id}")
    allocatable = api_server.seen(cloud.world, node)["status"]["allocatable"]
    return {name: value for name, value in allocatable.items() if "/" in name}


def test_a_node_offers_gpus_and_efa_only_when_their_plugins_are_installed(cloud: Cloud, cluster: Record):
    pool(cloud, cluster, desired=1)
    assert offered(cloud, cluster) == {"nvidia.com/gpu": "0", "vpc.amazonaws.com/efa": "0"}
    release(cloud, cluster, "gpu-operator", driver={"enabled": False}, toolkit={"enabled": False})
    release(cloud, cluster, "aws-efa-k8s-device-plugin")
    assert offered(cloud, cluster) == {"nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "4"}


@pytest.mark.failure("I6")
def test_slices_are_offered_under_their_own_name_on_nodes_with_the_label_alone(cloud: Cloud, cluster: Record):
    from components.sharing import plugin_configs

    config = {"name": "gpukit", "data": plugin_configs([4])}
    group = pool(cloud, cluster, desired=1)
    release(cloud, cluster, "gpu-operator", devicePlugin={"config": config})
    assert offered(cloud, cluster)["nvidia.com/gpu"] == "8"
    cloud.change(group, labels={"nvidia.com/device-plugin.config": "slices-4"})
    assert offered(cloud, cluster)["nvidia.com/gpu.shared"] == "32"
    assert "nvidia.com/gpu" not in offered(cloud, cluster)


def test_an_operator_without_device_plugin_offers_nothing(cloud: Cloud, cluster: Record):
    pool(cloud, cluster, desired=1)
    release(cloud, cluster, "gpu-operator", devicePlugin={"enabled": False})
    assert offered(cloud, cluster)["nvidia.com/gpu"] == "0"


def test_an_image_without_driver_needs_the_operators(cloud: Cloud, cluster: Record):
    pool(cloud, cluster, desired=1, amiType="AL2023_x86_64_STANDARD")
    operator = release(cloud, cluster, "gpu-operator", driver={"enabled": False})
    assert offered(cloud, cluster)["nvidia.com/gpu"] == "0"
    cloud.delete(operator)
    release(cloud, cluster, "gpu-operator", driver={"enabled": True})
    assert offered(cloud, cluster)["nvidia.com/gpu"] == "8"


def test_bottlerocket_brings_its_device_plugin(cloud: Cloud, cluster: Record):
    pool(cloud, cluster, desired=1, amiType="BOTTLEROCKET_x86_64_NVIDIA")
    assert offered(cloud, cluster)["nvidia.com/gpu"] == "8"


def test_labels_and_taints_of_the_group_are_on_its_nodes(cloud: Cloud, cluster: Record):
    taint = {"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}
    pool(cloud, cluster, desired=1, labels={"gpukit.dev/pool": "a100"}, taints=[taint])
    (node,) = cloud.world.store.of_kind(k8s.NODE, f"k8s/{cluster.key}/{cluster.id}")
    assert node.state["metadata"]["labels"]["gpukit.dev/pool"] == "a100"
    assert node.state["spec"]["taints"] == [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}]


def test_load_makes_a_pool_of_none_grow_and_its_end_makes_it_shrink(cloud: Cloud, cluster: Record):
    group = pool(cloud, cluster)
    done = load.set_load(cloud.world, stack="dev", pool="a100", nodes=2, gpu_busy=0.9)
    assert (done["desired"], done["running"], done["pending"]) == (2, 2, 0)
    assert [i.state["gpuBusy"] for i in cloud.running()] == [0.9, 0.9]
    assert cloud.now(group).inputs["scalingConfig"]["desiredSize"] == 2
    pods = cloud.world.store.of_kind(k8s.POD, f"k8s/{cluster.key}/{cluster.id}")
    assert {p.state["status"]["phase"] for p in pods} == {"Running"}
    assert pods[0].state["spec"]["containers"][0]["resources"]["limits"] == {"nvidia.com/gpu": "8"}
    load.set_load(cloud.world, stack="dev", pool="a100", nodes=0, gpu_busy=0)
    assert not cloud.running() + cloud.world.store.of_kind(k8s.POD, f"k8s/{cluster.key}/{cluster.id}")


def test_load_beyond_the_maximum_stays_pending_and_says_why(cloud: Cloud, cluster: Record):
    pool(cloud, cluster)
    done = load.set_load(cloud.world, stack="dev", pool="a100", nodes=6, gpu_busy=1)
    assert (done["running"], done["pending"], done["why_pending"]) == (4, 2, "the pool's maximum")


def test_load_without_stock_stays_pending_and_says_why(cloud: Cloud, cluster: Record):
    pool(cloud, cluster)
    cloud.world.faults.add("capacity", {"machine": "p4d*", "zone": "us-east-1a"})
    done = load.set_load(cloud.world, stack="dev", pool="a100", nodes=1, gpu_busy=1)
    assert (done["running"], done["pending"]) == (0, 1)
    assert "InsufficientInstanceCapacity" in done["why_pending"]


def test_load_on_a_pool_that_is_not_there_names_those_that_are(cloud: Cloud, cluster: Record):
    pool(cloud, cluster)
    with pytest.raises(BadInput, match=r"no pool 'h100' of stack 'dev'.*a100"):
        load.set_load(cloud.world, stack="dev", pool="h100", nodes=1, gpu_busy=1)


@pytest.mark.parametrize("value", ["-1", "two", None, True, 1.5])
def test_a_count_that_is_none_is_refused(value: object):
    with pytest.raises(BadInput, match="whole number"):
        load.node_count(value)


@pytest.mark.parametrize("value", ["-0.1", "1.1", "all", None])
def test_a_share_outside_of_0_to_1_is_refused(value: object):
    with pytest.raises(BadInput, match="between 0 and 1"):
        load.share(value)


def test_a_declared_quota_caps_what_starts_and_the_rest_is_plenty(cloud: Cloud, cluster: Record):
    with cloud.world.store.transaction():
        cloud.world.store.set_meta(quotas={"L-7212CCBC": 192.0})
    pool(cloud, cluster, capacityType="SPOT")
    done = load.set_load(cloud.world, stack="dev", pool="a100", nodes=3, gpu_busy=1)
    assert done["running"] == 2
    assert "MaxSpotInstanceCountExceeded" in done["why_pending"]


def test_on_demand_and_spot_draw_on_quotas_of_their_own(cloud: Cloud, cluster: Record):
    with cloud.world.store.transaction():
        cloud.world.store.set_meta(quotas={"L-7212CCBC": 0.0})
    pool(cloud, cluster)
    assert load.set_load(cloud.world, stack="dev", pool="a100", nodes=2, gpu_busy=1)["running"] == 2


@pytest.mark.failure("A6")
def test_a_subnet_without_addresses_stops_the_growth(cloud: Cloud, cluster: Record):
    vpc = cloud.all(t.VPC)[0]
    small = cloud.subnet(vpc, "a", cidr="10.0.240.0/28")
    interfaces = efa(4, primary="efa", kind="efa")
    pool(cloud, cluster, template=cloud.template(networkInterfaces=interfaces[1:]), subnetIds=[small.id])
    done = load.set_load(cloud.world, stack="dev", pool="a100", nodes=4, gpu_busy=1)
    assert done["running"] == 2  # eleven free addresses, four a node
    assert "InsufficientFreeAddresses" in done["why_pending"]


@pytest.mark.failure("A6")
def test_efa_only_interfaces_take_no_address(cloud: Cloud, cluster: Record):
    vpc = cloud.all(t.VPC)[0]
    small = cloud.subnet(vpc, "a", cidr="10.0.240.0/28")
    pool(cloud, cluster, subnetIds=[small.id])
    assert load.set_load(cloud.world, stack="dev", pool="a100", nodes=4, gpu_busy=1)["running"] == 4


def test_an_ended_instance_leaves_what_it_was_told_to_leave_and_is_forgotten_after_an_hour(cloud: Cloud, cluster: Record):
    from datetime import timedelta

    interfaces = efa(4, deleteOnTermination="true")
    interfaces[1]["deleteOnTermination"] = "false"
    group = pool(cloud, cluster, desired=1, template=cloud.template(networkInterfaces=interfaces))
    cloud.delete(group)
    left = [i for i in cloud.all(t.NETWORK_INTERFACE) if i.status == "available"]
    assert len(left) == 1
    assert [i.status for i in cloud.all(t.INSTANCE)] == ["terminated"]
    cloud.world.clock.advance(timedelta(hours=2))
    with cloud.world.store.transaction():
        scaling.forget_terminated(cloud.world, cluster.key)
    assert not cloud.all(t.INSTANCE)


def test_pods_beyond_the_nodes_are_told_as_left_out() -> None:
    assert "5 pods were asked for" in pods_left_out(nodes=2, pods=5)
    assert not pods_left_out(nodes=2, pods=2)
