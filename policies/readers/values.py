"""Plain values out of raw properties: what has the wrong type is unknown, what is blank is absent."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar, cast

from components.resource import Value, read
from components.unknown import Maybe, Unknown

T = TypeVar("T")
R = TypeVar("R")
LARGEST_COUNT = 1_000_000_000
"""No count or size of a cloud is larger; beyond it sums of money and quota would end in infinities."""
LARGEST_QUANTITY = 1e18
"""The same for quantities, which count bytes."""
OUTSIDE = "outside this program"
"""Ends the reason of what is named here and made elsewhere: no plain value would help."""


def whole(value: Value, path: str) -> Maybe[int | None]:
    """A count: policies and JSON give 4.0 for 4, some bridges give "4"."""
    if isinstance(value, Unknown) or value is None:
        return value
    number = _number(value)
    if number is None or not number.is_integer() or not 0 <= number <= LARGEST_COUNT:
        return Unknown(path, f"not readable: no whole number from 0 to {LARGEST_COUNT:,}")
    return int(number)


def number(value: Value, path: str) -> Maybe[float | None]:
    if isinstance(value, Unknown) or value is None:
        return value
    found = _number(value)
    return (
        found
        if found is not None and 0 <= found <= LARGEST_COUNT
        else Unknown(path, f"not readable: no number from 0 to {LARGEST_COUNT:,}")
    )


def _number(value: Value) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def text(value: Value, path: str) -> Maybe[str | None]:
    """A word. Providers store "" for what the program leaves out."""
    if isinstance(value, Unknown) or value is None:
        return value
    if not isinstance(value, str):
        return Unknown(path, "not readable: no text")
    return value or None


def flag(value: Value, path: str) -> Maybe[bool | None]:
    """A switch. Launch templates write "true" and "false" as text."""
    if isinstance(value, Unknown) or value is None or isinstance(value, bool):
        return value
    if isinstance(value, str) and value in ("true", "false", ""):
        return value == "true" if value else None
    return Unknown(path, "not readable: neither true nor false")


def items(value: Value, path: str) -> Maybe[tuple[Value, ...]]:
    """A list; absent is empty."""
    if isinstance(value, Unknown):
        return value
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        return Unknown(path, "not readable: no list")
    return tuple(cast("Iterable[Value]", value))


def mapping(value: Value, path: str) -> Maybe[Mapping[str, Value]]:
    """An object; absent is empty."""
    if isinstance(value, Unknown):
        return value
    if value is None:
        return {}
    return cast("Mapping[str, Value]", value) if isinstance(value, Mapping) else Unknown(path, "not readable: no object")


def texts(value: Value, path: str) -> Maybe[Mapping[str, Maybe[str | None]]]:
    """An object of words. Numbers and switches count as words, as YAML writes `8` where Kubernetes means "8"."""
    found = mapping(value, path)
    if isinstance(found, Unknown):
        return found
    return {str(key): word(read(inner, _seen=f"{path}.{key}"), f"{path}.{key}") for key, inner in found.items()}


def word(value: Value, path: str) -> Maybe[str | None]:
    """A word that YAML may have taken for a number or a switch."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"{value}"
    return text(value, path)


_SUFFIXES = {"": 1.0, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40}


def quantity(value: Value, path: str) -> Maybe[float | None]:
    """A Kubernetes quantity such as `8`, `500m` or `5Gi` as a number; None when absent."""
    said = word(value, path)
    if isinstance(said, Unknown) or said is None:
        return said
    digits = said.rstrip("mkMGTKi")
    factor = _SUFFIXES.get(said[len(digits) :])
    amount = _number(digits)
    if factor is None or amount is None or amount < 0 or amount * factor > LARGEST_QUANTITY:
        return Unknown(path, "not readable: no quantity such as 8 or 5Gi")
    return amount * factor


def given(value: Maybe[T | None], path: str, reason: str) -> Maybe[T]:
    """`value`, with an absent one turned into an unknown one."""
    return Unknown(path, reason) if value is None else value


def first(*values: Maybe[T | None]) -> Maybe[T | None]:
    """The first value that is not absent; an unknown one counts as given."""
    return next((value for value in values if value is not None), None)


def mapped(value: Maybe[T], judge: Callable[[T], R]) -> Maybe[R]:
    """What `judge` says of a value that is known; an unknown one stays unknown."""
    return value if isinstance(value, Unknown) else judge(value)


def denied(claim: Maybe[bool]) -> Maybe[bool]:
    return mapped(claim, lambda held: not held)


def any_of(claims: Iterable[Maybe[bool]]) -> Maybe[bool]:
    """True as soon as one claim holds; unknown when none does and one cannot be told."""
    unknown: Unknown | None = None
    for claim in claims:
        if isinstance(claim, Unknown):
            unknown = claim if unknown is None else unknown
        elif claim:
            return True
    return False if unknown is None else unknown


def all_of(claims: Iterable[Maybe[bool]]) -> Maybe[bool]:
    """False as soon as one claim fails; unknown when none does and one cannot be told."""
    unknown: Unknown | None = None
    for claim in claims:
        if isinstance(claim, Unknown):
            unknown = claim if unknown is None else unknown
        elif not claim:
            return False
    return True if unknown is None else unknown
