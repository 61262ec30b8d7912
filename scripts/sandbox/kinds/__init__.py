"""Behaviour of resource types, by Pulumi token. What is in no table here is generic: schema-checked, stored, without a life of its own."""

from __future__ import annotations

from functools import lru_cache

from scripts.sandbox.kinds.kind import Kind


@lru_cache(maxsize=1)
def _table() -> dict[str, Kind]:
    from scripts.sandbox.kinds import (
        addresses,
        bucket,
        budget,
        cluster,
        cluster_parts,
        iam,
        launch_template,
        lustre,
        network,
        node_group,
        release,
        reservation,
        routes,
        security,
        small,
    )

    modules = (
        *(network, addresses, routes, security, launch_template, iam, cluster, cluster_parts, node_group, small, release),
        *(bucket, lustre, budget, reservation),
    )
    return {kind.token: kind for module in modules for kind in module.KINDS}


@lru_cache(maxsize=1024)
def kind(token: str) -> Kind:
    """The behaviour of a type: its own, a Kubernetes object's, or the generic one."""
    from scripts.sandbox.kinds.generic import generic
    from scripts.sandbox.kinds.kubernetes import kubernetes_object

    known = _table().get(token)
    if known is not None:
        return known
    return kubernetes_object(token) if token.startswith("kubernetes:") else generic(token)


def known_tokens() -> tuple[str, ...]:
    return tuple(sorted(_table()))
