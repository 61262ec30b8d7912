"""How differences are told to the engine: what is replaced, and whether the old object has to go first."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pulumi.runtime.proto import provider_pb2

from scripts.sandbox import sdk_schema, wire
from scripts.sandbox.kinds.kind import Kind
from scripts.sandbox.provider import diff, packages
from scripts.sandbox.provider.packages import Package

_PropertyDiff = provider_pb2.PropertyDiff
_KINDS = {
    ("add", False): _PropertyDiff.ADD,
    ("add", True): _PropertyDiff.ADD_REPLACE,
    ("delete", False): _PropertyDiff.DELETE,
    ("delete", True): _PropertyDiff.DELETE_REPLACE,
    ("update", False): _PropertyDiff.UPDATE,
    ("update", True): _PropertyDiff.UPDATE_REPLACE,
}


def setting(shape: sdk_schema.Shape | None, value: Any) -> Any:
    """A provider setting: what is no string travels as JSON text."""
    plain = wire.plain(value)
    if not isinstance(plain, str) or shape is None or str in shape.scalars or wire.is_unknown(plain):
        return plain
    try:
        return json.loads(plain)
    except ValueError:
        return plain


def fixed_name(kind: Kind, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """A name that the program gives and keeps: the new object cannot stand beside the old one (pulumi-eks#294)."""
    if packages.is_object(kind.token):
        name, annotations = (new.get("metadata") or {}).get("name"), (new.get("metadata") or {}).get("annotations") or {}
        return name == (old.get("metadata") or {}).get("name") and annotations.get("pulumi.com/autonamed") != "true"
    field = kind.auto_name
    return field is not None and new.get(field) == old.get(field) and field not in (new.get("__defaults") or ())


def provider_identity(package: Package, old: Mapping[str, Any], new: Mapping[str, Any]) -> set[str]:
    """Settings whose change makes another provider; a kubeconfig's without a cluster identifier (pulumi-kubernetes, Provider.cluster_identifier)."""
    if package.name != "kubernetes":
        return set(package.identity)
    return {"clusterIdentifier"} if new.get("clusterIdentifier") or old.get("clusterIdentifier") else {"kubeconfig", "context", "cluster"}


def diff_response(found: list[diff.Change], *, delete_first: bool) -> provider_pb2.DiffResponse:
    details = {change.path: provider_pb2.PropertyDiff(kind=_KINDS[change.kind, change.replaces], inputDiff=True) for change in found}
    replaces = sorted({_top(c.path) for c in found if c.replaces})
    return provider_pb2.DiffResponse(
        changes=provider_pb2.DiffResponse.DIFF_SOME if found else provider_pb2.DiffResponse.DIFF_NONE,
        diffs=sorted({_top(c.path) for c in found}),
        replaces=replaces,
        detailedDiff=details,
        hasDetailedDiff=True,
        deleteBeforeReplace=bool(replaces) and delete_first,
    )


def _top(path: str) -> str:
    return path.split(".", 1)[0].split("[", 1)[0]
