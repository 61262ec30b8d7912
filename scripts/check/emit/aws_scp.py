"""The limits as a service control policy of AWS Organizations.

Grammar and sizes: AWS Organizations User Guide, "SCP syntax" and "Quotas and service limits"; condition keys: Service Authorization
Reference, pages of Amazon EC2 and Amazon EKS. It only denies: what it leaves, other policies must still allow.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from policies.limits import Limits
from scripts.errors import BadInput

from .own_words import machines, regions, required_tags

MOST_CHARACTERS = 5_120
"""White space counts too."""
LAUNCHES = (
    "autoscaling:CreateAutoScalingGroup",
    "ec2:CreateCapacityReservation",
    "ec2:CreateFleet",
    "ec2:PurchaseCapacityBlock",
    "ec2:RequestSpotFleet",
    "ec2:RequestSpotInstances",
    "ec2:RunInstances",
    "eks:CreateCluster",
    "eks:CreateNodegroup",
)
"""Whatever brings machines or a control plane into a region."""
NOTES = (
    (
        "Organizations exempts service-linked roles: instances that managed node groups and Auto Scaling launch by theirs are not stopped by "
        "machine. They are judged by `gpukit check` and the policy pack."
    ),
    "The statement on tags holds for every EKS cluster: a policy cannot see whether one will have GPUs.",
    "No such policy knows prices: ceilings stay with `gpukit check` and the stack's budget.",
)


def scp(limits: Limits) -> dict[str, Any]:
    """The policy document."""
    return {"Version": "2012-10-17", "Statement": list(_statements(limits))}


def text(limits: Limits) -> str:
    """As JSON, laid out where that fits. Raises BadInput when even without white space it is longer than AWS takes."""
    document = scp(limits)
    if not document["Statement"]:
        raise BadInput(
            "--emit aws-scp: the limits allow every machine, region and tag: name some under `allowed` in the limits file, then emit again."
        )
    laid_out = json.dumps(document, indent=2)
    compact = json.dumps(document, separators=(",", ":"))
    if len(compact) > MOST_CHARACTERS:
        raise BadInput(
            f"--emit aws-scp: {len(limits.allowed.machines)} machines and {len(limits.allowed.regions)} regions make {len(compact):,} characters, "
            f"AWS takes {MOST_CHARACTERS:,} in one policy. A list of what is allowed cannot be split, as each half would deny the other's: shorten it."
        )
    return laid_out if len(laid_out) <= MOST_CHARACTERS else compact


def _statements(limits: Limits) -> Iterator[dict[str, Any]]:
    allowed = machines(limits, "aws")
    if allowed is not None:
        yield _deny("GpukitMachines", ["ec2:RunInstances"], "arn:aws:ec2:*:*:instance/*", _unless("ec2:InstanceType", allowed))
    places = regions(limits, "aws")
    if places is not None:
        yield _deny("GpukitRegions", list(LAUNCHES), "*", _unless("aws:RequestedRegion", places))
    for number, keys in enumerate(required_tags(limits, "aws"), 1):
        absent = {f"aws:RequestTag/{key}": "true" for key in keys}
        yield _deny(f"GpukitClusterTag{number}", ["eks:CreateCluster"], "*", {"Null": absent})


def _unless(key: str, values: tuple[str, ...]) -> dict[str, Any]:
    """No condition where nothing is allowed: an empty list of values is no valid one."""
    return {"StringNotEquals": {key: list(values)}} if values else {}


def _deny(sid: str, actions: list[str], resource: str, condition: dict[str, Any]) -> dict[str, Any]:
    statement = {"Sid": sid, "Effect": "Deny", "Action": actions, "Resource": resource}
    return {**statement, "Condition": condition} if condition else statement
