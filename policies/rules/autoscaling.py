"""GPU-SCALE: pools that grow from nothing, grow by what is needed, and keep their nodes while a job runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from components.inventory import Chart, GpuPool, ManagedGroup, Manifest
from components.resource import name_of
from components.unknown import Maybe, Unknown, known
from policies.finding import Level
from policies.readers.charts import setting
from policies.readers.gpu_stack import OPERATOR
from policies.readers.kubernetes.pods import toleration_list
from policies.readers.values import all_of, any_of, items, mapped, quantity

from .clusters import charts, charts_of, gpu_pools_of
from .pods import EFA, GPU, closed_by
from .pools import accelerated, in_cluster_with_nvidia, place, rows, with_efa
from .rule import Case, Place, Rule, Scope, Verdict, judged, listed

AUTOSCALER = "cluster-autoscaler"
_SIZE = "scalingConfig.minSize"
PREFIX = "k8s.io/cluster-autoscaler/"
HINTS = f"{PREFIX}node-template/resources/"
ACCELERATOR = "k8s.amazonaws.com/accelerator"
VOLCANO = "volcano"
ENQUEUE = "enqueue"
OF_GPU: tuple[Mapping[str, str], ...] = ({"key": GPU, "operator": "Exists", "effect": "NoSchedule"},)
PLUGINS: Mapping[str, tuple[str, tuple[Mapping[str, str], ...]]] = {
    OPERATOR: ("daemonsets.tolerations", OF_GPU),
    "nvidia-device-plugin": ("tolerations", OF_GPU),
}
"""Charts that bring a device plugin: where they take tolerations, and those that they have by default."""
EFA_PLUGIN = "aws-efa-k8s-device-plugin"
WHEN_EMPTY = "WhenEmpty"


def _autoscaled(case: Case) -> Iterator[tuple[GpuPool, ManagedGroup]]:
    """Managed GPU groups whose size an autoscaler writes: its chart is here, or its tags are."""
    for pool in case.inventory.gpu_pools:
        if pool.managed is None or pool.nodes.minimum == pool.nodes.maximum:
            continue
        installed = bool(charts_of(case, AUTOSCALER, pool.cluster))
        tags = pool.managed.scaling_tags
        if installed or isinstance(tags, Unknown) or any(key.startswith(PREFIX) for key in tags):
            yield pool, pool.managed


def _own_groups(case: Case) -> Iterator[tuple[GpuPool, Maybe[frozenset[str]]]]:
    """Scaling groups of the program's own that an autoscaler finds by their tags."""
    for pool in case.inventory.gpu_pools:
        tags = pool.scaling_tags
        if tags is not None and (isinstance(tags, Unknown) or any(key.startswith(PREFIX) for key in tags)):
            yield pool, tags


def _from_zero(case: Case) -> Iterator[Verdict]:
    so = "it cannot be told whether it grows from no node"
    for pool, tags in (*((pool, group.scaling_tags) for pool, group in _autoscaled(case)), *_own_groups(case)):
        if known(pool.nodes.minimum) and pool.nodes.minimum > 0:
            continue
        wanted = [GPU] if any(row.vendor == "NVIDIA" for row in rows(pool)) else []
        wanted += [EFA] if with_efa(pool) is True else []
        missing = mapped(tags, lambda keys, wanted=wanted: [name for name in wanted if not _hinted(keys, name)])
        text = (
            f"grows from no node, and its scaling group has no tag {_tags(missing)}. Without a live node the autoscaler does not know what one would "
            "offer: pods stay Pending for ever. Put the tags on the scaling group itself (autoscaling.Tag); those of a managed group do not reach it."
        )
        yield from judged(mapped(missing, bool), place(pool, "scalingConfig.minSize"), text, so)


def _hinted(keys: frozenset[str], resource: str) -> bool:
    """Shares of a GPU have names of their own below NVIDIA's."""
    wanted = HINTS + resource
    return wanted in keys or (resource == GPU and any(key.startswith((f"{HINTS}nvidia.com/mig-", f"{wanted}.")) for key in keys))


