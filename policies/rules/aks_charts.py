"""The operators' charts of one AKS cluster, and what a value of them is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from components import catalog
from components.inventory import Chart
from components.resource import Value, read
from components.unknown import Maybe, Unknown
from policies.readers.values import flag

from .rule import Case

GPU_OPERATOR, NETWORK_OPERATOR = "gpu-operator", "network-operator"
_ON_BY_DEFAULT = {(NETWORK_OPERATOR, "nfd.enabled"), (NETWORK_OPERATOR, "nfd.deployNodeFeatureRules")}
"""Switches of charts of which the catalogue holds no defaults (chart network-operator 26.4.1)."""


def operators(case: Case, name: str, cluster: Maybe[str | None]) -> Sequence[Chart]:
    """Releases of the chart `name` that may be on `cluster`: of an unknown cluster all, and those whose own cluster cannot be told where
    there is one cluster at most.
    """
    named = case.once(_named, name)
    if isinstance(cluster, Unknown):
        return named
    if len(case.inventory.control_planes) <= 1:
        return [chart for chart in named if chart.cluster == cluster or not isinstance(chart.cluster, str)]
    return case.once(_by_cluster, name).get(cluster, ())


def _named(case: Case, name: str) -> Sequence[Chart]:
    return [chart for chart in case.inventory.charts if _is(chart, name)]


def _by_cluster(case: Case, name: str) -> Mapping[Maybe[str | None], Sequence[Chart]]:
    found: dict[Maybe[str | None], list[Chart]] = {}
    for chart in case.once(_named, name):
        found.setdefault(chart.cluster, []).append(chart)
    return found


def _is(chart: Chart, name: str) -> bool:
    """Charts are named plainly, with their repository, by registry address or by archive."""
    if isinstance(chart.chart, Unknown):
        return False
    return chart.chart.rstrip("/").rpartition("/")[2].partition(":")[0].removesuffix(".tgz").startswith(name)


def value(chart: Chart, path: str) -> Value:
    """What the program sets; None where it sets nothing."""
    return (
        Unknown(f"{chart.name}.values.{path}", chart.values.reason)
        if isinstance(chart.values, Unknown)
        else read(chart.values, *path.split("."))
    )


def switched(chart: Chart, name: str, path: str) -> Maybe[bool]:
    """A switch as the program sets it, else as the pinned chart does."""
    found = flag(value(chart, path), f"{chart.name}.values.{path}")
    return _default(name, path) if found is None else found


def _default(name: str, path: str) -> bool:
    return (name, path) in _ON_BY_DEFAULT or (name == GPU_OPERATOR and catalog.chart_defaults(name, path) is True)
