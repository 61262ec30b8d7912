"""GPU-KEEP: what others depend on is not gone by one command."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from components.inventory import Cloud, ControlPlane
from components.unknown import Maybe
from policies.finding import Level
from policies.readers.values import denied, mapped

from .clusters import gpu_pools_of
from .rule import Case, Place, Rule, Scope, Verdict, judged

LASTING = frozenset({"prod", "production", "staging"})
"""Environments whose clusters are protected by default. A program without a stack file tells by its stack's name."""
UNLESS_SAID: Mapping[Cloud, bool] = {"aws": False, "gcp": True, "azure": False}
"""Whether a cluster is protected where the program says nothing: EKS's API leaves it off, the provider for Google Cloud turns it on."""
REPAIR: Mapping[Cloud, str] = {
    "aws": "Set deletionProtection true",
    "gcp": "Set deletionProtection true",
    "azure": "AKS has no such switch: set Pulumi's option protect",
}


def _unprotected(case: Case) -> Iterator[Verdict]:
    environment = _environment(case)
    for plane in case.inventory.control_planes if environment else ():
        if plane.existing or not any(pool.cluster == plane.urn for pool in gpu_pools_of(case, plane.urn)):
            continue
        text = (
            f"a GPU cluster of {environment} that nothing protects. A destroy of the wrong stack, or a change that replaces it, ends every job and service "
            f"on it, and its capacity may not come back. {REPAIR[plane.cloud]}, and take it off in a step of its own when the cluster is to go."
        )
        so = "it cannot be told whether anything protects the cluster"
        where = Place(plane.urn, plane.name, "protect" if plane.cloud == "azure" else "deletionProtection")
        yield from judged(False if plane.protected else denied(_by_cloud(plane)), where, text, so)


def _by_cloud(plane: ControlPlane) -> Maybe[bool]:
    return mapped(plane.deletion_protection, lambda said: UNLESS_SAID[plane.cloud] if said is None else said)


def _environment(case: Case) -> str | None:
    """The lasting environment that the stack is for; None for others."""
    said = case.settings.environment
    words = re.split(r"[^a-z]+", case.inventory.stack.casefold()) if said is None else [said]
    return next((word for word in words if word in LASTING), None)


RULES = (
    Rule(
        id="GPU-KEEP-01",
        title="GPU clusters of prod and staging are protected from deletion",
        failures=(),
        scope=Scope.STACK,
        check=_unprotected,
        fix="deletionProtection: true on EKS and GKE; ResourceOptions(protect=True) on AKS",
        parameters=("the stack's environment, else its name",),
        level=Level.ADVISORY,
    ),
)
