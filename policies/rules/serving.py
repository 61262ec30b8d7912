"""GPU-SERVE: containers run on the driver of their nodes, and shared GPUs are asked for as such."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from components import catalog
from components.catalog import containers as container_releases
from components.catalog import fit
from components.catalog.containers import Container as Release
from components.inventory import Chart, GpuPool, Owner
from components.resource import Value
from components.unknown import Maybe, Unknown, known
from policies.finding import Level
from policies.readers.charts import setting
from policies.readers.gpu_stack import OPERATOR
from policies.readers.kubernetes.objects import documents
from policies.readers.values import mapped

from .clusters import charts, charts_of, gpu_pools_of, landing
from .pods import at, containers, gpu_pods
from .pools import rows, with_efa
from .rule import Case, Place, Rule, Scope, Verdict, judged

CONFIG_LABEL = "nvidia.com/device-plugin.config"
_WHOLE = ""


def _newer_than_driver(case: Case) -> Iterator[Verdict]:
    for load, pod in gpu_pods(case):
        for container in containers(pod):
            if isinstance(container.image, Unknown):
                yield from judged(
                    container.image, at(load, pod, "spec.containers"), "", "it cannot be told whether its CUDA runs on the driver"
                )
            release = _release(container.image)
            if release is None:
                continue
            for pool in landing(case, load, pod):
                driver = _driver(case, pool)
                for row in rows(pool):
                    found = fit.container(release, row, driver) if row.gpu_model else None
                    text = (
                        f"on {pool.name}: {found.reason if found else ''}. The container ends, or serves on its CPU: CUDA driver version is "
                        "insufficient for CUDA runtime version."
                    )
                    yield from judged(found is not None and found.runs is False, at(load, pod, "spec.containers"), text, "")


def _release(image: Maybe[str | None]) -> Release | None:
    """The release of NVIDIA's image that a reference names: `nvcr.io/nvidia/tritonserver:25.10-py3`."""
    if not isinstance(image, str):
        return None
    name, _, tag = image.rpartition("/")[2].partition(":")
    try:
        return container_releases.container(name, tag.partition("-")[0])
    except LookupError:
        return None


def _driver(case: Case, pool: GpuPool) -> str | None:
    """Driver of the pool: the image's branch, else the version of the GPU Operator that installs it."""
    if pool.driver_owners == (Owner.IMAGE,) and pool.image is not None and isinstance(pool.image.kind, str):
        row = catalog.image(pool.cloud, pool.image.kind)
        return row.driver_branch if row is not None else None
    if pool.driver_owners == (Owner.GPU_OPERATOR,):
        said = [setting(chart, OPERATOR, "driver.version") for chart in charts_of(case, OPERATOR, pool.cluster)]
        return said[0] if len(said) == 1 and isinstance(said[0], str) and said[0].replace(".", "").isdigit() else None
    return None


def _sliced_training(case: Case) -> Iterator[Verdict]:
    """I6: slices carry the whole GPU's name, without isolation of memory."""
    for chart in charts(case, OPERATOR):
        for name, sliced in _configurations(chart).items():
            where = Place(chart.urn, chart.name, "values.devicePlugin.config")
            so = "it cannot be told whether GPUs are divided by time"
            for pool in gpu_pools_of(case, chart.cluster):
                used = mapped(_config_of(chart, pool), lambda own, name=name: own == name)
                text = (
                    f"time-slicing on {pool.name}, whose machines have a fabric for training. Its jobs would share GPUs without isolation: out of memory "
                    "between them, and counts that are no GPUs. Take it off this pool; use MIG where isolation matters."
                )
                cut = mapped(sliced, lambda entry: entry is not None)
                yield from judged(_all(used, cut, with_efa(pool)), where, text, so)
            text = (
                f"configuration {name or 'of the plugin'} divides GPUs by time and lets a pod ask for several slices, which may be one GPU twice. Set "
                "renameByDefault and failRequestsGreaterThanOne."
            )
            loose = mapped(sliced, lambda entry: entry is not None and not all(entry.get(key) is True for key in _STRICT))
            yield from judged(loose, where, text, so, level=Level.ADVISORY)


_STRICT = ("renameByDefault", "failRequestsGreaterThanOne")


def _all(*claims: Maybe[bool]) -> Maybe[bool]:
    if any(claim is False for claim in claims):
        return False
    return next((claim for claim in claims if isinstance(claim, Unknown)), True)


def _config_of(chart: Chart, pool: GpuPool) -> Maybe[str]:
    """The configuration that a pool's nodes take: by their label, else the default one."""
    usual = mapped(setting(chart, OPERATOR, "devicePlugin.config.default"), lambda said: str(said or _WHOLE))
    return mapped(pool.labels, lambda labels: labels.get(CONFIG_LABEL, usual))


def _configurations(chart: Chart) -> Mapping[str, Maybe[Mapping[str, Value] | None]]:
    """By name of the configuration its time-slicing; None where it has none."""
    data = setting(chart, OPERATOR, "devicePlugin.config.data")
    if isinstance(data, Unknown):
        return {_WHOLE: data}
    found = cast("Mapping[str, Value]", data) if isinstance(data, Mapping) else {}
    return {name: _sliced(said, f"devicePlugin.config.data.{name}") for name, said in found.items()}


def _sliced(said: Value, path: str) -> Maybe[Mapping[str, Value] | None]:
    if not isinstance(said, str):
        return said if isinstance(said, Unknown) else Unknown(path, "not readable: no text")
    for body in documents(said, path):
        sharing = body.get("sharing") if known(body) else body
        entry = sharing.get("timeSlicing") if isinstance(sharing, Mapping) else sharing if isinstance(sharing, Unknown) else None
        if entry is not None:
            return entry if isinstance(entry, Mapping | Unknown) else Unknown(path, "not readable: no object")
    return None


RULES = (
    Rule(
        id="GPU-SERVE-01",
        title="Containers run on the driver of their nodes",
        failures=("I1",),
        scope=Scope.STACK,
        check=_newer_than_driver,
        fix="a container release whose CUDA the node image's driver runs",
    ),
    Rule(
        id="GPU-SERVE-02",
        title="GPUs of training pools are not divided by time",
        failures=("I6",),
        scope=Scope.STACK,
        check=_sliced_training,
        fix="sharing: {timeSlicing: {renameByDefault: true, failRequestsGreaterThanOne: true, …}} on inference pools alone",
    ),
)
