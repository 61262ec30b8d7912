"""What gpukit calls on AWS: for each resource type through the AWS provider, and directly.

Actions are IAM's own names. The operations behind each type are those by which the Terraform AWS provider, on which pulumi-aws is built,
makes, reads, changes and deletes it; that every one of them exists is tested against the service models that botocore ships.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
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
    return calls_by_type("types.csv")


@cache
def direct(role: Role) -> frozenset[str]:
    """Actions that gpukit itself needs in a role, beside the provider."""
    return called_directly("calls.csv", "action", role)


def calls_by_type(table: str) -> dict[str, Calls]:
    """The rows of a table in `data`: a type token each, with what its calls need."""
    return {row["type"]: Calls(**{call.name: frozenset(row[call.name].split()) for call in fields(Calls)}) for row in _rows(table)}


def called_directly(table: str, column: str, role: Role) -> frozenset[str]:
    """What the rows of a table in `data` allow a role."""
    return frozenset(row[column] for row in _rows(table) if role in row["roles"].split())


def _rows(name: str) -> Iterator[dict[str, str]]:
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)
