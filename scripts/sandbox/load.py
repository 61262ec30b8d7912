"""Load for a pool: pods that ask for whole nodes, and the autoscaler that follows them within the pool's bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from components import catalog
from scripts.errors import BadInput
from scripts.sandbox import clouds, objects
from scripts.sandbox.clouds import Pool
from scripts.sandbox.kinds import tokens as t
from scripts.sandbox.place import Place
from scripts.sandbox.simulation import Simulation
from scripts.sandbox.store import Record

NAMESPACE = "gpukit-load"
_KEPT_CHANGES = 50
"""Changes of an instance's load that its metrics remember."""
BUSY = "gpukit.dev/simulated-gpu-busy"


def node_count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str) or not str(value).isdigit():
        raise BadInput(f"nodes is {value!r}: give a whole number of nodes, 0 to remove the load.")
    return int(value)


def pod_count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str) or not str(value).isdigit():
        raise BadInput(f"pods is {value!r}: give a whole number of pods, at most as many as nodes.")
    return int(value)


def share(value: object) -> float:
    try:
        number = float(str(value))
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise BadInput(f"gpu_busy is {value!r}: give a share between 0 and 1.")
    return number


def set_load(  # noqa: PLR0913 # one parameter a setting
    world: Simulation, *, stack: str, pool: str, nodes: int, gpu_busy: float, pods: int | None = None
) -> dict[str, Any]:
    """Let `nodes` pods run on a pool, one a node, keeping its GPUs busy to the share `gpu_busy`; 0 nodes removes the load.

    `pods` fewer than nodes leaves nodes without a pod, as when nothing takes them away after their jobs. The pool grows and
    shrinks within its bounds; pods beyond them stay pending, as do pods for which no instance can be had.
    Raises BadInput when there is no such pool.
    """
    found = find_pool(world, stack, pool)
    with world.store.transaction():
        _clear(world, found)
        desired = max(found.minimum, min(nodes, found.maximum))
        failure = found.resize(desired)
        wanted = nodes if pods is None else min(pods, nodes)
        placed = _place_pods(world, found, wanted, gpu_busy)
    return {
        "stack": stack,
        "pool": pool,
        "desired": desired,
        "running": placed,
        "pending": wanted - placed,
        "why_pending": str(failure) if failure else ("the pool's maximum" if wanted > desired else None),
    }


def find_pool(world: Simulation, stack: str, pool: str) -> Pool:
    """The pool of a stack, by its identity tags, else by the pool's name in the cloud."""
    pools = [each for cloud in clouds.used(world) for each in cloud.pools(world)]
    mine = [each for each in pools if each.stack == stack]
    found = [each for each in mine if each.name == pool]
    if len(found) == 1:
        return found[0]
    known = ", ".join(sorted(each.name for each in mine)) or "none"
    stacks = ", ".join(sorted({each.stack for each in pools if each.stack})) or "none"
    raise BadInput(
        f"the simulated world has no pool {pool!r} of stack {stack!r}: pools of that stack: {known}; stacks in the world: {stacks}."
    )


def _clear(world: Simulation, pool: Pool) -> None:
    for pod in world.store.of_kind(t.POD, pool.cluster_key):
        if pod.tags.get("load") == pool.record.id:
            world.store.drop(pod)


def _place_pods(world: Simulation, pool: Pool, nodes: int, gpu_busy: float) -> int:
    key = pool.cluster_key
    if nodes and world.store.get(t.NAMESPACE, key, NAMESPACE) is None:
        objects.put(world, key, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    running = pool.instances()
    for at in range(nodes):
        instance = running[at] if at < len(running) else None
        objects.put(world, key, _pod(pool, instance, at, gpu_busy), tags={"load": pool.record.id})
    for at, instance in enumerate(running):
        busy = gpu_busy if at < nodes else 0.0
        history = [*instance.state.get("gpuBusyHistory", ()), [world.clock.text(), busy]][-_KEPT_CHANGES:]
        world.store.put(instance.with_state(gpuBusy=busy, gpuBusyHistory=history))
    return min(nodes, len(running))


def _pod(pool: Pool, instance: Record | None, at: int, gpu_busy: float) -> Mapping[str, Any]:
    cloud = clouds.of(Place.of(pool.record.key).cloud)
    machine = catalog.find_machine(cloud.name, pool.machine)
    gpus = int(machine.gpu_count) if machine else 0
    limits = {"nvidia.com/gpu": str(gpus)} if gpus else {"cpu": "1"}
    (own_name,) = pool.selector.values()
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"load-{own_name}-{at}",
            "namespace": NAMESPACE,
            "annotations": {BUSY: str(gpu_busy), "gpukit.dev/simulated": "true"},
        },
        "spec": {
            "containers": [{"name": "work", "image": "simulated.invalid/work", "resources": {"limits": limits, "requests": limits}}],
            "nodeSelector": dict(pool.selector),
            "tolerations": [{"operator": "Exists"}],
            **({"nodeName": cloud.node_name(instance)} if instance else {}),
        },
        "status": {"phase": "Running" if instance else "Pending"},
    }
