"""Helm releases and charts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from components.inventory import Chart
from components.resource import Resource, Value
from components.unknown import Maybe, Unknown
from policies.readers import types
from policies.readers.program import Program
from policies.readers.values import given, items, mapping, text, whole

from .objects import UNTOLD, documents, planned_cluster
from .rendered import rendered

RENDERED = "rendered by helm.v3.Chart, which tells neither chart nor values"
"""Why the chart of such a resource is unknown."""


def read_chart(release: Resource, program: Program) -> Iterator[Chart]:
    seen = rendered(release, program) if release.type == types.CHART_V3 and release.read("chart") is None else None
    yield Chart(
        urn=release.urn,
        name=release.name,
        chart=given(text(release.read("chart"), "chart"), *_absent(release)) if seen is None else seen.chart,
        version=text(release.read("version"), "version") if seen is None else seen.version,
        namespace=text(release.read("namespace"), "namespace"),
        values=_values(release, program) if seen is None else seen.values,
        cluster=planned_cluster(release, program),
        timeout_s=whole(release.read("timeout"), "timeout"),
        dependents=_dependents(release, program),
        deleted_with=release.options.deleted_with if not release.options.partial else UNTOLD,
        waits=release.type == types.RELEASE and release.read("skipAwait") is not True,
    )


def _absent(release: Resource) -> tuple[str, str]:
    """Path and reason of a chart that is not told: helm.v3.Chart renders it inside the program and registers only what comes out."""
    return (f"{release.name}.chart", RENDERED) if release.type == types.CHART_V3 else ("chart", "not given")


def _values(release: Resource, program: Program) -> Maybe[Mapping[str, object]]:
    """The values that the program gives: those of value files that are text here, with `values` over them.

    With a file that the source could not open, what is not written here is unknown.
    """
    own = mapping(release.read("values"), "values")
    files = items(release.read("valueYamlFiles"), "valueYamlFiles")
    if isinstance(own, Unknown) or isinstance(files, Unknown):
        return own if isinstance(own, Unknown) else files if isinstance(files, Unknown) else {}
    merged: Mapping[str, Value] = {}
    for i in range(len(files)):
        said = _said(release, i, program)
        if said is None:
            return Unknown(f"valueYamlFiles[{i}]", "given by a file that is not opened")
        for body in documents(said, f"valueYamlFiles[{i}]"):
            if isinstance(body, Unknown):
                return body
            merged = over(merged, body)
    return over(merged, own)


def _said(release: Resource, index: int, program: Program) -> str | None:
    """The text of one value file: written in the program, or in a local file."""
    text, path = (release.read("valueYamlFiles", index, key) for key in ("text", "path"))
    if isinstance(text, str):
        return text
    return program.resources.files.get(path) if isinstance(path, str) else None


def over(below: Mapping[str, Value], above: Mapping[str, Value]) -> Mapping[str, Value]:
    """Helm's merge: maps are joined, everything else is replaced."""
    joined = dict(below)
    for key, value in above.items():
        under = joined.get(key)
        if isinstance(under, Mapping) and isinstance(value, Mapping):
            joined[key] = over(cast("Mapping[str, Value]", under), cast("Mapping[str, Value]", value))
        else:
            joined[key] = value
    return joined


def _dependents(release: Resource, program: Program) -> frozenset[str]:
    """What waits for the release: one walk for each release, of which a stack has few."""
    waiting = program.once(_waiting)
    found: set[str] = set()
    ahead = [release.urn]
    while ahead:
        for urn in waiting.get(ahead.pop(), ()):
            if urn not in found:
                found.add(urn)
                ahead.append(urn)
    return frozenset(found)


def _waiting(program: Program) -> Mapping[str, list[str]]:
    """By URN, the resources that depend on it directly."""
    found: dict[str, list[str]] = {}
    for resource in program.resources:
        for urn in {*resource.dependencies, *(urn for urns in resource.property_dependencies.values() for urn in urns)}:
            found.setdefault(urn, []).append(resource.urn)
    return found
