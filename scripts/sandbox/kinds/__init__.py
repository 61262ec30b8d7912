"""Behaviour of resource types, by Pulumi token. What is in no table here is generic: schema-checked, stored, without a life of its own."""

from __future__ import annotations

import importlib
from functools import lru_cache

from scripts.sandbox.kinds.kind import Kind

_TABLES = {
    "aws": "scripts.sandbox.kinds.aws.table",
    "gcp": "scripts.sandbox.kinds.gcp.table",
    "azure-native": "scripts.sandbox.kinds.azure.table",
    "kubernetes": "scripts.sandbox.kinds.release",
}
"""Module with the `KINDS` of each package; imported when the first of its types is asked for."""


@lru_cache(maxsize=8)
def _table(package: str) -> dict[str, Kind]:
    module = _TABLES.get(package)
    return {} if module is None else {kind.token: kind for kind in importlib.import_module(module).KINDS}


@lru_cache(maxsize=1024)
def kind(token: str) -> Kind:
    """The behaviour of a type: its own, a Kubernetes object's, or the generic one."""
    from scripts.sandbox.kinds.generic import generic
    from scripts.sandbox.kinds.kubernetes import kubernetes_object

    known = _table(token.partition(":")[0]).get(token)
    if known is not None:
        return known
    if token.startswith("azure-native:"):
        from scripts.sandbox.kinds.azure.foreign import foreign

        return foreign(token)
    return kubernetes_object(token) if token.startswith("kubernetes:") else generic(token)


def known_tokens() -> tuple[str, ...]:
    return tuple(sorted(token for package in _TABLES for token in _table(package)))
