"""Valid specs to start from, and the recording of what is built from them."""

from __future__ import annotations

from typing import Any

from components.gcp.stack import build
from tests.components.family import Family, only, spec
from tests.components.patching import changed
from tests.components.recorded_once import once

__all__ = ["changed", "made_anew", "only", "recorded", "spec"]

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

FAMILY = Family(plain_training=TRAINING, plain_inference=INFERENCE, region=REGION, stack=STACK, build=build)
training, inference, recorded, made_anew = FAMILY.training, FAMILY.inference, FAMILY.recorded, FAMILY.made_anew
built = once(made_anew)
