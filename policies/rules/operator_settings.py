"""GPU-STACK: settings of the GPU Operator, its exporter and its feature discovery."""

from __future__ import annotations

from collections.abc import Iterator

from components.inventory import Chart, Owner
from policies.finding import Level
from policies.readers.charts import setting, switched
from policies.readers.gpu_stack import OPERATOR
from policies.readers.values import all_of, any_of, denied, mapped, quantity

from .clusters import charts, gpu_pools_of
from .pools import rows
from .rule import Case, Place, Rule, Scope, Verdict, judged

EXPORTER = "dcgm-exporter"
DISCOVERY = "node-feature-discovery"


def _of(chart: Chart, path: str) -> Place:
    return Place(chart.urn, chart.name, f"values.{path}")


def _upgrades_under_jobs(case: Case) -> Iterator[Verdict]:
    for chart in charts(case, OPERATOR):
        drives = any_of(
            mapped(pool.driver_owners, lambda owners: owners is not None and Owner.GPU_OPERATOR in owners)
            for pool in gpu_pools_of(case, chart.cluster)
        )
        text = (
            "the operator upgrades drivers by itself (driver.upgradePolicy.autoUpgrade) and may not drain nodes. A new driver waits for the GPUs to "
            "fall idle, with nodes marked upgrade-required for weeks. Set autoUpgrade=false and replace nodes, or allow the drain with a time-out."
        )
        wrong = all_of(
            [
                drives,
                switched(chart, OPERATOR, "driver.upgradePolicy.autoUpgrade"),
                denied(switched(chart, OPERATOR, "driver.upgradePolicy.drain.enable")),
            ]
        )
        yield from judged(wrong, _of(chart, "driver.upgradePolicy"), text, "it cannot be told whether driver upgrades wait for jobs")


def _no_collection(case: Case) -> Iterator[Verdict]:
    paths = {OPERATOR: "node-feature-discovery.gc.enable", DISCOVERY: "gc.enable"}
    elastic = any_of(
        mapped(p.nodes.minimum, lambda low, p=p: mapped(p.nodes.maximum, lambda high: low != high)) for p in case.inventory.gpu_pools
    )
    for name, path in paths.items():
        for chart in charts(case, name):
            off = mapped(setting(chart, name, path), lambda said: said is False)
            text = (
                "node feature discovery does not collect what deleted nodes leave behind. With pools that grow and shrink its objects pile up until "
                f"its master runs out of memory and labels vanish. Set {path}=true."
            )
            yield from judged(all_of([off, elastic]), _of(chart, path), text, "it cannot be told whether objects of deleted nodes pile up")


def _profiling(case: Case) -> Iterator[Verdict]:
    """I2: A10 and A10G lack some of the counters."""
    models = {row.gpu_model or "" for pool in case.inventory.gpu_pools for row in rows(pool)} & {"A10", "A10G"}
    if not models:
        return
    for name, prefix in ((OPERATOR, "dcgmExporter."), (EXPORTER, "")):
        for chart in charts(case, name):
            said = [setting(chart, name, prefix + path) for path in ("config.data", "env", "arguments", "customMetrics", "extraEnv")]
            asked = any_of(mapped(value, lambda v: "DCGM_FI_PROF" in str(v) or "dcp-metrics" in str(v)) for value in said)
            text = (
                f"profiling counters asked of the exporter on {min(models)}, which lacks some of them: it ends with 'Feature not supported' and "
                "crash-loops. Give a list without DCGM_FI_PROF fields for these nodes."
            )
            yield from judged(asked, _of(chart, f"{prefix}config"), text, "it cannot be told whether its counters exist on the GPUs")


def _exporter_memory(case: Case) -> Iterator[Verdict]:
    if not any(row.gpu_count >= 8 for pool in case.inventory.gpu_pools for row in rows(pool)):
        return
    least = case.settings.limits.thresholds.exporter_mib
    for name, path in ((OPERATOR, "dcgmExporter.resources.limits.memory"), (EXPORTER, "resources.limits.memory")):
        for chart in charts(case, name):
            limit = quantity(setting(chart, name, path), f"{chart.name}.values.{path}")
            text = (
                f"the exporter has less than {least} MiB (thresholds.exporter_mib) on nodes with 8 GPUs. It needs memory for each GPU and is killed "
                "again and again, which leaves gaps where idle time and cost are read. Give 1Gi."
            )
            small = mapped(limit, lambda size: size is not None and size < least * 2**20)
            yield from judged(small, _of(chart, path), text, "it cannot be told whether the exporter has the memory it needs")


def _monitor_by_discovery(case: Case) -> Iterator[Verdict]:
    """H5: where the chart is only rendered, it is told of no kinds of the API server."""
    for chart in charts(case, OPERATOR):
        if chart.waits or chart.delegated:
            continue
        path = "dcgmExporter.serviceMonitor.enabled"
        own = setting(chart, "", path)
        text = (
            f"{path} is left to the chart, which asks the API server whether the kind exists. A chart that is only rendered gets an empty answer, so "
            "that parts are missing or wrong. Set the switch yourself, or install with helm.v3.Release."
        )
        yield from judged(
            mapped(own, lambda said: said is None),
            _of(chart, path),
            text,
            "it cannot be told which parts the chart renders",
            level=Level.ADVISORY,
        )


RULES = (
    Rule(
        id="GPU-STACK-08",
        title="Drivers are not upgraded under running jobs",
        failures=("C15",),
        scope=Scope.STACK,
        check=_upgrades_under_jobs,
        fix="driver: {upgradePolicy: {autoUpgrade: false}}",
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-STACK-09",
        title="Node feature discovery collects what deleted nodes leave",
        failures=("C19",),
        scope=Scope.STACK,
        check=_no_collection,
        fix="node-feature-discovery: {gc: {enable: true}}",
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-STACK-10",
        title="The exporter asks A10 for no profiling counters",
        failures=("I2",),
        scope=Scope.STACK,
        check=_profiling,
        fix="the default counters, without DCGM_FI_PROF",
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-STACK-11",
        title="The exporter has memory for all GPUs of a node",
        failures=("I3",),
        scope=Scope.STACK,
        check=_exporter_memory,
        fix="dcgmExporter: {resources: {limits: {memory: 1Gi}}}",
        parameters=("thresholds.exporter_mib",),
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-STACK-12",
        title="Charts that are only rendered are told what the cluster has",
        failures=("H5",),
        scope=Scope.STACK,
        check=_monitor_by_discovery,
        fix="dcgmExporter: {serviceMonitor: {enabled: false}}",
        level=Level.ADVISORY,
    ),
)
