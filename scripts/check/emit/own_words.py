"""Which of the limits' machines and regions are whose: the file lists those of all clouds together, each as its cloud spells it."""

from __future__ import annotations

import re

from components.catalog.names import Cloud
from components.naming import tag_key
from policies.limits import Limits
from policies.rules.tags import END, OWNER

_AWS_REGION = re.compile(r"[a-z]{2}(-[a-z]+)+-\d+")
_AZURE_REGION = re.compile(r"[a-z]+\d*")
TAG_RULE = "GPU-TAG-02"


def machines(limits: Limits, cloud: Cloud) -> tuple[str, ...] | None:
    """Allowed machines of `cloud`, sorted; () when only other clouds' are allowed, None when all are."""
    names = limits.allowed.machines
    return tuple(sorted({name for name in names if machine_cloud(name) == cloud})) if names else None


def regions(limits: Limits, cloud: Cloud) -> tuple[str, ...] | None:
    """Allowed regions of `cloud`, sorted; () when only other clouds' are allowed, None when all are."""
    names = limits.allowed.regions
    return tuple(sorted({name for name in names if region_cloud(name) == cloud})) if names else None


def required_tags(limits: Limits, cloud: Cloud) -> tuple[tuple[str, ...], ...]:
    """What a cluster must be tagged with: of each group one key. The keys that the rule takes, as far as a policy can name them."""
    if limits.levels.get(TAG_RULE) == "disabled":
        return ()
    return ((tag_key(cloud, "owner"), *OWNER), (tag_key(cloud, "expires"), *END))


def machine_cloud(name: str) -> Cloud:
    """By its spelling: `p5.48xlarge`, `Standard_ND96isr_H100_v5`, `a3-megagpu-8g`."""
    if name.casefold().startswith(("standard_", "basic_")):
        return "azure"
    return "aws" if "." in name else "gcp"


def region_cloud(name: str) -> Cloud:
    """By its spelling: `us-east-1`, `eastus2`, `us-central1`."""
    if _AWS_REGION.fullmatch(name):
        return "aws"
    return "azure" if _AZURE_REGION.fullmatch(name) else "gcp"
