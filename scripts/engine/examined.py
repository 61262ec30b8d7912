"""What `gpukit doctor` says of one thing, and how it looks without failing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from scripts.errors import GpukitError


class Health(StrEnum):
    OK = "ok"
    MISSING = "missing"
    """Absent, and something does not work without it."""
    OPTIONAL = "not there"
    """Absent, and needed only for what `advice` names."""
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Item:
    name: str
    health: Health
    found: str
    advice: str = ""


def asked(name: str, ask: Callable[[], Item]) -> Item:
    """What `ask` finds; *unknown* when it cannot look."""
    try:
        return ask()
    except (GpukitError, ImportError, OSError) as error:
        return Item(name, Health.UNKNOWN, "", str(error))
