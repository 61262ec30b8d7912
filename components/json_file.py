"""JSON files that people hand over: whatever is wrong with one is a ValueError of one sentence."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, cast

from .refusals import json_kind, written

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


def document(value: object, what: str, schema: str) -> Mapping[str, Any]:
    """`value` as an object of `schema`. Raises ValueError that begins with `what` for anything else."""
    found = cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else None
    if found is None:
        raise ValueError(f'{what}: a JSON object with "schema": "{schema}" is expected, this is {json_kind(value)}')
    if found.get("schema") != schema:
        raise ValueError(f"{what}: schema is {written(found, 'schema')}, give {schema!r}")
    return found


def day(value: object, where: str, meaning: str = "the day") -> date:
    """A date as text. Raises ValueError that begins with `where` and asks for `meaning`."""
    try:
        return date.fromisoformat(cast("str", value))
    except (TypeError, ValueError) as error:
        said = "missing" if value is None else repr(value)
        raise ValueError(f"{where} is {said}, give {meaning} such as 2026-11-30") from error


def finite(value: object) -> float | None:
    """A number of at least 0 that can be added up; None for everything else, infinities and booleans among it."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LARGEST:
        return None
    return float(value)


def bound(value: object) -> str:
    """` and at most …` where a number was refused for its size."""
    large = isinstance(value, int | float) and value > LARGEST
    return f" and at most {LARGEST:g}" if large else ""
