"""The Azure stacks on the real engine: up, an update that touches nothing else, destroy; seen through the clients of Azure and of Kubernetes."""

from __future__ import annotations

from typing import Any

import pytest

from scripts.engine.prepare import workspace_of
from scripts.engine.session import Session
from scripts.errors import Exit, Failed, Refused
from tests.engine.clouds import Asked, Clouds

pytestmark = [pytest.mark.engine]
TRAINING, INFERENCE = "azure-training-dev", "azure-inference-dev"
INFINIBAND, PRODUCTION = "azure-training-ndh100", "azure-inference-prod"


def nodes(clouds: Clouds, stack: str, machine: str) -> list[Any]:
    """The cluster's nodes of one size, through the kubeconfig that the stack gives."""
    from kubernetes import client

    text = Session(workspace_of(clouds.checkout, "sandbox", lambda _: None), stack).secret_output("kubeconfig")
    assert text
    core = client.CoreV1Api(clouds.kubernetes(text))
    return core.list_node(label_selector=f"node.kubernetes.io/instance-type={machine}").items


def what_still_bills(clouds: Clouds) -> list[str]:
    """Paths of everything that is left, but for data kept on purpose."""
    from azure.mgmt.resource.resources import ResourceManagementClient

    resources = clouds.azure(ResourceManagementClient)
    left = [*resources.resource_groups.list(), *resources.resources.list()]
    return [each.id for each in left if (each.tags or {}).get("gpukit-kept") != "data"]


@pytest.mark.parametrize(
    ("stack", "pool", "machine"), [(TRAINING, "a100", "Standard_NC96ads_A100_v4"), (INFERENCE, "a10", "Standard_NV12ads_A10_v5")]
)
def test_a_stack_comes_up_stays_changes_and_goes(clouds: Clouds, stack: str, pool: str, machine: str) -> None:
    from azure.mgmt.compute import ComputeManagementClient
    from azure.mgmt.containerservice import ContainerServiceClient

    up = clouds.act("up", stack)
    assert up.exit is Exit.FINE, up.message
    assert up.changes["create"] > 20

    # The second door: the same world through the clients of the cloud and of Kubernetes.
    clouds.world.load(stack, pool, nodes=1)
    aks = clouds.azure(ContainerServiceClient)
    (cluster,) = aks.managed_clusters.list()
    group = cluster.id.split("/")[4]
    pools = {each.vm_size: each for each in aks.agent_pools.list(group, cluster.name)}
    assert {each.provisioning_state for each in pools.values()} == {"Succeeded"}
    assert (pools[machine].count, pools[machine].tags["gpukit-stack"]) == (1, stack)
    scale_sets = clouds.azure(ComputeManagementClient).virtual_machine_scale_sets.list(cluster.node_resource_group)
    assert [each.tags["gpukit-stack"] for each in scale_sets if each.sku.name == machine] == [stack]
    (node,) = nodes(clouds, stack, machine)
    assert int(node.status.allocatable["nvidia.com/gpu"]) > 0

    clouds.world.load(stack, pool, nodes=0)
    clouds.edit(stack, lambda cluster: cluster["pools"][0]["nodes"].update(max=cluster["pools"][0]["nodes"]["max"] - 1))
    asked = Asked()
    changed = clouds.act("up", stack, asked)
    assert changed.exit is Exit.FINE, changed.message
    assert changed.changes.keys() == {"same", "update"}, changed.changes
    assert asked.properties == {f"{stack}-{pool}": ("maxCount",)}, "all else stays as it was made"

    down = clouds.act("destroy", stack)
    assert down.exit is Exit.FINE, down.message
    assert what_still_bills(clouds) == []


@pytest.mark.long
@pytest.mark.failure("E13")
def test_infiniband_nodes_share_a_fabric_and_show_their_devices(clouds: Clouds) -> None:
    import httpx

    feature = "subscriptions/00000000-0000-0000-0000-000000000000/providers/Microsoft.Features/providers/Microsoft.ContainerService"
    address = f"{clouds.endpoints.http}/azure/{feature}/features/AKSInfinibandSupport/register?api-version=2021-07-01"
    httpx.post(address, headers={"Authorization": "Bearer simulated"}, trust_env=False).raise_for_status()
    up = clouds.act("up", INFINIBAND)
    assert up.exit is Exit.FINE, up.message
    found = nodes(clouds, INFINIBAND, "Standard_ND96isr_H100_v5")
    assert len(found) > 1
    assert {(n.status.allocatable["nvidia.com/gpu"], n.status.allocatable["rdma/ib"]) for n in found} == {("8", "8")}
    assert set(clouds.act("up", INFINIBAND).changes) <= {"same"}


@pytest.mark.long
def test_a_protected_stack_comes_up_and_is_not_destroyed(clouds: Clouds) -> None:
    up = clouds.act("up", PRODUCTION)
    assert up.exit is Exit.FINE, up.message
    assert set(clouds.act("up", PRODUCTION).changes) <= {"same"}
    down = clouds.act("destroy", PRODUCTION)
    assert down.exit is not Exit.FINE
    assert "protected" in down.message


@pytest.mark.long
def test_resources_of_a_stack_whose_state_is_lost_stop_the_first_up(clouds: Clouds) -> None:
    assert clouds.act("up", INFERENCE).exit is Exit.FINE
    for file in clouds.checkout.sandbox_state.rglob(f"{INFERENCE}.json*"):
        file.unlink()
    with pytest.raises(Refused, match="its identity exist"):
        clouds.act("up", INFERENCE)


@pytest.mark.long
def test_a_subscription_that_is_not_the_worlds_is_refused_before_anything_is_made(clouds: Clouds) -> None:
    clouds.edit(INFERENCE, lambda cluster: cluster.update(account="11111111-2222-3333-4444-555555555555"))
    with pytest.raises(Failed, match="is not there for these credentials"):
        clouds.act("up", INFERENCE)
    assert what_still_bills(clouds) == []


@pytest.mark.long
@pytest.mark.failure("H12")
def test_a_pool_whose_create_was_lost_is_not_made_twice(clouds: Clouds) -> None:
    from azure.mgmt.containerservice import ContainerServiceClient

    clouds.world.start()
    clouds.world.fault("fail_after_create", type="azure-native:containerservice:AgentPool", times=1)
    assert clouds.act("up", INFERENCE).exit is not Exit.FINE
    with pytest.raises(Refused, match="would make again"):
        clouds.act("up", INFERENCE)
    aks = clouds.azure(ContainerServiceClient)
    (cluster,) = aks.managed_clusters.list()
    assert len(list(aks.agent_pools.list(cluster.id.split("/")[4], cluster.name))) == 2
