"""What this machine has and lacks for real AWS."""

from __future__ import annotations

import os

from components.aws.budget_outline import BLIND_SPOT
from scripts.engine import aws_identity
from scripts.engine.examined import Health, Item, asked


def items() -> tuple[Item, ...]:
    return (asked("aws credentials", _credentials), _cost_tag())


def _credentials() -> Item:
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or "us-east-1"
    found = aws_identity.caller("", region)
    if found is None:
        return Item("aws credentials", Health.OPTIONAL, "", f"only for real clouds: sign in, for example {aws_identity.SIGN_IN}")
    return Item("aws credentials", Health.OK, f"{found.name} in account {found.account}")


def _cost_tag() -> Item:
    """Only the account that pays could tell, and Cost Explorer bills every question."""
    return Item("aws cost tag", Health.UNKNOWN, "not looked at", BLIND_SPOT)
