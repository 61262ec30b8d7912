"""What Kubernetes, queues, servers and the cloud say about a pool: proof of use, and reasons to doubt that nothing uses it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from components import catalog

from .rules import Rules
from .signals import Cluster, Node, Pod, Pool
from .which_gpu import NodeNames


@dataclass(frozen=True, kw_only=True)
class Mine:
    """The nodes and GPU pods of one pool."""

    nodes: tuple[Node, ...]
    running: tuple[Pod, ...]
    waiting: tuple[Pod, ...]
    """Pending pods that may start on it."""
    ended: tuple[Pod, ...]


JOBS = frozenset({
    "Job", "CronJob", "JobSet", "MPIJob", "PyTorchJob", "TFJob", "JAXJob", "XGBoostJob", "PaddleJob", "TrainJob", "RayCluster", "RayJob",
    "Workflow", "AppWrapper", "SparkApplication", "Notebook", "NodeSet", "LeaderWorkerSet",
})  # fmt: skip
"""Kinds whose pods work though they ask for no GPU: launchers, evaluation and data preparation on the processors of a GPU node."""
AGENTS = frozenset({
    "kube-system", "gpu-operator", "nvidia-gpu-operator", "nvidia-device-plugin", "nvidia-network-operator", "network-operator",
    "node-feature-discovery", "dcgm-exporter", "nvidia-dra-driver-gpu", "gke-managed-system", "gmp-system", "gke-gmp-system",
    "amazon-cloudwatch", "gatekeeper-system", "calico-system",
})  # fmt: skip
"""Namespaces whose DaemonSets serve the node itself. A DaemonSet elsewhere may serve a model."""


def node_names(cluster: Cluster) -> NodeNames:
    """Names of its nodes, to place counters and pods by."""
    return NodeNames.of((name, node.name) for node in cluster.nodes or () for name in (node.name, *node.aliases))


def without_gpus(cluster: Cluster, pool: Pool) -> bool:
    """Whether it is surely no pool of GPU machines: such pools a record may list, and nothing of them is judged."""
    machine = catalog.find_machine(cluster.cloud, pool.machine) if cluster.cloud and pool.machine else None
    if machine is not None and machine.accelerated:
        return False
    nodes = [node for node in cluster.nodes or () if node.pool == pool.name]
    if any(node.gpus for node in nodes) or any(pod.gpus and (pod.pool == pool.name) for pod in cluster.pods or ()):
        return False
    return pool.gpus_per_node == 0 or (machine is not None and not pool.gpus_per_node)


def of(cluster: Cluster, pool: Pool) -> Mine:
    """A pod whose node or pool is not known by the name that it gives may be on any pool: a misspelt name frees no machine."""
    nodes = tuple(node for node in cluster.nodes or () if node.pool == pool.name)
    names, mine = node_names(cluster), {node.name for node in nodes}
    pools = {each.name for each in cluster.pools or ()} | {node.pool for node in cluster.nodes or ()} | {pool.name}

    def here(pod: Pod) -> bool:
        node = None if pod.node is None else names.named(pod.node)
        if not pod.gpus:
            return (pod.node is None or node in mine) and pod.phase == "Running" and is_a_job(pod.kind, pod.namespace)
        if node is not None:
            return node in mine
        return pod.pool not in pools or pod.pool == pool.name

    pods = [pod for pod in cluster.pods or () if not _agent(pod) and here(pod)]
    return Mine(
        nodes=nodes,
        running=tuple(p for p in pods if p.phase in ("Running", "Unknown") and p.node is not None),
        waiting=tuple(p for p in pods if p.phase == "Pending" or (p.phase in ("Running", "Unknown") and p.node is None)),
        ended=tuple(p for p in pods if p.phase in ("Succeeded", "Failed")),
    )


def is_a_job(kind: str, namespace: str) -> bool:
    """Whether a pod that asks for no GPU does somebody's work, by the kind of its owner. One without an owner was made by a person."""
    return kind in JOBS or (not kind and namespace not in AGENTS)


def _agent(pod: Pod) -> bool:
    """Whether it checks or serves its node (I4): validators of the GPU Operator ask for a GPU too."""
    return pod.kind == "DaemonSet" and pod.namespace in AGENTS


def use(cluster: Cluster, mine: Mine, now: datetime, rules: Rules) -> str | None:
    """Why the pool is in use, apart from its counters; None when nothing says so."""
    window = timedelta(minutes=rules.window_minutes)
    if mine.running:
        pod = mine.running[0]
        more = f" and {len(mine.running) - 1} more" if len(mine.running) > 1 else ""
        return f"pod {pod.namespace}/{pod.name}{more} {'holds its GPUs' if pod.gpus else 'works on its nodes'}"
    if mine.waiting:
        return f"pod {mine.waiting[0].namespace}/{mine.waiting[0].name} waits for GPUs"
    recent = [pod for pod in mine.ended if pod.ended is not None and now - pod.ended < window]
    if recent:
        return f"pod {recent[0].namespace}/{recent[0].name} ended within the window"
    queue = next((q for q in cluster.queues or () if q.pending or q.admitted), None)
    if queue is not None:
        return f"queue {queue.name} has {queue.pending} waiting and {queue.admitted} admitted workloads"
    asked = None if cluster.workload == "training" else cluster.requests
    if asked is not None and asked.last is not None and now - asked.last < window and mine.nodes:
        return f"models were asked {asked.count} times, last at {asked.last:%H:%M}"
    return _young(cluster, mine, now, rules)


def _young(cluster: Cluster, mine: Mine, now: datetime, rules: Rules) -> str | None:
    """Grace: what has just been made is still being set up."""
    grace = timedelta(minutes=rules.grace_minutes(cluster.workload))
    skew = timedelta(minutes=rules.skew_minutes)
    for node in mine.nodes:
        if node.created is not None and -skew <= now - node.created < grace:
            return f"node {node.name} is {max((now - node.created).total_seconds(), 0) / 60:.0f} minutes old"
    return None


def doubt(cluster: Cluster, pool: Pool, mine: Mine, now: datetime, rules: Rules) -> str | None:
    """Why it is not known whether something uses the pool; None when all that matters is known."""
    if pool.current is None:
        return "how many machines bill is not known"
    if cluster.nodes is None or cluster.pods is None:
        return "nodes and GPU pods of the cluster are not known"
    if pool.current != len(mine.nodes):
        return f"{pool.current} machines bill and {len(mine.nodes)} are nodes of the cluster"
    if any(pod.ended is None for pod in mine.ended):
        return "when GPU pods ended is not known"
    if cluster.queues is None:
        return "whether jobs wait in a queue is not known"
    if cluster.requests is None and cluster.workload != "training":
        return "how often models are asked is not known"
    if cluster.workload != "training" and cluster.requests is not None and cluster.requests.count and cluster.requests.last is None:
        return "when models were asked last is not known"
    return _age_unknown(mine, now, rules)


def _age_unknown(mine: Mine, now: datetime, rules: Rules) -> str | None:
    skew = timedelta(minutes=rules.skew_minutes)
    for node in mine.nodes:
        if node.created is None:
            return f"the age of node {node.name} is not known"
        if node.created - now > skew:
            return f"node {node.name} was made in the future: a clock is wrong"
        if not node.ready:
            return f"node {node.name} is not ready: what runs on it is not known"
    return None
