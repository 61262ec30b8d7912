"""JSON as Go's encoding/json writes it, byte for byte: a program sees its structured config in this form."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import TypeAlias

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"
"""A JSON value."""

_HTML = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"})


def dumps(value: Plain, *, any_number: bool = False) -> str:
    """Sorted keys, no spaces, HTML characters escaped, numbers in Go's shortest form.

    Raises ValueError for infinities and NaN, which JSON cannot hold; with `any_number` they are written as Python's `json` reads them,
    for readers that refuse them by name.
    """
    if isinstance(value, float):
        return json.dumps(value) if any_number and not math.isfinite(value) else number(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).translate(_HTML)
    if isinstance(value, dict):
        return "{" + ",".join(f"{dumps(key)}:{dumps(value[key], any_number=any_number)}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(dumps(item, any_number=any_number) for item in value) + "]"
    if isinstance(value, int) and not isinstance(value, bool) and value >= 2**63:
        return number(_float(value))
    return json.dumps(value)


def _float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        raise ValueError("an integer of hundreds of digits is no number that JSON can hold") from None


def number(value: float) -> str:
    """A float in Go's form: fixed below 1e21 and from 1e-6, else with an exponent of no leading zero; -0 is 0 once YAML has carried it."""
    if not math.isfinite(value):
        raise ValueError(f"{value} is no number that JSON can hold")
    if value == 0:
        return "0"
    shortest = repr(float(value))
    if 1e-6 <= abs(value) < 1e21:
        return format(Decimal(shortest), "f").removesuffix(".0")
    mantissa, _, exponent = shortest.partition("e")
    return f"{mantissa.removesuffix('.0')}e{int(exponent):+}"