def _tags(names: Maybe[list[str]]) -> str:
    return " or ".join(HINTS + name for name in names) if known(names) else ""


def _without_label(case: Case) -> Iterator[Verdict]:
    so = "it cannot be told whether the autoscaler waits for its GPUs"
    for pool, _ in _autoscaled(case):
        if not any(row.vendor == "NVIDIA" for row in rows(pool)):
            continue
        text = (
            f"an autoscaled GPU group without the label {ACCELERATOR}. A node is Ready before its GPUs are advertised, so that the autoscaler starts "
            "another, and another: two to four nodes for one pod. Give the group that label with the GPU's name."
        )
        yield from judged(mapped(pool.labels, lambda labels: ACCELERATOR not in labels), place(pool, "labels"), text, so)


def _untolerated(case: Case) -> Iterator[Verdict]:
    """F3: a node whose plugin is kept away never offers its GPUs, and nothing removes it."""
    for name, (path, usual) in PLUGINS.items():
        for chart in charts(case, name):
            for pool in gpu_pools_of(case, chart.cluster):
                if in_cluster_with_nvidia(pool):
                    yield from _kept_away(chart, pool, setting(chart, name, path), (path, usual))
    for chart in charts(case, EFA_PLUGIN):
        for pool in gpu_pools_of(case, chart.cluster):
            if with_efa(pool) is True:
                yield from _kept_away(chart, pool, setting(chart, EFA_PLUGIN, "tolerations"), ("tolerations", ()))


def _kept_away(chart: Chart, pool: GpuPool, said: object, usual: tuple[str, tuple[Mapping[str, str], ...]]) -> Iterator[Verdict]:
    path, ordinary = usual
    given = toleration_list(ordinary if said is None else said, f"{chart.name}.values.{path}")
    closed = mapped(given, lambda held: mapped(pool.taints, lambda taints: closed_by(taints, held)))
    text = (
        f"its plugin does not tolerate {listed(closed) if known(closed) else ''} of {pool.name}. Nodes there start, never offer their devices, and "
        f"stay, billed. Repeat every taint of the pools in {path}: a list there replaces the chart's own."
    )
    so = f"it cannot be told whether its plugin runs on {pool.name}"
    yield from judged(mapped(closed, bool), Place(chart.urn, chart.name, f"values.{path}"), text, so)


def _open_choice(case: Case) -> Iterator[Verdict]:
    for pool in case.inventory.gpu_pools:
        if pool.consolidation is None or known(pool.machines):
            continue
        text = (
            "a Karpenter pool that may start any machine, GPU machines included, and that pods without GPUs may use. Such a node never offers what "
            "Karpenter waits for, and stays. Require instance-category In [c, m, r], or name machines and taint the pool for GPUs."
        )
        untainted = mapped(pool.taints, lambda taints: not any(taint.startswith(GPU) for taint in taints))
        so = "it cannot be told whether pods without GPUs start GPU machines"
        yield from judged(untainted, place(pool, "machines"), text, so)


def _evicted(case: Case) -> Iterator[Verdict]:
    """F5: machines with a fast fabric are for jobs none of whose pods may move."""
    for pool in case.inventory.gpu_pools:
        if pool.consolidation is None or not any(row.fabric and row.gpu_count >= 8 for row in rows(pool)):
            continue
        so = "it cannot be told whether Karpenter moves pods of running jobs"
        text = (
            "Karpenter empties nodes that look underused, and the last pods of a job do: the job starts over. Set disruption.consolidationPolicy "
            "WhenEmpty, and karpenter.sh/do-not-disrupt on the pods."
        )
        yield from judged(mapped(pool.consolidation.policy, lambda said: said != WHEN_EMPTY), place(pool, "spec.disruption"), text, so)
        text = "Karpenter ends its nodes by age, jobs included (30 days where nothing is said). Set spec.template.spec.expireAfter Never."
        yield from judged(pool.consolidation.expires, place(pool, "spec.template.spec.expireAfter"), text, so)


