"""Valid specs to start from, and the recording of what is built from them."""

from __future__ import annotations

from typing import Any

from components.azure.stack import build
from components.resource import Resource, ResourceSet
from tests.components.family import Family, only, spec
from tests.components.patching import changed
from tests.components.recorded_once import once

__all__ = ["changed", "made_anew", "only", "recorded", "spec"]

REGION = "eastus"
STACK = "azure-test"
ACCOUNT = "00000000-0000-0000-0000-000000000000"
ADMINS = "11111111-1111-1111-1111-111111111111"
GROUP = f"/subscriptions/{ACCOUNT}/resourceGroups/reserved/providers/Microsoft.Compute/capacityReservationGroups/h100"

_SHARED: dict[str, Any] = {
    "cloud": "azure",
    "account": ACCOUNT,
    "owner": "ml-platform",
    "name": "lab",
    "network": {"zones": ["1", "2"]},
    "access": {"api_cidrs": ["203.0.113.0/24"], "admins": [ADMINS]},
    "tags": {"cost-center": "4711"},
}
TRAINING: dict[str, Any] = {
    **_SHARED,
    "workload": "training",
    "pools": [{"name": "h100", "machine": "Standard_ND96isr_H100_v5", "nodes": {"min": 0, "max": 4}}],
}
INFERENCE: dict[str, Any] = {
    **_SHARED,
    "workload": "inference",
    "pools": [{"name": "a100", "machine": "Standard_NC24ads_A100_v4", "nodes": {"min": 0, "max": 8}}],
}

FAMILY = Family(plain_training=TRAINING, plain_inference=INFERENCE, region=REGION, stack=STACK, build=build)
training, inference, recorded, made_anew = FAMILY.training, FAMILY.inference, FAMILY.recorded, FAMILY.made_anew
built = once(made_anew)


def one(resources: ResourceSet, type_: str, name: str = "") -> Resource:
    """As `only`, with the type as azure-native spells it after its own name."""
    return only(resources, f"azure-native:{type_}", name)
