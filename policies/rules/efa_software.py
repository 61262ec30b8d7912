"""GPU-EFA: plugin and pods of the fabric. The interfaces themselves are in the other files of the area."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from components.inventory import Chart, GpuPool
from components.resource import name_of
from components.unknown import Maybe, known
from policies.finding import Level
from policies.readers.charts import setting
from policies.readers.values import all_of, any_of, denied, mapped

from .clusters import charts, gpu_pools_of, landing
from .efa_layouts import EFA_KINDS
from .pods import EFA, at, called, containers, gpus, most, on_aws, several
from .pools import rows, version, with_efa
from .rule import Case, Place, Rule, Scope, Verdict, judged, listed

PLUGIN = "aws-efa-k8s-device-plugin"
FIRST_FOR_P6 = (0, 5, 10)
INFINIBAND = "/dev/infiniband"


def _old_plugin(case: Case) -> Iterator[Verdict]:
    machines = [row.name for pool in case.inventory.gpu_pools for row in rows(pool) if row.family.startswith("p6")]
    if not machines:
        return
    for chart in charts(case, PLUGIN):
        text = (
            f"version {chart.version} of the EFA device plugin on {machines[0]}. Before 0.5.10 it counts the NVLink controllers as EFA "
            "devices, 10 instead of 8, and NCCL fails at random. Take 0.5.10 or later."
        )
        wrong = mapped(chart.version, lambda said: said is not None and version(said) < FIRST_FOR_P6)
        yield from judged(
            wrong, Place(chart.urn, chart.name, "version"), text, "it cannot be told whether the plugin counts EFA devices right"
        )


def _plugin_everywhere(case: Case) -> Iterator[Verdict]:
    for chart in charts(case, PLUGIN):
        bare = [pool for pool in gpu_pools_of(case, chart.cluster) if _able(pool)]
        claims = [denied(with_efa(pool)) for pool in bare]
        names = [pool.name for pool, claim in zip(bare, claims, strict=True) if claim is True]
        text = (
            f"the plugin picks nodes by machine type, and {listed(names) or 'a pool'} starts without EFA on a machine that could have it: there it "
            "finds no device and crash-loops. Set nodeSelector to a label that only pools with EFA carry."
        )
        wrong = all_of([any_of(claims), mapped(_selector(chart), lambda found: not found)])
        so = "it cannot be told whether the plugin runs on nodes without EFA only to crash"
        yield from judged(wrong, Place(chart.urn, chart.name, "values.nodeSelector"), text, so)


def _able(pool: GpuPool) -> bool:
    """Whether its machines take EFA. Karpenter gives a node EFA when a pod asks for it."""
    return pool.consolidation is None and any(row.efa_interfaces for row in rows(pool))


def _selector(chart: Chart) -> Maybe[bool]:
    return any_of(mapped(setting(chart, PLUGIN, path), bool) for path in ("nodeSelector", "affinity"))


def _host_devices(case: Case) -> Iterator[Verdict]:
    so = "it cannot be told whether it mounts the node's RDMA devices"
    for load, pod in on_aws(case):
        text = (
            f"mounts {INFINIBAND} of the node. On B200 that shows devices which are not EFA, libfabric fails on them, and NCCL falls back to "
            f"TCP without a word. Take the volume out and ask for {EFA} under limits: the device plugin hands out the devices."
        )
        wrong = mapped(
            pod.host_paths, lambda paths: any_of(mapped(p, lambda said: (said or "").rstrip("/") == INFINIBAND) for p in paths.values())
        )
        if gpus(pod) != 0:
            yield from judged(wrong, at(load, pod, "spec.volumes"), text, so)


def _beside_limits(case: Case) -> Iterator[Verdict]:
    """A15: extended resources are never overcommitted, so a request without its limit is refused."""
    for load, pod in on_aws(case):
        for container in containers(pod):
            for resource in (EFA, "hugepages-2Mi", "nvidia.com/gpu"):
                text = f"asks for {resource} under requests and not under limits, which Kubernetes refuses. Give it under limits."
                claims = [_has(container.requests, resource), denied(_has(container.limits, resource))]
                where = Place(load.urn, called(load), f"{container.path}.resources")
                yield from judged(all_of(claims), where, text, "it cannot be told whether its limits name what it requests")


def _has(amounts: Maybe[Mapping[str, Maybe[str | None]]], resource: str) -> Maybe[bool]:
    return mapped(amounts, lambda found: resource in found)


def _unpinned(case: Case) -> Iterator[Verdict]:
    """A16: by itself NCCL falls back to TCP without an error."""
    for load, pod in on_aws(case):
        for container in containers(pod):
            if most(container.limits, EFA) in (0.0, None):
                continue
            pinned = mapped(container.env, lambda env: any(name in env for name in ("FI_PROVIDER", "NCCL_NET")))
            text = (
                "asks for EFA and pins neither FI_PROVIDER=efa nor NCCL_NET. Where the image lacks the EFA plugin on its library path, NCCL goes "
                "over TCP at a hundredth of the bandwidth and the job still passes. Set both, so that a fall-back fails."
            )
            where = Place(load.urn, called(load), f"{container.path}.env")
            yield from judged(denied(pinned), where, text, "it cannot be told whether a fall-back to TCP would fail")


def _without_efa(case: Case) -> Iterator[Verdict]:
    """A17: whole machines of an EFA pool, over several pods, and no EFA among them."""
    for load, pod in on_aws(case):
        if not load.runs_to_end or several(load) is False:
            continue
        for pool in landing(case, load, pod):
            whole = [row for row in rows(pool) if row.gpu_count and gpus(pod) == row.gpu_count]
            if not whole or with_efa(pool) is not True:
                continue
            asks = any_of(_has(container.limits, EFA) for container in containers(pod))
            text = (
                f"takes all {whole[0].gpu_count:g} GPUs of a node of {pool.name} in several pods and asks for no {EFA}: it trains over TCP. "
                f"Give {EFA}: {whole[0].efa_interfaces} in the job's own limits; trainers replace those of a runtime template."
            )
            yield from judged(denied(asks), at(load, pod, "spec.containers"), text, "it cannot be told whether it uses the fabric")


def _left_behind(case: Case) -> Iterator[Verdict]:
    """K5: interfaces that outlive their instance hold the security group when the stack is destroyed."""
    for layout in case.inventory.interfaces:
        for item in layout.items if known(layout.items) and layout.complete else ():
            if item.kind not in EFA_KINDS:
                continue
            kept = mapped(item.delete_on_termination, lambda said: said is False)
            text = (
                "an EFA interface that is kept when its instance ends (deleteOnTermination false). It holds its security group and subnet, so "
                "that a destroy waits for them in vain. Set deleteOnTermination true."
            )
            so = "it cannot be told whether its interfaces go with their instances"
            yield from judged(kept, Place(layout.urn, name_of(layout.urn), f"{item.path}.deleteOnTermination"), text, so)


RULES = (
    Rule(
        id="GPU-EFA-08",
        title="The EFA device plugin is recent enough for P6",
        failures=("A11",),
        scope=Scope.STACK,
        check=_old_plugin,
        fix="chart aws-efa-k8s-device-plugin, version v0.5.30",
    ),
    Rule(
        id="GPU-EFA-09",
        title="The EFA device plugin runs where there is EFA",
        failures=("A12",),
        scope=Scope.STACK,
        check=_plugin_everywhere,
        fix="values: {nodeSelector: {fabric: efa}} and labels {fabric: efa} on the pools with EFA interfaces",
    ),
    Rule(
        id="GPU-EFA-10",
        title="Pods get EFA from the device plugin, not from the node's file system",
        failures=("A14",),
        scope=Scope.STACK,
        check=_host_devices,
        fix="limits: {vpc.amazonaws.com/efa: 32}, no hostPath",
    ),
    Rule(
        id="GPU-EFA-11",
        title="Pods name devices and huge pages under limits",
        failures=("A15",),
        scope=Scope.STACK,
        check=_beside_limits,
        fix="limits: {nvidia.com/gpu: 8, vpc.amazonaws.com/efa: 32, hugepages-2Mi: 5120Mi}",
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-EFA-12",
        title="Jobs on EFA pin their transport",
        failures=("A16", "G14"),
        scope=Scope.STACK,
        check=_unpinned,
        fix="env FI_PROVIDER=efa and NCCL_NET, so that a fall-back to TCP fails",
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-EFA-13",
        title="Jobs over several EFA nodes ask for EFA",
        failures=("A17",),
        scope=Scope.STACK,
        check=_without_efa,
        fix="limits: {vpc.amazonaws.com/efa: 32} beside {nvidia.com/gpu: 8}",
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-EFA-14",
        title="EFA interfaces go with their instances",
        failures=("K5",),
        scope=Scope.STACK,
        check=_left_behind,
        fix="deleteOnTermination true on every interface",
    ),
)
