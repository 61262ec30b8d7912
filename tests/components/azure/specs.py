"""Valid specs to start from, and the recording of what is built from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from components.azure.stack import build
from components.resource import Resource, ResourceSet
from components.spec import ClusterSpec, InferenceSpec, TrainingSpec
from scripts.plan.recorder import record
from tests.components.aws.specs import changed, only
from tests.components.recorded_once import once

__all__ = ["changed", "only"]

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


def spec(raw: Mapping[str, Any], patch: Mapping[str, Any] | None = None) -> TrainingSpec | InferenceSpec:
    return TypeAdapter[TrainingSpec | InferenceSpec](ClusterSpec).validate_python(changed(raw, patch or {}))


def training(patch: Mapping[str, Any] | None = None) -> TrainingSpec:
    made = spec(TRAINING, patch)
    assert isinstance(made, TrainingSpec)
    return made


def inference(patch: Mapping[str, Any] | None = None) -> InferenceSpec:
    made = spec(INFERENCE, patch)
    assert isinstance(made, InferenceSpec)
    return made


def recorded(program: Callable[[], Any]) -> ResourceSet:
    """What `program` registers, in a preview of a new stack. Fails the test when the program fails."""
    recording = record(program, project="gpukit", stack=STACK, config={}, directory=Path(__file__).parent)
    assert recording.error is None, recording.error
    return recording.resources


def made_anew(spec: TrainingSpec | InferenceSpec) -> ResourceSet:
    return recorded(lambda: build(spec, region=REGION, stack=STACK) and None)


built = once(made_anew)


def one(resources: ResourceSet, type_: str, name: str = "") -> Resource:
    """As `only`, with the type as azure-native spells it after its own name."""
    return only(resources, f"azure-native:{type_}", name)
