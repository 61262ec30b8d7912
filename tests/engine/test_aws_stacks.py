"""Both AWS stacks on the real engine: up, an update that touches nothing else, a policy that stops, destroy; seen through the cloud's own APIs."""

from __future__ import annotations

from typing import Any

import pytest

from scripts.engine.prepare import workspace_of
from scripts.engine.session import Session
from scripts.errors import Exit, Refused
from tests.engine.clouds import Asked, Clouds

pytestmark = [pytest.mark.engine]
REGION = "us-east-1"
TRAINING, INFERENCE = "aws-training-dev", "aws-inference-dev"


def kubeconfig(clouds: Clouds, stack: str) -> str:
    text = Session(workspace_of(clouds.checkout, "sandbox", lambda _: None), stack).secret_output("kubeconfig")
    assert text
    return text


def what_still_bills(clouds: Clouds) -> list[str]:
    """ARNs of everything that carries tags, but for data kept on purpose.

    EC2 goes on listing an instance for a while after it was terminated: those do not bill.
    """
    listed = clouds.boto3("resourcegroupstaggingapi", REGION).get_resources()["ResourceTagMappingList"]
    found = [each for each in listed if {"Key": "gpukit/kept", "Value": "data"} not in each["Tags"]]
    instances = [i for r in clouds.boto3("ec2", REGION).describe_instances()["Reservations"] for i in r["Instances"]]
    terminated = {i["InstanceId"] for i in instances if i["State"]["Name"] == "terminated"}
    return [each["ResourceARN"] for each in found if each["ResourceARN"].rpartition("/")[2] not in terminated]


def assert_efa(instance: Any, node: Any) -> None:
    """The interfaces of the plan at the machine, and their devices in Kubernetes."""
    cards = [
        (n["Attachment"]["NetworkCardIndex"], n["Attachment"]["DeviceIndex"], n["InterfaceType"]) for n in instance["NetworkInterfaces"]
    ]
    assert cards == [(0, 0, "interface"), (0, 1, "efa-only"), (1, 0, "efa-only"), (2, 0, "efa-only"), (3, 0, "efa-only")]
    assert (node.status.allocatable["nvidia.com/gpu"], node.status.allocatable["vpc.amazonaws.com/efa"]) == ("8", "4")


@pytest.mark.parametrize(("stack", "pool", "machine"), [(TRAINING, "a100", "p4d.24xlarge"), (INFERENCE, "a10g", "g5.2xlarge")])
def test_a_stack_comes_up_stays_changes_and_goes(clouds: Clouds, stack: str, pool: str, machine: str) -> None:
    up = clouds.act("up", stack)
    assert up.exit is Exit.FINE, up.message
    assert up.changes["create"] > 30

    # The second door: the same world through the clients of the cloud and of Kubernetes.
    clouds.world.load(stack, pool, nodes=1)
    eks = clouds.boto3("eks", REGION)
    (cluster,) = eks.list_clusters()["clusters"]
    groups = [
        eks.describe_nodegroup(clusterName=cluster, nodegroupName=g)["nodegroup"]
        for g in eks.list_nodegroups(clusterName=cluster)["nodegroups"]
    ]
    assert {g["status"] for g in groups} == {"ACTIVE"}
    assert [machine] in [g.get("instanceTypes") for g in groups]
    instances = [i for r in clouds.boto3("ec2", REGION).describe_instances()["Reservations"] for i in r["Instances"]]
    gpu = [i for i in instances if i["InstanceType"] == machine]
    assert len(gpu) == 1
    assert {"Key": "gpukit/stack", "Value": stack} in gpu[0]["Tags"]

    from kubernetes import client

    core = client.CoreV1Api(clouds.kubernetes(kubeconfig(clouds, stack)))
    nodes = core.list_node().items
    assert len(nodes) == len(instances)
    if stack == TRAINING:
        (node,) = (n for n in nodes if n.metadata.labels["node.kubernetes.io/instance-type"] == machine)
        assert_efa(gpu[0], node)
    assert "gpu-operator" in {n.metadata.name for n in core.list_namespace().items}

    clouds.world.load(stack, pool, nodes=0)
    clouds.edit(stack, lambda cluster: cluster["pools"][0]["nodes"].update(max=cluster["pools"][0]["nodes"]["max"] - 1))
    asked = Asked()
    changed = clouds.act("up", stack, asked)
    assert changed.exit is Exit.FINE, changed.message
    assert changed.changes.keys() == {"same", "update"}, changed.changes
    assert asked.properties == {f"{stack}-{pool}": ("scalingConfig.maxSize",)}, "all else stays as it was made"

    down = clouds.act("destroy", stack)
    assert down.exit is Exit.FINE, down.message
    assert not clouds.boto3("eks", REGION).list_clusters()["clusters"]
    assert what_still_bills(clouds) == []


@pytest.mark.failure("J8")
def test_a_stack_above_its_budget_is_refused_before_the_engine_starts(clouds: Clouds) -> None:
    clouds.edit(TRAINING, lambda cluster: cluster["budget"].update(hourly_usd=10, monthly_usd=5000))
    with pytest.raises(Refused, match="GPU-COST-01"):
        clouds.act("up", TRAINING)
    assert not clouds.boto3("eks", REGION).list_clusters()["clusters"]


def test_a_changed_stack_file_with_an_error_changes_nothing(clouds: Clouds) -> None:
    from scripts.errors import BadInput

    clouds.edit(TRAINING, lambda cluster: cluster["pools"][0].update(machine="p4d.24xlarg"))
    with pytest.raises(BadInput, match=r"p4d\.24xlarge"):
        clouds.act("up", TRAINING)


@pytest.mark.long
def test_resources_of_a_stack_whose_state_is_lost_stop_the_first_up(clouds: Clouds) -> None:
    assert clouds.act("up", INFERENCE).exit is Exit.FINE
    for file in clouds.checkout.sandbox_state.rglob(f"{INFERENCE}.json*"):
        file.unlink()
    with pytest.raises(Refused, match="its identity exist"):
        clouds.act("up", INFERENCE)
