"""Closed lists of values in Google's API models, in `enums.csv`: which API, which property of which message, what it takes.

The source is Google's discovery documents, as google-api-python-client bundles them; a test compares. They are kept here because the
documents weigh many megabytes, and the client libraries' messages cannot be loaded beside those of Pulumi's own protocol.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("enums.csv")
UNSPECIFIED = "UNSPECIFIED"


@cache
def _rows() -> dict[tuple[str, str], tuple[str, ...]]:
    with FILE.open(newline="") as file:
        return {(row["api"], row["property"]): tuple(row["values"].split()) for row in csv.DictReader(file)}


def values(api: str, place: str) -> tuple[str, ...]:
    """What the property `place` (`NodePoolAutoscaling.locationPolicy`) of an API (`container`) takes. Raises KeyError when it is not held."""
    return _rows()[api, place]


def places() -> tuple[tuple[str, str], ...]:
    """All that are held."""
    return tuple(_rows())
