"""JSON files that people hand over: whatever is wrong with one is a ValueError of one sentence."""

from __future__ import annotations

import json
from pathlib import Path

LARGEST = 1e15
"""No price, limit or usage comes near it; larger ones would end in infinities when they are added up."""


def read_json(path: Path, what: str) -> object:
    """The document in `path`. Raises ValueError that begins with `what` and the file's name, OSError when it cannot be read."""
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))  # some editors write a mark before it
    except RecursionError:
        raise ValueError(f"{what} {path.name} is nested too deeply to be read") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{what} {path.name} is no JSON: {error}") from error
    except ValueError:  # what is left: Python reads whole numbers of at most 4,300 digits
        raise ValueError(f"{what} {path.name} holds a number of thousands of digits, which nobody can have meant") from None


def finite(value: object) -> float | None:
    """A number of at least 0 that can be added up; None for everything else, infinities and booleans among it."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LARGEST:
        return None
    return float(value)


def bound(value: object) -> str:
    """` and at most …` where a number was refused for its size."""
    large = isinstance(value, int | float) and value > LARGEST
    return f" and at most {LARGEST:g}" if large else ""
