"""Helm releases and charts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from components.inventory import Chart
from components.resource import Resource
from components.unknown import Maybe, Unknown
from policies.readers import types
from policies.readers.program import Program
from policies.readers.values import given, text, whole

RENDERED = "rendered by helm.v3.Chart, which tells neither chart nor values"
"""Why the chart of such a resource is unknown."""


def read_chart(release: Resource, program: Program) -> Iterator[Chart]:
    yield Chart(
        urn=release.urn,
        name=release.name,
        chart=given(text(release.read("chart"), "chart"), *_absent(release)),
        version=text(release.read("version"), "version"),
        namespace=text(release.read("namespace"), "namespace"),
        values=_values(release),
        cluster=_cluster(release, program),
        timeout_s=whole(release.read("timeout"), "timeout"),
    )


def _absent(release: Resource) -> tuple[str, str]:
    """Path and reason of a chart that is not told: helm.v3.Chart renders it inside the program and registers only what comes out."""
    return (f"{release.name}.chart", RENDERED) if release.type == types.CHART_V3 else ("chart", "not given")


def _values(release: Resource) -> Maybe[Mapping[str, object]]:
    """The values that the program writes itself. Value files are not opened: with one, what is not written here is unknown."""
    values = release.read("values")
    if release.read("valueYamlFiles") and not isinstance(values, Unknown):
        return Unknown("valueYamlFiles", "given by files that are not read")
    if values is None or isinstance(values, Unknown):
        return {} if values is None else values
    return cast("Mapping[str, object]", values) if isinstance(values, Mapping) else Unknown("values", "not readable: no object")


def _cluster(release: Resource, program: Program) -> Maybe[str | None]:
    """The planned cluster whose kubeconfig the release's provider holds; None where the provider names none."""
    provider = program.provider(release)
    if provider is None:
        return None
    named = {urn for urns in provider.property_dependencies.values() for urn in urns} | set(provider.dependencies)
    found = [cluster.urn for cluster in program.resources.of_type(*types.CLUSTERS) if cluster.urn in named]
    return found[0] if len(found) == 1 else None
