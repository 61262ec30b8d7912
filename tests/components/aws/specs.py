"""Valid specs to start from, and the recording of what is built from them."""

from __future__ import annotations

from typing import Any

from components.aws.stack import build
from tests.components.family import Family, only, spec
from tests.components.patching import changed
from tests.components.recorded_once import once

__all__ = ["changed", "made_anew", "only", "recorded", "spec"]

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

FAMILY = Family(plain_training=TRAINING, plain_inference=INFERENCE, region=REGION, stack=STACK, build=build)
training, inference, recorded, made_anew = FAMILY.training, FAMILY.inference, FAMILY.recorded, FAMILY.made_anew
built = once(made_anew)
