"""What an account answered, as a snapshot that any later plan can be judged against: limits and usage, nothing else of the account."""

from __future__ import annotations

import json
import os
from datetime import date
from pathlib import Path
from typing import Any

from components.demand import SCHEMA
from scripts.errors import BadInput

from .readings import Reading, Readings


def document(found: Readings, *, account: str, taken: date) -> dict[str, Any]:
    """A `gpukit/quota/1` document. The account's id is in it, as another account's limits would judge wrongly; it opens nothing."""
    rows = sorted(found.readings, key=lambda reading: (reading.cloud, reading.region, reading.code))
    return {
        "schema": SCHEMA,
        "taken": taken.isoformat(),
        "account": account,
        "source": "gpukit quota --live",
        "quotas": [_row(r) for r in rows],
    }


def _row(reading: Reading) -> dict[str, Any]:
    return {
        "cloud": reading.cloud,
        "region": reading.region,
        "code": reading.code,
        "name": reading.name,
        "unit": reading.unit,
        "limit": reading.limit,
        "usage": reading.usage,
        "stacks": dict(reading.own),
    }


def save(snapshot: dict[str, Any], file: str) -> None:
    """Write it whole or not at all. Raises BadInput where the place cannot be written."""
    path = Path(file)
    half = path.with_name(f".{path.name}.part")
    try:
        half.write_text(json.dumps(snapshot, indent=2) + "\n", encoding="utf-8")
        os.replace(half, path)  # noqa: PTH105 # atomic on every file system
    except OSError as error:
        raise BadInput(f"--save {file} cannot be written ({error.strerror}): give a file in a folder that is there.") from None
