"""Discounts for committing to one or three years."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Literal, cast

from .names import Cloud, cloud_named
from .tables import as_of, rows, source


@dataclass(frozen=True, slots=True, kw_only=True)
class Commitment:
    """What a commitment takes off the on-demand price of a machine family. `notes` name the machine, region and prices behind it."""

    cloud: Cloud
    family: str
    """As the cloud's price list groups machines; not always `Machine.family`."""
    kind: str
    term: Literal["1y", "3y"]
    discount_percent: float
    notes: str
    source: str
    as_of: date | None


@cache
def commitments(cloud: str) -> tuple[Commitment, ...]:
    """Known discounts of the cloud. Raises UnknownName for an unknown cloud."""
    known_cloud = cloud_named(cloud)
    return tuple(
        Commitment(
            cloud=known_cloud,
            family=row["family"],
            kind=row["kind"],
            term=cast('Literal["1y", "3y"]', row["term"]),
            discount_percent=float(row["discount_percent"]),
            notes=row["notes"],
            source=source(row),
            as_of=as_of(row),
        )
        for row in rows("commitments")
        if row["cloud"] == known_cloud
    )
