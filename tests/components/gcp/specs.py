"""Valid specs to start from, and the recording of what is built from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from components.gcp.stack import build
from components.resource import Resource, ResourceSet
from components.spec import ClusterSpec, InferenceSpec, TrainingSpec
from scripts.plan.recorder import record
from tests.components.patching import changed
from tests.components.recorded_once import once

REGION = "us-central1"
STACK = "gcp-test"
PROJECT = "ml-platform-dev"

CLUSTER = "gcp:container/cluster:Cluster"
POOL = "gcp:container/nodePool:NodePool"
NETWORK, SUBNET, FIREWALL = "gcp:compute/network:Network", "gcp:compute/subnetwork:Subnetwork", "gcp:compute/firewall:Firewall"

_SHARED: dict[str, Any] = {
    "cloud": "gcp",
    "account": PROJECT,
    "owner": "ml-platform",
    "name": "lab",
    "network": {"zones": ["us-central1-a", "us-central1-b"]},
    "access": {"api_cidrs": ["203.0.113.0/24"], "admins": ["platform@example.com"]},
    "tags": {"cost-center": "4711"},
}
TRAINING: dict[str, Any] = {
    **_SHARED,
    "workload": "training",
    "pools": [
        {"name": "h100", "machine": "a3-megagpu-8g", "zone": "us-central1-a", "nodes": {"min": 0, "max": 4}, "capacity": {"mode": "spot"}}
    ],
}
INFERENCE: dict[str, Any] = {
    **_SHARED,
    "workload": "inference",
    "pools": [{"name": "l4", "machine": "g2-standard-8", "zone": "us-central1-a", "nodes": {"min": 0, "max": 8}}],
}
TPU: dict[str, Any] = {
    **_SHARED,
    "workload": "training",
    "pools": [
        {
            "name": "v6e",
            "machine": "ct6e-standard-4t",
            "zone": "us-central1-a",
            "topology": "4x4",
            "nodes": {"min": 0, "max": 4},
            "capacity": {"mode": "spot"},
        }
    ],
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
