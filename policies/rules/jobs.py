"""GPU-JOB: pods with GPUs find a node, talk to each other, and survive the loss of a node."""

from __future__ import annotations

from collections.abc import Iterator

from components.inventory import GpuPool, Market, Pod, Workload
from components.unknown import Maybe, Unknown, known
from policies.finding import Level
from policies.readers.values import all_of, any_of, denied, mapped

from .clusters import gpu_pools_of, landing
from .gangs import gangs, several_jobs
from .pods import GPU, at, called, containers, fits, gpu_pods, gpus, most, pods, untolerated
from .pools import rows
from .rule import Case, Place, Rule, Scope, Verdict, judged, listed

SHM = "/dev/shm"  # noqa: S108 # a mount path in a pod, nothing that is written here
OBJECT_STORES = ("s3://", "gs://", "az://", "abfs://", "wasbs://")
_SOCKETS = "GLOO_SOCKET_IFNAME"
_GIB = 2.0**30


def _no_shared_memory(case: Case) -> Iterator[Verdict]:
    least = case.settings.limits.thresholds.shared_memory_gib
    so = "it cannot be told whether its processes have shared memory"
    for load, pod in gpu_pods(case):
        many = mapped(gpus(pod), lambda count: count >= 2)
        text = (
            f"a pod with several GPUs and no memory volume on {SHM}, which is 64 MiB by default. Data loaders and NCCL end with a bus error or "
            f"'No space left on device'. Mount an emptyDir of medium Memory there, {least} GiB or more (thresholds.shared_memory_gib), within the "
            "memory limit."
        )
        yield from judged(all_of([many, denied(_shares_memory(pod))]), at(load, pod, "spec.volumes"), text, so)


def _shares_memory(pod: Pod) -> Maybe[bool]:
    in_memory = pod.memory_volumes
    mounts = [mapped(container.mounts, lambda found: found.get(SHM)) for container in containers(pod)]
    return any_of(mapped(name, lambda said: mapped(in_memory, lambda held: said is not None and said in held)) for name in mounts)


def _wrong_interface(case: Case) -> Iterator[Verdict]:
    so = "it cannot be told whether Gloo finds its interface"
    for load, pod in pods(case):
        for container in containers(pod):
            said = mapped(container.env, lambda env: env.get(_SOCKETS))
            text = (
                f"{_SOCKETS} is {said!r}: Gloo takes one interface by its name, and neither lists nor exclusions as NCCL does. It finds no address and "
                "the job never starts. Set the name at start from the route to the leader, or leave the variable out."
            )
            wrong = mapped(said, lambda name: name is not None and (name.startswith("^") or "," in name))
            yield from judged(wrong, Place(load.urn, called(load), f"{container.path}.env"), text, so)


def _small_memory(case: Case) -> Iterator[Verdict]:
    """G6: a killed peer looks like a fault of the network."""
    for load, pod, pool in _landing(case):
        for row in rows(pool):
            if not row.gpu_count or gpus(pod) != row.gpu_count:
                continue
            limits = [most(container.limits, "memory") for container in containers(pod)]
            small = any_of(mapped(limit, lambda size, row=row: size is not None and size < row.memory_gib * _GIB / 2) for limit in limits)
            text = (
                f"takes all GPUs of {row.name} and limits its memory to less than half of the {row.memory_gib:,.0f} GiB that nobody else can use. "
                "When it is killed for memory the other ranks report an error of the network. Raise limits.memory to near the node's size."
            )
            yield from judged(small, at(load, pod, "spec.containers"), text, "it cannot be told whether its memory suffices")


def _landing(case: Case) -> Iterator[tuple[Workload, Pod, GpuPool]]:
    """Pods with GPUs, each with every GPU pool on which it may land."""
    for load, pod in gpu_pods(case):
        for pool in landing(case, load, pod):
            yield load, pod, pool


def _pools_of(case: Case, load: Workload) -> list[GpuPool]:
    asking = [pod for pod in load.pods if gpus(pod) != 0]
    return [pool for pool in gpu_pools_of(case, load.cluster) if any(fits(pod, pool) for pod in asking)]


def _lost_work(case: Case) -> Iterator[Verdict]:
    """G9: every rank waits for the one that spot took away."""
    for load in several_jobs(case):
        markets = [pool.market for pool in _pools_of(case, load)]
        if not markets or any(market is not Market.SPOT for market in markets):
            continue
        text = (
            "several pods on spot nodes and no place for checkpoints that outlives them. The loss of one node ends the work of all. Mount a claim, or "
            "name a bucket in its environment or arguments."
        )
        so = "it cannot be told whether its work outlives a lost node"
        yield from judged(denied(any_of(_keeps(pod) for pod in load.pods)), Place(load.urn, called(load), "spec"), text, so)
        text = (
            "several pods on spot nodes that are restarted one by one. The other ranks wait for the lost one at full GPU load until NCCL times out. "
            "Restart the whole job: a JobSet with a failurePolicy, or an elastic launcher."
        )
        yield from judged(denied(load.whole_restart), Place(load.urn, called(load), "spec"), text, so, level=Level.ADVISORY)


def _keeps(pod: Pod) -> Maybe[bool]:
    stores: list[Maybe[bool]] = [mapped(pod.claims, bool)]
    for container in containers(pod):
        values = mapped(container.env, lambda env: any_of(mapped(said, _is_store) for said in env.values()))
        stores += [values, mapped(container.arguments, _is_store)]
    return any_of(stores)


