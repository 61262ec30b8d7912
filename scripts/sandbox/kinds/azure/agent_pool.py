"""AKS node pools and the scale set that each has in the cluster's node resource group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scripts.arm_paths import is_under, name_of, subscription_of
from scripts.sandbox.kinds.azure import nodes, scaling, sizes
from scripts.sandbox.kinds.azure import tokens as t
from scripts.sandbox.kinds.azure.arm import find, path_of, require, resource
from scripts.sandbox.kinds.azure.pool_rules import PoolOrder, refuse
from scripts.sandbox.kinds.azure.reservation import matching
from scripts.sandbox.kinds.azure.sizes import DEFAULT_OS_DISK_GIB
from scripts.sandbox.kinds.kind import Order
from scripts.sandbox.refusal import NotReady, Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_SHAPES = {
    "mode": "AgentPoolMode", "osDiskType": "OSDiskType", "osSKU": "OSSKU", "osType": "OSType", "kubeletDiskType": "KubeletDiskType",
    "scaleSetPriority": "ScaleSetPriority", "scaleSetEvictionPolicy": "ScaleSetEvictionPolicy", "scaleDownMode": "ScaleDownMode",
    "gpuInstanceProfile": "GPUInstanceProfile", "gpuProfile.driver": "GPUDriver", "upgradeSettings.undrainableNodeBehavior": "UndrainableNodeBehavior",
}  # fmt: skip
CLOSED = {path: ("containerservice", shape) for path, shape in _SHAPES.items()}
_ROLLING = ("orchestratorVersion", "osSKU", "linuxOSConfig", "kubeletConfig")


def cluster_of(world: Simulation, pool: Record) -> Record | None:
    return find(world, nodes.cluster_path(pool))


def pools_of(world: Simulation, cluster: Record) -> list[Record]:
    return [p for p in world.store.of_kind(t.AGENT_POOL, cluster.key) if is_under(p.id, cluster.id)]


def scale_set_of(world: Simulation, pool: Record) -> Record | None:
    return next((r for r in world.store.of_kind(t.SCALE_SET, pool.key) if r.state.get("pool") == pool.ref), None)


def _admit(order: Order) -> None:
    cluster = require(order.world, path_of(order).rpartition("/agentPools/")[0], by=path_of(order))
    if cluster.status not in ("Succeeded", "Updating"):
        raise Refusal(
            "OperationNotAllowed",
            f"Operation is not allowed while cluster {name_of(cluster.id)} is {cluster.status}.",
            source="cilium/cilium#25944",
            status=409,
        )
    refuse(
        PoolOrder(
            world=order.world,
            order=order,
            name=name_of(path_of(order)),
            wanted=order.inputs,
            location=str(cluster.state["location"]),
            cluster=cluster.state,
            path=path_of(order),
            before=order.before,
        )
    )


def properties(world: Simulation, wanted: Mapping[str, Any], cluster: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """A pool's properties with what AKS fills in."""
    spot = wanted.get("scaleSetPriority") == "Spot"
    overlay = (cluster.get("networkProfile") or {}).get("networkPluginMode") == "overlay"
    version = str(wanted.get("orchestratorVersion") or before.get("currentOrchestratorVersion") or cluster["currentKubernetesVersion"])
    made: dict[str, Any] = {
        "count": _count(wanted, before),
        "type": "VirtualMachineScaleSets",
        "mode": wanted.get("mode") or "User",
        "osType": "Linux",
        "osSKU": wanted.get("osSKU") or "Ubuntu",
        "osDiskType": wanted.get("osDiskType") or before.get("osDiskType") or default_disk(wanted),
        "osDiskSizeGB": int(wanted.get("osDiskSizeGB") or DEFAULT_OS_DISK_GIB),
        "kubeletDiskType": wanted.get("kubeletDiskType") or "OS",
        "maxPods": int(wanted.get("maxPods") or (250 if overlay else 30)),
        "currentOrchestratorVersion": version,
        "orchestratorVersion": version,
        "nodeImageVersion": before.get("nodeImageVersion") or "simulated",
        "powerState": {"code": "Running"},
        "provisioningState": before.get("provisioningState", "Succeeded"),
        "scaleDownMode": wanted.get("scaleDownMode") or "Delete",
        "upgradeSettings": wanted.get("upgradeSettings") or ({} if spot else {"maxSurge": "10%"}),
        "eTag": world.new_id("", 32),
    }
    return made | ({"scaleSetEvictionPolicy": wanted.get("scaleSetEvictionPolicy") or "Delete"} if spot else {})


