"""What gpukit calls on AWS: for each resource type through the AWS provider, and directly.

Actions are IAM's own names. The operations behind each type are those by which the Terraform AWS provider, on which pulumi-aws is built,
makes, reads, changes and deletes it; that every one of them exists is tested against the service models that botocore ships.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

DATA = Path(__file__).parent / "data"


class Role(StrEnum):
    """Who runs gpukit, for what."""

    DEPLOY = "deploy"
    """`gpukit up`, `preview`, `refresh`; `pulumi up`."""
    PLAN = "plan"
    """`gpukit plan` and `check` with quotas asked from the account."""
    IDLE = "idle"
    """Finds idle pools and scales them to zero."""
    TEARDOWN = "teardown"
    """Destroys what is not data, and looks for what is left."""


@dataclass(frozen=True, kw_only=True)
class Calls:
    """IAM actions of one resource type."""

    create: frozenset[str]
    read: frozenset[str]
    update: frozenset[str]
    delete: frozenset[str]


@cache
def types() -> Mapping[str, Calls]:
    """By type token."""
    return {
        row["type"]: Calls(
            create=frozenset(row["create"].split()),
            read=frozenset(row["read"].split()),
            update=frozenset(row["update"].split()),
            delete=frozenset(row["delete"].split()),
        )
        for row in _rows("types.csv")
    }


@cache
def direct(role: Role) -> frozenset[str]:
    """Actions that gpukit itself needs in a role, beside the provider."""
    return frozenset(row["action"] for row in _rows("calls.csv") if role in row["roles"].split())


def _rows(name: str) -> Iterator[dict[str, str]]:
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)