def _is_store(said: str | None) -> bool:
    return said is not None and any(store in said for store in OBJECT_STORES)


def _no_node(case: Case) -> Iterator[Verdict]:
    """Pods that no node of the plan takes: for ever Pending, while the autoscaler has nothing to do."""
    for load, pod in gpu_pods(case):
        pools = gpu_pools_of(case, load.cluster)
        taints = {pool.name: _closed(pod, pool) for pool in pools}
        if pools and all(taints.values()):
            kept = dict.fromkeys(taint for own in taints.values() for taint in own)
            text = (
                f"asks for GPUs and tolerates none of the taints of {listed(taints)} ({listed(kept)}), so it stays Pending and no node starts. Add a "
                "toleration for one of them."
            )
            level = Level.ADVISORY if "Kueue" in gangs(load) else None
            yield from judged(True, at(load, pod, "spec.tolerations"), text, "", level=level)
            continue
        yield from _too_many(load, pod, [pool for pool in pools if not taints[pool.name]])


def _too_many(load: Workload, pod: Pod, pools: list[GpuPool]) -> Iterator[Verdict]:
    largest = max((row.gpu_count for pool in pools for row in rows(pool)), default=0.0)
    text = (
        f"asks for more {GPU} in one pod than any node of the plan has, which is {largest:g}, so it stays Pending. Spread it over several pods, or take "
        "a larger machine."
    )
    every_known = bool(pools) and all(rows(pool) for pool in pools)
    too_many = mapped(gpus(pod), lambda asked: every_known and asked > largest)
    yield from judged(too_many, at(load, pod, "spec.containers"), text, "it cannot be told whether a node has its GPUs")


def _closed(pod: Pod, pool: GpuPool) -> tuple[str, ...]:
    """GKE adds the toleration of its GPU taint by itself. What cannot be told fails GPU-READ-01."""
    kept = untolerated(pod, pool)
    return () if isinstance(kept, Unknown) else tuple(t for t in kept if not (pool.cloud == "gcp" and t.startswith(f"{GPU}=")))


def _no_deadline(case: Case) -> Iterator[Verdict]:
    for load in case.inventory.workloads:
        pools = _pools_of(case, load) if load.runs_to_end else []
        if not pools or any(pool.market is not Market.CAPACITY_BLOCK for pool in pools):
            continue
        text = (
            "a job on a capacity block without an end of its own. The block's nodes go half an hour before its end, with whatever was not saved. "
            "Set activeDeadlineSeconds to end 45 minutes before, with a checkpoint."
        )
        claim = mapped(load.deadline_s, lambda seconds: seconds is None)
        yield from judged(claim, Place(load.urn, called(load), "spec.activeDeadlineSeconds"), text, "it cannot be told when the job ends")


def _over_zones(case: Case) -> Iterator[Verdict]:
    for load in several_jobs(case):
        zones = {zone for pool in _pools_of(case, load) if known(pool.zones) for zone in pool.zones if known(zone)}
        if len(zones) < 2:
            continue
        text = (
            f"its pods may spread over {listed(sorted(zones))}, and nothing keeps them together: no fast fabric between them, and traffic is billed. "
            "Add required pod affinity or a topology request on the zone, or select one pool."
        )
        free = any_of(denied(pod.bound_to_zone) for pod in load.pods)
        yield from judged(free, Place(load.urn, called(load), "spec"), text, "it cannot be told whether its pods stay in one zone")


RULES = (
    Rule(
        id="GPU-JOB-01",
        title="Pods with several GPUs have shared memory",
        failures=("G5",),
        scope=Scope.STACK,
        check=_no_shared_memory,
        fix="volumes: [{name: shm, emptyDir: {medium: Memory, sizeLimit: 64Gi}}] mounted at /dev/shm",
        parameters=("thresholds.shared_memory_gib",),
    ),
    Rule(
        id="GPU-JOB-02",
        title="Gloo is given one interface by name",
        failures=("G7",),
        scope=Scope.STACK,
        check=_wrong_interface,
        fix="GLOO_SOCKET_IFNAME=eth0, or resolved at start",
    ),
    Rule(
        id="GPU-JOB-06",
        title="Pods that take a whole node may use its memory",
        failures=("G6",),
        scope=Scope.STACK,
        check=_small_memory,
        fix="limits: {memory: 1800Gi} on p5.48xlarge",
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-JOB-07",
        title="Jobs over several spot nodes keep checkpoints and restart as a whole",
        failures=("G9",),
        scope=Scope.STACK,
        check=_lost_work,
        fix="a JobSet with failurePolicy whose pods mount a claim for checkpoints",
    ),
    Rule(
        id="GPU-JOB-08",
        title="Pods with GPUs fit on some node of the plan",
        failures=("E6",),
        scope=Scope.STACK,
        check=_no_node,
        fix="tolerations: [{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}]",
    ),
    Rule(
        id="GPU-JOB-09",
        title="Jobs on a capacity block end before it does",
        failures=("B15",),
        scope=Scope.STACK,
        check=_no_deadline,
        fix="activeDeadlineSeconds in the job's spec",
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-JOB-10",
        title="Pods of one job stay in one zone",
        failures=("G10",),
        scope=Scope.STACK,
        check=_over_zones,
        fix="podAffinity required on topology.kubernetes.io/zone, or a nodeSelector of one pool",
        level=Level.ADVISORY,
    ),
)
