"""GPU-KEEP: what a change makes anew, where the source tells it: a preview of the engine, and no other."""

from __future__ import annotations

from collections.abc import Iterator

from components.inventory import Replacement
from policies.finding import Level, Status
from policies.readers import types

from .rule import Case, Rule, Scope, Verdict, listed

_DRIFTS = "initialNodeCount"
"""Rewritten by GKE when someone resizes the pool: nobody asked for such a replacement (D11)."""


def _pools_and_clusters(case: Case) -> Iterator[Verdict]:
    """D10, E10: a change of what is fixed when a pool is made takes its nodes away, with the jobs on them."""
    pools = {pool.urn for pool in case.inventory.gpu_pools if pool.cluster is not None}
    clusters = {pool.cluster for pool in case.inventory.gpu_pools if isinstance(pool.cluster, str)}
    for found in case.inventory.replacements:
        if found.urn in clusters:
            yield _told(found, f"the cluster is made anew{_because(found)}, and every node and job on it ends with the old one. {_CLUSTER}")
        elif found.urn in pools:
            drifted = found.because == (_DRIFTS,)
            repair = _DRIFTED if drifted else _POOL
            text = f"the GPU pool is made anew{_because(found)}, and its nodes and jobs end with the old one; capacity may not come back. {repair}"
            yield _told(found, text, level=None if drifted else Level.ADVISORY)


_CLUSTER = "Undo the change, or move to a second cluster and let this one go in a step of its own."
_POOL = "Make another pool beside it under a new name, drain this one and delete it then, or undo the change."
_DRIFTED = f'Nobody wanted that: GKE rewrote the number when the pool was resized. Add ignore_changes=["{_DRIFTS}"].'


def _because(found: Replacement) -> str:
    return f" for a change of {listed(found.because)}" if found.because else ""


def _told(found: Replacement, text: str, *, level: Level | None = Level.ADVISORY) -> Verdict:
    path = found.because[0] if found.because else ""
    return Verdict(status=Status.VIOLATED, urn=found.urn, path=path, message=f"{found.name}: {text}", level=level)


def _providers(case: Case) -> Iterator[Verdict]:
    """H7: what a provider made is made anew with it."""
    for found in case.inventory.replacements:
        if found.type == types.KUBERNETES_PROVIDER:
            text = (
                f"the Kubernetes provider is made anew{_because(found)}, and with it everything that it made in the cluster: releases, claims and jobs. "
                "Keep the kubeconfig's text as it was and give cluster_identifier; a provider for another cluster gets another name."
            )
            yield _told(found, text, level=None)


RULES = (
    Rule(
        id="GPU-KEEP-02",
        title="A change makes no GPU pool and no cluster of one anew",
        failures=("D10", "D11", "E10"),
        scope=Scope.STACK,
        check=_pools_and_clusters,
        fix="a second pool with the other settings, beside the one that runs",
        parameters=("a preview of the engine",),
    ),
    Rule(
        id="GPU-KEEP-03",
        title="A change makes no Kubernetes provider anew",
        failures=("H7",),
        scope=Scope.STACK,
        check=_providers,
        fix="kubernetes.Provider with the same name, cluster_identifier and kubeconfig as before",
        parameters=("a preview of the engine",),
    ),
)