def default_disk(wanted: Mapping[str, Any]) -> str:
    """AKS takes an ephemeral OS disk where the size has room for it (AKS documentation, ephemeral OS disks)."""
    size = sizes.find(str(wanted.get("vmSize") or ""))
    room = size.nvme_gib if size is not None and size.nvme_gib is not None else 0
    return "Ephemeral" if room >= int(wanted.get("osDiskSizeGB") or DEFAULT_OS_DISK_GIB) else "Managed"


def _count(wanted: Mapping[str, Any], before: Mapping[str, Any]) -> int:
    """With the autoscaler on, the number of nodes is its business: what a program writes counts only within the bounds."""
    if not wanted.get("enableAutoScaling"):
        return int(wanted["count"]) if wanted.get("count") is not None else int(before.get("count", 1))
    low, high = int(wanted.get("minCount") or 0), int(wanted.get("maxCount") or 0)
    return min(max(int(before.get("count", wanted.get("count") or low)), low), high)


def _outputs(order: Order, _: str) -> dict[str, Any]:
    cluster = require(order.world, path_of(order).rpartition("/agentPools/")[0], by=path_of(order))
    return properties(order.world, order.inputs, cluster.state, order.before.state if order.before else {})


def with_scale_set(order: Order, pool: Record) -> None:
    """The scale set of a new pool, empty at first."""
    world, cluster = order.world, cluster_of(order.world, pool)
    if cluster is None:
        return
    name = f"aks-{name_of(pool.id)}-{int(world.new_id('', 8), 16) % 10**8:08d}-vmss"
    group = f"/subscriptions/{subscription_of(pool.id)}/resourceGroups/{cluster.state['nodeResourceGroup']}"
    made = Record(
        kind=t.SCALE_SET,
        key=pool.key,
        id=f"{group}/providers/Microsoft.Compute/virtualMachineScaleSets/{name}",
        created=world.tick(),
        status="Succeeded",
        parent=pool.ref,
        state={"name": name, "type": "Microsoft.Compute/virtualMachineScaleSets", "provisioningState": "Succeeded", "pool": pool.ref},
    )
    world.store.put(_shaped(world, pool, cluster, made))
    mirror(world, cluster)


def _shaped(world: Simulation, pool: Record, cluster: Record, scale_set: Record) -> Record:
    """The scale set as its pool now wants it."""
    tags = {
        **{k: str(v) for k, v in (pool.state.get("tags") or {}).items()},
        "aks-managed-poolName": name_of(pool.id),
        "aks-managed-resourceNameSuffix": name_of(scale_set.id).split("-")[2],
    }
    state = {
        **scale_set.state,
        "location": cluster.state["location"],
        "size": sizes.machine(str(pool.state["vmSize"])).name,
        "priority": pool.state.get("scaleSetPriority") or "Regular",
        "zones": [str(z) for z in pool.state.get("availabilityZones") or ()],
        "subnetId": pool.state.get("vnetSubnetID") or str(cluster.state.get("managedSubnet") or ""),
        "ephemeral": pool.state["osDiskType"] == "Ephemeral",
        "osDiskGib": pool.state["osDiskSizeGB"],
        "placementGroup": pool.state.get("proximityPlacementGroupID") or "",
        "reservationGroup": _associated(world, pool),
        "sku": {"name": pool.state["vmSize"], "tier": "Standard", "capacity": len(scaling.vms(world, scale_set))},
        "tags": tags,
    }
    return replace(scale_set, state=state, tags=tags)


def _associated(world: Simulation, pool: Record) -> str:
    """The pool's reservation group, "" when it holds nothing of the size: AKS then makes the pool without it (AKS documentation)."""
    path = str(pool.state.get("capacityReservationGroupID") or "")
    group = find(world, path) if path else None
    return path if group is None or matching(world, group, str(pool.state["vmSize"])) else ""


