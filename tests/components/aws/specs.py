"""Valid specs to start from, and the recording of what is built from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from components.aws.stack import build
from components.resource import Resource, ResourceSet
from components.spec import ClusterSpec, InferenceSpec, TrainingSpec
from scripts.plan.recorder import record
from tests.components.patching import changed
from tests.components.recorded_once import once

REGION = "us-east-1"
STACK = "aws-test"

_SHARED: dict[str, Any] = {
    "cloud": "aws",
    "account": "123456789012",
    "owner": "ml-platform",
    "name": "lab",
    "network": {"zones": ["us-east-1b", "us-east-1d"]},
    "access": {"api_cidrs": ["203.0.113.0/24"], "admins": ["arn:aws:iam::123456789012:role/platform"]},
    "tags": {"cost-center": "4711"},
}
TRAINING: dict[str, Any] = {
    **_SHARED,
    "workload": "training",
    "pools": [
        {"name": "a100", "machine": "p4d.24xlarge", "zone": "us-east-1d", "nodes": {"min": 0, "max": 4}, "capacity": {"mode": "spot"}}
    ],
}
INFERENCE: dict[str, Any] = {
    **_SHARED,
    "workload": "inference",
    "pools": [{"name": "a10g", "machine": "g5.2xlarge", "zone": "us-east-1b", "nodes": {"min": 0, "max": 8}}],
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


def only(resources: ResourceSet, type_: str, name: str = "") -> Resource:
    """The one resource of `type_` whose name ends in `name`."""
    found = [r for r in resources.of_type(type_) if r.name.endswith(name)]
    assert len(found) == 1, [r.name for r in resources.of_type(type_)]
    return found[0]
