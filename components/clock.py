"""One clock for program, pack, command line and simulated world.

`GPUKIT_NOW` (ISO 8601) sets it in the sandbox only, so that a lease or a window in a shipped stack never breaks a run as days pass;
the real world ignores it.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime

CATALOGUE_DATE = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
"""The day on which the catalogue's facts were collected, and the sandbox's default time."""


def in_sandbox() -> bool:
    return os.environ.get("GPUKIT_WORLD") == "sandbox"


def now() -> datetime:
    """The present, timezone-aware.

    Raises ValueError when `GPUKIT_NOW` is not a time: a wrong clock must not decide on leases.
    """
    if not in_sandbox():
        return datetime.now(UTC)
    text = os.environ.get("GPUKIT_NOW", "")
    if not text:
        return CATALOGUE_DATE
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"GPUKIT_NOW is {text!r}: give an ISO 8601 time such as 2026-11-30T12:00:00Z") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
