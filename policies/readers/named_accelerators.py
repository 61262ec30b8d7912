"""Accelerators that a resource names though no reader knows its kind: Cloud Run with GPUs, workstations, Container Apps profiles and more."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from components import catalog
from components.resource import Resource, strings

_PACKAGES = ("gcp", "google-native", "azure", "azure-native")
_NAMING_ONLY = frozenset(
    {
        *("authorization", "policyinsights", "orgpolicy", "organizations", "iam", "policy"),  # what is allowed
        *("quota", "cloudquota", "cloudquotas", "serviceusage", "consumption", "costmanagement", "billing", "capacity"),  # caps and bills
        *("monitoring", "monitor", "insights", "logging", "portal", "dashboard", "bigquery", "storage", "secretmanager", "keyvault"),
    }
)
"""Modules whose resources speak of machines that others start."""
_KIND = re.compile(r"\bnvidia-[a-z0-9]+(?:-[a-z0-9]+)*|nvidia\.com/gpu", re.IGNORECASE)
"""Google's words for accelerators (`nvidia-l4`), and the resource by which containers ask for GPUs."""
_PROFILE = re.compile(r"(?:Consumption-GPU-)?NC\d+[a-z]*-[A-Z]+\d+", re.IGNORECASE)
"""Workload profiles of Azure Container Apps with GPUs: `NC24-A100`, `Consumption-GPU-NC8as-T4` (Microsoft Learn, workload profiles)."""
_LONGEST = 400
"""Longer texts are scripts and documents, which may speak of anything."""


def named_accelerator(resource: Resource) -> str | None:
    """The first accelerator or GPU machine that the inputs name, in packages of Google Cloud and Azure."""
    package, _, rest = resource.type.partition(":")
    if package not in _PACKAGES or rest.partition("/")[0].partition(":")[0] in _NAMING_ONLY:
        return None
    cloud = "azure" if package.startswith("azure") else "gcp"
    return next((found for text in strings(resource.inputs, keys=True) if (found := _named(cloud, text)) is not None), None)


def _named(cloud: str, text: str) -> str | None:
    if len(text) > _LONGEST:
        return None
    machine = _accelerated(cloud).get(text.rpartition("/")[2].casefold())
    if machine is not None:
        return machine
    found = _PROFILE.fullmatch(text) if cloud == "azure" else _KIND.search(text)
    return found[0] if found is not None else None


@cache
def _accelerated(cloud: str) -> Mapping[str, str]:
    return {machine.name.casefold(): machine.name for machine in catalog.machines(cloud) if machine.accelerated}
