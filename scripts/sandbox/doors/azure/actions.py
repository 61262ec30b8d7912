"""Operations that are no create and no delete: power of machines, credentials of clusters, machines of a pool."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from scripts.arm_paths import name_of
from scripts.sandbox.kinds.azure import agent_pool, scaling
from scripts.sandbox.kinds.azure import tokens as t
from scripts.sandbox.kinds.azure.cluster import kubeconfig
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.simulation import Simulation
from scripts.sandbox.store import Record

Json = dict[str, Any]
Action = Callable[[Simulation, Record, Mapping[str, Any]], Json | None]
_AKS = "AKS REST reference"


def _user_credential(world: Simulation, cluster: Record, _: Mapping[str, Any]) -> Json:
    text = json.dumps(kubeconfig(world, cluster.id))
    return {"kubeconfigs": [{"name": "clusterUser", "value": base64.b64encode(text.encode()).decode()}]}


def _admin_credential(_: Simulation, cluster: Record, __: Mapping[str, Any]) -> Json:
    if cluster.state.get("disableLocalAccounts"):
        message = "Getting static credential is not allowed because this cluster is set to disable local accounts."
        raise Refusal("BadRequest", message, source="AKS documentation, manage local accounts")
    raise Refusal("NotSupported", "the simulated AKS gives no static credential", source="this world's own rule")


def _stop(world: Simulation, cluster: Record, _: Mapping[str, Any]) -> None:
    """All nodes go, the cluster does not answer; what it keeps comes back at its start."""
    for pool in agent_pool.pools_of(world, cluster):
        scale_set = agent_pool.scale_set_of(world, pool)
        if scale_set is not None:
            scaling.end_all(world, scale_set)
        world.store.put((world.store.by_ref(pool.ref) or pool).with_state(powerState={"code": "Stopped"}))
    present = world.store.by_ref(cluster.ref) or cluster
    world.store.put(replace(present, status="Stopped", state={**present.state, "powerState": {"code": "Stopped"}}))


def _start(world: Simulation, cluster: Record, _: Mapping[str, Any]) -> None:
    present = world.store.by_ref(cluster.ref) or cluster
    world.store.put(replace(present, status="Succeeded", state={**present.state, "powerState": {"code": "Running"}}))
    for pool in agent_pool.pools_of(world, cluster):
        running = world.store.put(pool.with_state(powerState={"code": "Running"}))
        agent_pool.start_nodes(world, running)


def _delete_machines(world: Simulation, pool: Record, body: Mapping[str, Any]) -> None:
    """Certain nodes go, and the pool is smaller by them."""
    scale_set = agent_pool.scale_set_of(world, pool)
    named = {str(name) for name in body.get("machineNames") or ()}
    chosen = [vm for vm in (scaling.vms(world, scale_set) if scale_set else ()) if str(vm.state["computerName"]) in named]
    for vm in chosen:
        scaling.end(world, vm)
    agent_pool.set_count(world, world.store.by_ref(pool.ref) or pool, int(pool.state["count"]) - len(chosen))


def _chosen(world: Simulation, scale_set: Record, body: Mapping[str, Any]) -> list[Record]:
    ids = [str(each) for each in body.get("instanceIds") or ()]
    machines = [r for r in world.store.children(scale_set) if r.kind == t.SCALE_SET_VM]
    return [vm for vm in machines if not ids or "*" in ids or str(vm.state["instanceId"]) in ids]


def _delete_instances(world: Simulation, scale_set: Record, body: Mapping[str, Any]) -> None:
    chosen = _chosen(world, scale_set, body)
    for vm in chosen:
        scaling.end(world, vm)
    _keep_count(world, scale_set)


def _keep_count(world: Simulation, scale_set: Record) -> None:
    """A scale set, and the pool that owns it, want as many machines as are left."""
    present = world.store.by_ref(scale_set.ref) or scale_set
    left = len(scaling.vms(world, present))
    world.store.put(present.with_state(sku={**(present.state.get("sku") or {}), "capacity": left}))
    pool = world.store.by_ref(str(present.state.get("pool") or ""))
    if pool is not None:
        world.store.put(pool.with_state(count=left))


def _power(status: str) -> Action:
    def change(world: Simulation, vm: Record, body: Mapping[str, Any]) -> None:
        for each in _chosen(world, vm, body) if vm.kind == t.SCALE_SET else [vm]:
            world.store.put(replace(each, status=status, state={**each.state, "powerState": status}))

    return change


ACTIONS: Mapping[tuple[str, str], Action] = {
    (t.CLUSTER, "listclusterusercredential"): _user_credential,
    (t.CLUSTER, "listclusteradmincredential"): _admin_credential,
    (t.CLUSTER, "stop"): _stop,
    (t.CLUSTER, "start"): _start,
    (t.AGENT_POOL, "deletemachines"): _delete_machines,
    (t.SCALE_SET, "delete"): _delete_instances,
    **{
        (kind, verb): _power(status)
        for kind in (t.VM, t.SCALE_SET, t.SCALE_SET_VM)
        for verb, status in (("deallocate", "deallocated"), ("poweroff", "stopped"), ("start", "running"))
    },
}
"""By type and the last word of the path, in lower case."""


def action(record: Record, verb: str) -> Action:
    """Raises Refusal when the type has no such operation here."""
    found = ACTIONS.get((record.kind, verb.lower()))
    if found is None:
        known = ", ".join(sorted(v for k, v in ACTIONS if k == record.kind)) or "none"
        raise Refusal(
            "NotSupported", f"the simulated Azure does not {verb} {name_of(record.id)}: it knows {known}", source="this world's own rule"
        )
    return found