def _enqueued(case: Case) -> Iterator[Verdict]:
    from_zero = any_of(mapped(pool.nodes.minimum, lambda low: low == 0) for pool in case.inventory.gpu_pools)
    for chart in charts(case, VOLCANO):
        own = setting(chart, VOLCANO, "custom.scheduler_config_override")
        text = (
            "Volcano's action `enqueue`, which is on by default, before pools that grow from no node. It holds a job back until the present nodes "
            "have room, so that no pod appears for which a node would start. Give custom.scheduler_config_override with actions that leave it out."
        )
        wrong = all_of([from_zero, mapped(own, lambda said: said is None or ENQUEUE in str(said))])
        where = Place(chart.urn, chart.name, "values.custom.scheduler_config_override")
        yield from judged(wrong, where, text, "it cannot be told whether jobs wait for nodes that nothing starts")


def _overbooked(case: Case) -> Iterator[Verdict]:
    """F9, G2: quota above the hardware admits jobs of which half the pods never start."""
    queues = [m for m in case.inventory.manifests if (m.group, m.kind) == ("kueue.x-k8s.io", "ClusterQueue")]
    if not queues or not case.inventory.gpu_pools:
        return
    quota, most = _sum([_nominal(queue) for queue in queues]), _sum([_gpus(pool) for pool in case.inventory.gpu_pools])
    text = (
        f"queues promise {_shown(quota)} GPUs, and the pools have {_shown(most)} at most. Beyond that jobs are admitted of which only some pods start, "
        "each holding its GPUs. Let the nominal quotas add up to nodes times GPUs."
    )
    first = Place(queues[0].urn, f"ClusterQueue {name_of(queues[0].urn)}", queues[0].at("spec.resourceGroups"))
    wrong = mapped(quota, lambda promised: mapped(most, lambda there: promised > there))
    yield from judged(wrong, first, text, "it cannot be told whether queues promise more GPUs than there are")


def _sum(numbers: list[Maybe[float]]) -> Maybe[float]:
    return next((n for n in numbers if isinstance(n, Unknown)), sum(n for n in numbers if known(n)))


def _shown(number: Maybe[float]) -> str:
    return f"{number:g}" if known(number) else "an unknown number of"


def _nominal(queue: Manifest) -> Maybe[float]:
    groups = items(queue.read("spec", "resourceGroups"), "spec.resourceGroups")
    found: list[Maybe[float]] = [groups if isinstance(groups, Unknown) else 0.0]
    for i in range(len(groups) if known(groups) else 0):
        flavors = items(queue.read("spec", "resourceGroups", i, "flavors"), "flavors")
        found.append(flavors if isinstance(flavors, Unknown) else 0.0)
        count = len(flavors) if known(flavors) else 0
        found += [_of_flavor(queue, ("spec", "resourceGroups", i, "flavors", j, "resources")) for j in range(count)]
    return _sum(found)


def _of_flavor(queue: Manifest, path: tuple[str | int, ...]) -> Maybe[float]:
    resources = items(queue.read(*path), "resources")
    if isinstance(resources, Unknown):
        return resources
    found: list[Maybe[float]] = []
    for k in range(len(resources)):
        if queue.read(*path, k, "name") == GPU:
            amount = quantity(queue.read(*path, k, "nominalQuota"), "nominalQuota")
            found.append(0.0 if amount is None else amount)
    return _sum(found)


def _gpus(pool: GpuPool) -> Maybe[float]:
    if isinstance(pool.machines, Unknown):
        return pool.machines
    largest = max((row.gpu_count for row in rows(pool)), default=0.0)
    return mapped(pool.nodes.maximum, lambda most: most * largest)


