"""Charts that are rendered inside the program (helm.v3.Chart): previews and states show what comes out, which tells the chart.

Helm's own label `helm.sh/chart` holds name and version (Helm, "Labels and Annotations"). The GPU Operator's ClusterPolicy repeats the
chart's values part by part (gpu-operator 26.7, `templates/clusterpolicy.yaml`), so that they are read back from it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from components.resource import Resource, Value
from components.unknown import Maybe, Unknown
from policies.readers.program import Program
from policies.readers.values import mapping

_LABEL = re.compile(r"(?P<name>[a-z0-9.-]+?)-(?P<version>v?\d+(\.\d+)+.*)")
_OPERATOR, _DISCOVERY = "gpu-operator", "node-feature-discovery"


@dataclass(frozen=True)
class Rendered:
    """A chart as its objects tell it."""

    chart: str
    version: str | None
    values: Maybe[Mapping[str, Value]]


def rendered(chart: Resource, program: Program) -> Rendered | None:
    """What the objects under `chart` tell; None where there are none, or where several charts came out of it."""
    children = program.once(_children).get(chart.urn, ())
    labels = {label for child in children if (label := _label(child)) is not None}
    policy = next(
        (child for child in children if child.type.startswith("kubernetes:nvidia.com/") and child.type.endswith(":ClusterPolicy")), None
    )
    if policy is not None:
        version = next((version for name, version in labels if name == _OPERATOR), None)
        return Rendered(_OPERATOR, version, _of_policy(policy, nfd=any(name.startswith(_DISCOVERY) for name, _ in labels)))
    if len(labels) != 1:
        return None
    ((name, version),) = labels
    return Rendered(name, version, Unknown(f"{chart.name}.values", "rendered by helm.v3.Chart, which does not tell its values"))


def _children(program: Program) -> Mapping[str, Sequence[Resource]]:
    found: dict[str, list[Resource]] = {}
    for resource in program.resources:
        if resource.parent is not None and resource.type.startswith("kubernetes:"):
            found.setdefault(resource.parent, []).append(resource)
    return found


def _label(child: Resource) -> tuple[str, str] | None:
    said = child.read("metadata", "labels", "helm.sh/chart")
    found = _LABEL.fullmatch(said) if isinstance(said, str) else None
    return (found["name"], found["version"]) if found else None


def _of_policy(policy: Resource, *, nfd: bool) -> Maybe[Mapping[str, Value]]:
    """What the chart does not repeat there is unknown, but for whether it brought node feature discovery."""
    spec = mapping(policy.read("spec"), "spec")
    if isinstance(spec, Unknown):
        return spec
    return {_DISCOVERY: Unknown(_DISCOVERY, "not repeated by the operator's ClusterPolicy"), **spec, "nfd": {"enabled": nfd}}
