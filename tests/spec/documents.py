"""Valid values of `gpukit:cluster`, one for each cloud, and a way to change one thing in a copy."""

from __future__ import annotations

import copy
from typing import Any

from components.refusals import SpecError
from components.spec.reading import read

Document = dict[str, Any]

REGIONS = {"aws": "us-east-1", "gcp": "us-central1", "azure": "eastus"}
RESERVATION_GROUP = (
    "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/gpu/providers/Microsoft.Compute/capacityReservationGroups/h100"
)


def aws_training() -> Document:
    return {
        "cloud": "aws",
        "account": "123456789012",
        "environment": "dev",
        "workload": "training",
        "owner": "ml-platform",
        "lease": {"expires": "2027-03-01"},
        "network": {"zones": ["us-east-1b", "us-east-1d"], "cidr": "10.64.0.0/16", "nat": "single"},
        "access": {"api": "public", "api_cidrs": ["203.0.113.0/24"], "admins": ["arn:aws:iam::123456789012:role/platform"]},
        "pools": [
            {
                "name": "a100",
                "machine": "p4d.24xlarge",
                "zone": "us-east-1d",
                "nodes": {"min": 0, "max": 4},
                "capacity": {"mode": "spot"},
            }
        ],
    }


def aws_inference() -> Document:
    pool = {"name": "a10g", "machine": "g5.2xlarge", "nodes": {"min": 0, "max": 8}, "sharing": {"time_slices": 4}}
    return {**aws_training(), "workload": "inference", "pools": [pool]}


def gcp_training() -> Document:
    pool = {
        "name": "h100",
        "machine": "a3-megagpu-8g",
        "zone": "us-central1-a",
        "nodes": {"min": 0, "max": 4},
        "capacity": {"mode": "flex_start"},
    }
    return {
        "cloud": "gcp",
        "account": "my-project",
        "workload": "training",
        "owner": "ml-platform",
        "access": {"api_cidrs": ["203.0.113.0/24"]},
        "pools": [pool],
    }


def azure_training() -> Document:
    pool = {
        "name": "h100",
        "machine": "Standard_ND96isr_H100_v5",
        "nodes": {"min": 0, "max": 4},
        "capacity": {"mode": "reservation", "group": RESERVATION_GROUP},
    }
    return {
        "cloud": "azure",
        "account": "00000000-0000-0000-0000-000000000000",
        "workload": "training",
        "owner": "ml-platform",
        "access": {"api_cidrs": ["203.0.113.0/24"]},
        "pools": [pool],
    }


MAKERS = {"aws": aws_training, "aws inference": aws_inference, "gcp": gcp_training, "azure": azure_training}


def changed(document: Document, path: str, value: object) -> Document:
    """A copy of `document` with `value` at a dotted path such as `pools.0.capacity.mode`. Missing mappings on the way are made."""
    made = copy.deepcopy(document)
    at: Any = made
    *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    for step in way:
        at = at[step] if isinstance(step, int) else at.setdefault(step, {})
    at[last] = value
    return made


def errors(document: object) -> dict[str, str]:
    """The refusals of `document` in its own region: path to whole text."""
    cloud = document.get("cloud") if isinstance(document, dict) else None
    _, found = read(document, region=REGIONS.get(str(cloud)))
    return {error.path: str(error) for error in found}


def spec_errors(document: object) -> tuple[SpecError, ...]:
    return read(document, region="us-east-1")[1]
