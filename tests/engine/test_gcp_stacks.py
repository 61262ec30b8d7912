"""GCP stacks on the real engine: up, a change that touches nothing else, destroy; seen through Google's own clients."""

from __future__ import annotations

from typing import Any

import pytest
from google.cloud import compute_v1, container_v1

from scripts.engine.prepare import workspace_of
from scripts.engine.session import Session
from scripts.engine.stack_settings import settings_of
from scripts.errors import Exit, Refused
from tests.engine.clouds import ROOT, Asked, Clouds

pytestmark = [pytest.mark.engine]
TRAINING, INFERENCE = "gcp-training-dev", "gcp-inference-dev"
SHORT = {TRAINING, INFERENCE}
STACKS = sorted(path.stem.removeprefix("Pulumi.") for path in (ROOT / "stacks").glob("Pulumi.gcp-*.yaml"))


def project(clouds: Clouds, stack: str) -> str:
    return settings_of(clouds.checkout, stack).spec.account


def clusters(clouds: Clouds, stack: str) -> list[Any]:
    gke = clouds.google(container_v1.ClusterManagerClient, transport="rest")
    return list(gke.list_clusters(parent=f"projects/{project(clouds, stack)}/locations/-").clusters)


def machines(clouds: Clouds, stack: str) -> list[Any]:
    pages = clouds.google(compute_v1.InstancesClient).aggregated_list(project=project(clouds, stack))
    return [instance for _, scope in pages for instance in scope.instances]


def what_still_bills(clouds: Clouds, stack: str) -> list[str]:
    """Machines, disks and addresses in the project; buckets and file systems are kept on purpose, and so is the latter's range, which is free."""
    of = project(clouds, stack)
    found = [m.name for m in machines(clouds, stack)]
    for client, field in ((compute_v1.DisksClient, "disks"), (compute_v1.AddressesClient, "addresses")):
        listed = [each for _, scope in clouds.google(client).aggregated_list(project=of) for each in getattr(scope, field)]
        found += [each.name for each in listed if getattr(each, "purpose", "") != "VPC_PEERING"]
    return found


@pytest.mark.parametrize("stack", [stack if stack in SHORT else pytest.param(stack, marks=pytest.mark.long) for stack in STACKS])
def test_a_stack_comes_up_stays_changes_and_goes(clouds: Clouds, stack: str) -> None:
    clouds.edit(stack, lambda cluster: cluster.update(environment="dev"))  # elsewhere clusters are protected against deletion
    up = clouds.act("up", stack)
    assert up.exit is Exit.FINE, up.message

    if stack not in SHORT:
        again = clouds.act("preview", stack)
        assert again.exit is Exit.FINE
        assert set(again.changes) <= {"same"}, again.changes

    # The second door: the same world through the clients of Google and of Kubernetes.
    spec = settings_of(clouds.checkout, stack).spec
    pool = spec.pools[0]
    clouds.world.load(stack, pool.name, nodes=1)
    (cluster,) = clusters(clouds, stack)
    assert (cluster.status.name, cluster.resource_labels["gpukit-stack"]) == ("RUNNING", stack)
    mine = [m for m in machines(clouds, stack) if m.labels.get("gpukit-pool") == pool.name]
    assert len(mine) >= 1
    assert {m.labels["gpukit-stack"] for m in mine} == {stack}
    assert {m.machine_type.rsplit("/", 1)[-1] for m in mine} == {pool.machine}

    from kubernetes import client

    text = Session(workspace_of(clouds.checkout, "sandbox", lambda _: None), stack).secret_output("kubeconfig")
    assert text
    core = client.CoreV1Api(clouds.kubernetes(text))
    nodes = core.list_node().items
    assert len(nodes) == len(machines(clouds, stack))
    offered = [n.status.allocatable for n in nodes if n.metadata.name in {m.name for m in mine}]
    assert all(int(each.get("nvidia.com/gpu") or each.get("google.com/tpu") or 0) > 0 for each in offered)

    clouds.world.load(stack, pool.name, nodes=0)
    if stack in SHORT:  # the sizes of others are bound to their topology or reservation
        clouds.edit(stack, lambda cluster: cluster["pools"][0]["nodes"].update(max=cluster["pools"][0]["nodes"]["max"] - 1))
        asked = Asked()
        changed = clouds.act("up", stack, asked)
        assert changed.exit is Exit.FINE, changed.message
        assert changed.changes.keys() == {"same", "update"}, changed.changes
        assert asked.properties == {f"{stack}-{pool.name}": ("autoscaling.totalMaxNodeCount",)}, "all else stays as it was made"

    down = clouds.act("destroy", stack)
    assert down.exit is Exit.FINE, down.message
    assert not clusters(clouds, stack)
    assert what_still_bills(clouds, stack) == []


@pytest.mark.long
def test_resources_of_a_stack_whose_state_is_lost_stop_the_first_up(clouds: Clouds) -> None:
    assert clouds.act("up", INFERENCE).exit is Exit.FINE
    for file in clouds.checkout.sandbox_state.rglob(f"{INFERENCE}.json*"):
        file.unlink()
    with pytest.raises(Refused, match="its identity exist"):
        clouds.act("up", INFERENCE)


@pytest.mark.long
def test_a_cluster_of_whose_making_nobody_heard_stops_the_next_up(clouds: Clouds) -> None:
    clouds.world.fault("fail_after_create", type="gcp:container/cluster:Cluster")
    assert clouds.act("up", INFERENCE).exit is not Exit.FINE
    assert len(clusters(clouds, INFERENCE)) == 1
    with pytest.raises(Refused, match="would make again what exists outside of its state"):
        clouds.act("up", INFERENCE)