def _idle_nodes(case: Case) -> Iterator[Verdict]:
    """J7: reserved capacity is paid for anyway, and what serves must be there when nobody asks."""
    for pool in () if case.settings.serves else case.inventory.gpu_pools:
        on_demand = mapped(pool.market, lambda market: market.value in ("on_demand", "spot"))
        text = f"{_kept(pool)} running with no job at all. {_ALONE if _single(pool) else _SHRINK}"
        wrong = all_of([on_demand, mapped(pool.nodes.minimum, lambda low: low > 0), accelerated(pool)])
        yield from judged(wrong, _sized(pool), text, "it cannot be told whether nodes run without jobs")


_SHRINK = "Set the minimum to 0 and let jobs start nodes, or reserve the capacity that is always needed."
_ALONE = "Let a group that shrinks to none start it for the job, stop it when the job ends, or reserve what is always needed."


def _kept(pool: GpuPool) -> str:
    return f"keeps {pool.nodes.minimum} GPU node{'' if pool.nodes.minimum == 1 else 's'}"


def _single(pool: GpuPool) -> bool:
    """Whether it is one machine by itself, which has no size to set."""
    return pool.managed is None and not {"maximum", _SIZE} & set(pool.paths)


def _sized(pool: GpuPool) -> Place:
    """Where the size stands: the least where the reader names it, else what else bounds it, else the machine itself."""
    names = (_SIZE,) if pool.managed is not None else (_SIZE, "maximum", "machines")
    return place(pool, next((name for name in names if name in pool.paths), names[0]))


RULES = (
    Rule(
        id="GPU-SCALE-01",
        title="Pools that grow from no node say what a node offers",
        failures=("F1",),
        scope=Scope.STACK,
        check=_from_zero,
        fix="autoscaling.Tag with k8s.io/cluster-autoscaler/node-template/resources/nvidia.com/gpu on the group's scaling group",
    ),
    Rule(
        id="GPU-SCALE-02",
        title="Autoscaled GPU groups carry the accelerator label",
        failures=("F2",),
        scope=Scope.STACK,
        check=_without_label,
        fix="labels: {k8s.amazonaws.com/accelerator: nvidia-h100}",
    ),
    Rule(
        id="GPU-SCALE-03",
        title="Device plugins tolerate every taint of their pools",
        failures=("F3", "E6"),
        scope=Scope.STACK,
        check=_untolerated,
        fix="daemonsets: {tolerations: [{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}, …]}",
    ),
    Rule(
        id="GPU-SCALE-04",
        title="Karpenter pools for pods without GPUs start no GPU machines",
        failures=("F3",),
        scope=Scope.STACK,
        check=_open_choice,
        fix="requirements: [{key: karpenter.k8s.aws/instance-category, operator: In, values: [c, m, r]}] with instance-family named",
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-SCALE-05",
        title="Karpenter takes training nodes away only when they are empty",
        failures=("F5",),
        scope=Scope.STACK,
        check=_evicted,
        fix="disruption: {consolidationPolicy: WhenEmpty}, expireAfter: Never",
    ),
    Rule(
        id="GPU-SCALE-06",
        title="No scheduler waits for nodes that only its pods would start",
        failures=("F8",),
        scope=Scope.STACK,
        check=_enqueued,
        fix='custom: {scheduler_config_override: "actions: \\"allocate, backfill\\""}',
    ),
    Rule(
        id="GPU-SCALE-07",
        title="Queues promise no more GPUs than the pools have",
        failures=("F9", "G2"),
        scope=Scope.STACK,
        check=_overbooked,
        fix="nominalQuota: 32 for 4 nodes of 8 GPUs",
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-SCALE-08",
        title="GPU pools without reservation shrink to no node",
        failures=("J7",),
        scope=Scope.STACK,
        check=_idle_nodes,
        fix="scalingConfig: {minSize: 0, maxSize: 4}",
        parameters=("the stack's workload",),
        level=Level.ADVISORY,
    ),
)
