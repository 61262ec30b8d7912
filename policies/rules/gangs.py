"""GPU-JOB: the pods of one job start together or not at all."""

from __future__ import annotations

from collections.abc import Iterator

from components.inventory import Workload
from policies.finding import Level
from policies.readers.values import any_of, mapped

from .pods import called, several
from .rule import Case, Place, Rule, Scope, Verdict, judged

QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
GANG_SCHEDULERS = ("volcano", "kai-scheduler", "scheduler-plugins-scheduler", "yunikorn", "runai-scheduler")
POD_GROUP_LABELS = (
    "scheduling.x-k8s.io/pod-group",
    "pod-group.scheduling.sigs.k8s.io",
    "scheduling.k8s.io/group-name",
    "kai.scheduler/queue",
)


def several_jobs(case: Case) -> Iterator[Workload]:
    """Jobs with GPUs in several pods."""
    for load in case.inventory.workloads:
        if load.runs_to_end and several(load) is True:
            yield load


def gangs(load: Workload) -> tuple[str, ...]:
    """The mechanisms that hold its pods back until all can start."""
    labels = load.manifest.read("metadata", "labels")
    queued = isinstance(labels, dict) and QUEUE_LABEL in labels
    marks = [mapped(pod.labels, lambda found: any(label in found for label in POD_GROUP_LABELS)) for pod in load.pods]
    schedulers = {pod.scheduler for pod in load.pods if isinstance(pod.scheduler, str)} & set(GANG_SCHEDULERS)
    volcano = {"volcano"} if load.manifest.group == "batch.volcano.sh" else set[str]()
    found = ({"Kueue"} if queued else set[str]()) | schedulers | volcano
    return tuple(sorted(found)) or (("pod groups",) if any_of(marks) is True else ())


def _no_gang(case: Case) -> Iterator[Verdict]:
    for load in several_jobs(case):
        claim = mapped(load.manifest.read("metadata", "labels"), lambda _, load=load: not gangs(load))
        text = (
            "pods with GPUs that start one by one. Two such jobs each get half of the nodes and wait for the other for ever, with all GPUs billed. "
            f"Give it a queue (label {QUEUE_LABEL}) whose quota is the real capacity, or a gang scheduler."
        )
        yield from judged(
            claim, Place(load.urn, called(load), "metadata.labels"), text, "it cannot be told whether its pods start together"
        )


def _two_gangs(case: Case) -> Iterator[Verdict]:
    by_namespace: dict[object, dict[str, Workload]] = {}
    for load in case.inventory.workloads:
        for gang in gangs(load):
            by_namespace.setdefault((load.cluster, load.namespace), {}).setdefault(gang, load)
    for found in by_namespace.values():
        if len(found) > 1:
            load = next(iter(found.values()))
            text = (
                f"{len(found)} gang mechanisms in one namespace ({', '.join(sorted(found))}). Each holds pods back that the other counts on, and they "
                "wait for ever. Keep one a namespace."
            )
            yield from judged(True, Place(load.urn, called(load), "spec"), text, "")


def _eager_launcher(case: Case) -> Iterator[Verdict]:
    for load in case.inventory.workloads:
        if load.kind != "MPIJob":
            continue
        policy = load.manifest.read("spec", "launcherCreationPolicy")
        text = (
            "the launcher starts before its workers: it cannot reach them while they wait for nodes or pull images, and burns its retries. Set "
            "spec.launcherCreationPolicy WaitForWorkersReady."
        )
        where = Place(load.urn, called(load), load.manifest.at("spec.launcherCreationPolicy"))
        yield from judged(
            mapped(policy, lambda said: said != "WaitForWorkersReady"), where, text, "it cannot be told when its launcher starts"
        )


RULES = (
    Rule(
        id="GPU-JOB-03",
        title="Jobs over several pods start as a gang",
        failures=("G1",),
        scope=Scope.STACK,
        check=_no_gang,
        fix="labels: {kueue.x-k8s.io/queue-name: research}",
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-JOB-04",
        title="One gang mechanism a namespace",
        failures=("G13",),
        scope=Scope.STACK,
        check=_two_gangs,
        fix="Kueue's queue label, and no other scheduler beside it",
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-JOB-05",
        title="MPI launchers wait for their workers",
        failures=("G4",),
        scope=Scope.STACK,
        check=_eager_launcher,
        fix="launcherCreationPolicy: WaitForWorkersReady",
        level=Level.ADVISORY,
    ),
)
