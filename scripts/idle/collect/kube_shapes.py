"""Kubernetes objects as JSON -> nodes, pods, queues, whether anything serves. Pure.

Labels of pools: ours, and the clouds' own (EKS, GKE, AKS). Resource names: NVIDIA's device plugin and its sharing forms, MIG, TPU on GKE,
Neuron, AMD; a claim of dynamic resource allocation counts as asking for a GPU, as what it claims cannot be told from the pod.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any

from components import catalog
from components.inventory import Cloud
from components.naming import POOL_LABEL
from scripts.idle.evidence import is_a_job
from scripts.idle.signals import Node, Pod, Queue

POOL_LABELS = (
    POOL_LABEL,
    "eks.amazonaws.com/nodegroup",
    "cloud.google.com/gke-nodepool",
    "kubernetes.azure.com/agentpool",
    "agentpool",
    "karpenter.sh/nodepool",
)
RESOURCES = (
    "nvidia.com/gpu", "nvidia.com/mig-", "google.com/tpu", "aws.amazon.com/neuron", "amd.com/gpu", "volcano.sh/vgpu", "volcano.sh/gpu",
    "aliyun.com/gpu", "gpu.intel.com/", "habana.ai/gaudi",
)  # fmt: skip
"""Beginnings of names of accelerator resources."""
_PLAIN = ("cpu", "memory", "ephemeral-storage", "pods")
_EXPORTERS = ("dcgm-exporter", "gpu-exporter", "gpu_exporter", "nvidia-smi-exporter")
"""Parts of their pods' names. Old ones send that name as the host's (dcgm-exporter#78), scraping adds its address."""
_MACHINE = "node.kubernetes.io/instance-type"
_COUNT = "nvidia.com/gpu.count"
"""Physical GPUs of a node, whatever they are divided into (GPU feature discovery)."""

Object = Mapping[str, Any]
PoolNames = Mapping[str, str]
"""Pool by the cloud's own name of its node group."""


def labels_of(item: Object) -> Mapping[str, str]:
    return (item.get("metadata") or {}).get("labels") or {}


def pool_named(labels: Mapping[str, str], pools: PoolNames) -> str | None:
    """The pool that labels (or a node selector) name; None when they name none."""
    for label in POOL_LABELS:
        if labels.get(label):
            return pools.get(labels[label], labels[label])
    return None


def node(item: Object, cloud: Cloud, pools: PoolNames) -> Node:
    """A node with its pool, age and physical GPUs (None: as many as its machine has; 0: none)."""
    labels, metadata, status = labels_of(item), item["metadata"], item.get("status") or {}
    ready = next((c.get("status") == "True" for c in status.get("conditions") or () if c.get("type") == "Ready"), False)
    return Node(
        name=metadata["name"],
        pool=pool_named(labels, pools) or "(no pool)",
        created=time_of(metadata.get("creationTimestamp")),
        ready=ready,
        gpus=_physical(labels, status, cloud),
        aliases=tuple(sorted({str(each["address"]) for each in status.get("addresses") or () if each.get("address")} - {metadata["name"]})),
    )


def _physical(labels: Mapping[str, str], status: Mapping[str, Any], cloud: Cloud) -> int | None:
    if str(labels.get(_COUNT, "")).isdecimal():
        return int(labels[_COUNT])
    if any(name.startswith(RESOURCES) and quantity(count) for name, count in (status.get("capacity") or {}).items()):
        return None
    machine = catalog.find_machine(cloud, labels.get(_MACHINE, ""))
    return 0 if machine is not None and not machine.accelerated else None


def pod(item: Object, pools: PoolNames, gpu_nodes: Collection[str] = ()) -> Pod | None:
    """A pod that asks for GPUs, or one of a job that runs on a GPU node without; None for any other."""
    spec, status, metadata = item.get("spec") or {}, item.get("status") or {}, item["metadata"]
    gpus, kind = asked(spec), str((metadata.get("ownerReferences") or [{}])[0].get("kind") or "")
    phase = status.get("phase") or "Unknown"
    namespace = metadata.get("namespace") or "default"
    if not gpus and not (phase == "Running" and spec.get("nodeName") in gpu_nodes and is_a_job(kind, namespace)):
        return None
    return Pod(
        namespace=namespace,
        name=metadata["name"],
        phase=phase if phase in ("Pending", "Running", "Succeeded", "Failed") else "Unknown",
        gpus=gpus,
        node=spec.get("nodeName") or None,
        pool=pool_named(_wanted(spec), pools),
        since=time_of(status.get("startTime") or metadata.get("creationTimestamp")),
        ended=_ended(status) if phase in ("Succeeded", "Failed") else None,
        kind=kind,
    )


def exporter(item: Object) -> tuple[str, tuple[str, ...]] | None:
    """The node of an exporter of counters, with the names that those may carry in place of the node's: its pod's name and addresses."""
    spec, status, name = item.get("spec") or {}, item.get("status") or {}, str(item["metadata"]["name"])
    if not spec.get("nodeName") or spec.get("hostNetwork") or not any(word in name for word in _EXPORTERS):
        return None
    addresses = [str(each["ip"]) for each in status.get("podIPs") or () if each.get("ip")]
    return str(spec["nodeName"]), (name, *(addresses or [str(status["podIP"])] if status.get("podIP") else addresses))


def with_aliases(nodes: Iterable[Node], exporters: Iterable[tuple[str, tuple[str, ...]]]) -> tuple[Node, ...]:
    """Nodes with the names of their exporters added to their own."""
    more: dict[str, set[str]] = {}
    for node_, names in exporters:
        more.setdefault(node_, set()).update(names)
    return tuple(
        each.model_copy(update={"aliases": tuple(sorted({*each.aliases, *more[each.name]}))}) if each.name in more else each
        for each in nodes
    )


def asked(spec: Mapping[str, Any]) -> int:
    """GPUs (or parts of some) that a pod asks for under any name."""
    if spec.get("resourceClaims"):
        return 1
    running = sum(_asked_by(container) for container in spec.get("containers") or ())
    return max([running, *(_asked_by(container) for container in spec.get("initContainers") or ())])


def _asked_by(container: Mapping[str, Any]) -> int:
    resources = container.get("resources") or {}
    wanted = {**(resources.get("requests") or {}), **(resources.get("limits") or {})}
    return sum(quantity(count) for name, count in wanted.items() if name.startswith(RESOURCES))


def quantity(text: object) -> int:
    """A count of devices; 1 for what cannot be read, since something was asked for."""
    try:
        return int(str(text))
    except ValueError:
        return 1


def _wanted(spec: Mapping[str, Any]) -> Mapping[str, str]:
    """Labels that its node must have, where exactly one value is allowed."""
    found: dict[str, str] = dict(spec.get("nodeSelector") or {})
    required = ((spec.get("affinity") or {}).get("nodeAffinity") or {}).get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    terms = required.get("nodeSelectorTerms") or ()
    if len(terms) == 1:
        for each in terms[0].get("matchExpressions") or ():
            if each.get("operator") == "In" and len(each.get("values") or ()) == 1:
                found.setdefault(str(each["key"]), str(each["values"][0]))
    return found


def _ended(status: Mapping[str, Any]) -> datetime | None:
    """When its last container ended; of an evicted pod, which has none, the last change of its conditions."""
    states = [each.get("state") or {} for each in (*(status.get("containerStatuses") or ()), *(status.get("initContainerStatuses") or ()))]
    ends = [time_of((state.get("terminated") or {}).get("finishedAt")) for state in states]
    changes = [time_of(condition.get("lastTransitionTime")) for condition in status.get("conditions") or ()]
    return max((end for end in ends if end is not None), default=None) or max((at for at in changes if at is not None), default=None)


def kueue(queues: Iterable[Object], workloads: Iterable[Object]) -> tuple[Queue, ...]:
    """Kueue's queues with what waits and what holds quota, by their own status and by the workloads: the larger figure of both.

    Queues that hand out no accelerator and whose workloads ask for none are left out: they need no GPU node.
    """
    pending: dict[str, int] = {}
    admitted: dict[str, int] = {}
    for workload in workloads:
        status, spec = workload.get("status") or {}, workload.get("spec") or {}
        true = {condition.get("type") for condition in status.get("conditions") or () if condition.get("status") == "True"}
        if "Finished" in true or not _may_need_gpus(spec):
            continue
        holder = (status.get("admission") or {}).get("clusterQueue")
        if holder:
            admitted[holder] = admitted.get(holder, 0) + 1
        elif spec.get("active", True):  # one that was deactivated waits for nothing
            name = f"{workload['metadata'].get('namespace') or 'default'}/{spec.get('queueName') or 'no queue'}"
            pending[name] = pending.get(name, 0) + 1
    for queue in queues:
        name, status = queue["metadata"]["name"], queue.get("status") or {}
        if _of_processors(queue.get("spec") or {}) and name not in admitted:
            continue
        pending[name] = int(status.get("pendingWorkloads") or 0)
        admitted[name] = max(admitted.get(name, 0), int(status.get("admittedWorkloads") or 0), int(status.get("reservingWorkloads") or 0))
    return tuple(Queue(name=name, pending=pending.get(name, 0), admitted=admitted.get(name, 0)) for name in sorted({*pending, *admitted}))


def _may_need_gpus(spec: Mapping[str, Any]) -> bool:
    """Whether any of a workload's pods asks for a GPU; what does not say what its pods ask for may."""
    sets = spec.get("podSets") or ()
    return not sets or any(asked(((each.get("template") or {}).get("spec")) or {"resourceClaims": True}) for each in sets)


def _of_processors(spec: Mapping[str, Any]) -> bool:
    """Whether a queue hands out nothing but processors and memory."""
    covered = {str(name) for group in spec.get("resourceGroups") or () for name in group.get("coveredResources") or ()}
    return bool(covered) and all(name in _PLAIN or name.startswith("hugepages-") for name in covered)


def volcano(queues: Iterable[Object]) -> tuple[Queue, ...]:
    """Volcano's queues: pod groups that wait (pending, inqueue) and run (scheduling.volcano.sh/v1beta1, QueueStatus)."""
    found: list[Queue] = []
    for queue in queues:
        status = queue.get("status") or {}
        waiting = int(status.get("pending") or 0) + int(status.get("inqueue") or 0) + int(status.get("unknown") or 0)
        found.append(Queue(name=queue["metadata"]["name"], pending=waiting, admitted=int(status.get("running") or 0)))
    return tuple(found)


def serving(workloads: Iterable[tuple[str, Object]]) -> str | None:
    """The first object that serves models: a serving kind, or a Deployment or StatefulSet whose pods ask for GPUs. None: nothing serves."""
    for kind, item in workloads:
        template = ((item.get("spec") or {}).get("template") or {}).get("spec") or {}
        if kind not in ("Deployment", "StatefulSet") or asked(template):
            return f"{kind} {item['metadata'].get('namespace') or 'default'}/{item['metadata']['name']}"
    return None


def time_of(text: object) -> datetime | None:
    """An RFC 3339 time; None for none, or for what is no time."""
    if not isinstance(text, str) or not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else None