def start_nodes(world: Simulation, pool: Record) -> None:
    """Settle: the pool's machines start. Raises NotReady when one cannot be had; the pool then stays as failed."""
    scale_set = scale_set_of(world, pool)
    if scale_set is None:
        return
    failure = scaling.reconcile(world, scale_set, int(pool.state["count"]))
    if failure is not None and pool.status == "Creating":
        world.store.put(replace(pool, status="Failed", state={**pool.state, "provisioningState": "Failed"}))
        raise NotReady(failure.code, f"Creating agent pool {name_of(pool.id)} failed: {failure.message}")


def change_nodes(order: Order, pool: Record) -> None:
    world, scale_set, cluster = order.world, scale_set_of(order.world, pool), cluster_of(order.world, pool)
    if scale_set is None or cluster is None:
        return
    changed = world.store.put(_shaped(world, pool, cluster, scale_set))
    before = order.before
    if before is not None and any(before.state.get(name) != pool.state.get(name) for name in _ROLLING):
        for vm in scaling.vms(world, changed):
            scaling.end(world, vm)
    nodes.relabel(world, pool, scaling.vms(world, changed))
    mirror(world, cluster)


def set_count(world: Simulation, pool: Record, count: int) -> Refusal | None:
    """Change a pool's number of nodes, as the autoscaler or a person does. Gives why nodes are missing, or None."""
    low, high = bounds(pool)
    if not low <= count <= high:
        raise Refusal("InvalidParameter", f"{count} nodes are outside of {low} to {high}.", source="AKS documentation, cluster autoscaler")
    pool = world.store.put(pool.with_state(count=count))
    scale_set, cluster = scale_set_of(world, pool), cluster_of(world, pool)
    failure = scaling.reconcile(world, scale_set, count) if scale_set else None
    if cluster is not None:
        mirror(world, cluster)
    return failure


def bounds(pool: Record) -> tuple[int, int]:
    """Fewest and most nodes that the autoscaler keeps; a pool without one may have any number."""
    if not pool.state.get("enableAutoScaling"):
        return 0, 1000
    return int(pool.state.get("minCount") or 0), int(pool.state.get("maxCount") or 0)


def mirror(world: Simulation, cluster: Record) -> None:
    """A cluster shows all its pools, whoever made them (H9)."""
    present = world.store.by_ref(cluster.ref)
    if present is None:
        return
    hidden = ("resourceGroupName", "resourceName", "agentPoolName", "etag", "azureApiVersion", "location")
    shown = [{**{k: v for k, v in p.state.items() if k not in hidden}, "name": name_of(p.id)} for p in pools_of(world, present)]
    world.store.put(present.with_state(agentPoolProfiles=shown))


def _releases(world: Simulation, pool: Record) -> None:
    cluster = cluster_of(world, pool)
    if cluster is None or pool.state.get("mode") != "System":
        return
    if not [p for p in pools_of(world, cluster) if p.state.get("mode") == "System" and p.ref != pool.ref]:
        raise Refusal(
            "OperationNotAllowed",
            "There has to be at least one system agent pool.",
            source="kubernetes-sigs/cluster-api-provider-azure#1355, pulumi-azure-native#1575",
        )


def drain(world: Simulation, pool: Record) -> None:
    """The pool's scale set and all its machines go with it."""
    scale_set = scale_set_of(world, pool)
    if scale_set is not None:
        scaling.end_all(world, scale_set)
        world.store.drop(world.store.by_ref(scale_set.ref) or scale_set)


def _deleted(world: Simulation, pool: Record) -> None:
    drain(world, pool)
    cluster = cluster_of(world, pool)
    if cluster is not None:
        shown = [p for p in cluster.state.get("agentPoolProfiles") or () if p.get("name") != name_of(pool.id)]
        world.store.put(cluster.with_state(agentPoolProfiles=shown))


KINDS = (
    resource(
        t.AGENT_POOL,
        admit=_admit,
        outputs=_outputs,
        created=with_scale_set,
        settle=start_nodes,
        updated=change_nodes,
        releases=_releases,
        deleted=_deleted,
        replace={"gpuInstanceProfile", "vmSize", "networkProfile.nodePublicIPTags"},
        moving={"currentOrchestratorVersion", "nodeImageVersion", "eTag", "count", "upgradeSettings"},
        closed_sets=CLOSED,
        create_seconds=240,
        delete_seconds=180,
    ),
)
