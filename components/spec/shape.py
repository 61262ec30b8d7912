"""What pydantic says about the stack file, in plain words."""

from __future__ import annotations

import re
from typing import Any

from pydantic_core import ErrorDetails

from components.refusals import SpecError, nearest, shown

from .paths import KEY, dotted, file_loc, keys_at, meaning, modes_with

_MESSAGES = {
    "int_type": "a whole number is expected",
    "int_parsing": "a whole number is expected",
    "int_from_float": "a whole number is expected",
    "int_parsing_size": "the number is too large",
    "float_type": "a number is expected",
    "finite_number": "a finite number is expected",
    "bool_type": "true or false is expected, without quotes",
    "string_type": "text is expected",
    "too_long": "the text is too long",
    "tuple_type": "a list is expected",
    "too_short": "is empty: at least one is needed",
}
_MAPPINGS = ("mapping_type", "dict_type", "model_type", "model_attributes_type")
_EXAMPLES = {
    "capacity": "{mode: spot}",
    "nodes": "{min: 0, max: 4}",
    "lease": '{expires: "2027-03-01"}',
    "network": "{zones: [us-east-1b, us-east-1d]}",
    "budget": "{hourly_usd: 120, monthly_usd: 75000}",
    "pools": "{name: a100, machine: p4d.24xlarge}",
    "access": "{api: public, api_cidrs: [203.0.113.0/24]}",
    "system": "{nodes: {min: 2, max: 4}}",
    "storage": "{buckets: [{name: checkpoints, use: checkpoint}]}",
    "pricing": "{nat_gb_per_month: 500}",
    "idle": "{grace_minutes: 60}",
    "monitoring": "{metrics: cloud}",
    "tags": '{cost-center: "4711"}',
    "labels": "{tier: gold}",
}
_FORMS = {"sharing": "{mig: PROFILE} or {time_slices: NUMBER}", "placement": "{group: NAME}"}
"""What may stand in the place of a word."""
_BOUNDS = {"greater_than": "above", "greater_than_equal": "at least", "less_than": "below", "less_than_equal": "at most"}
_ELSEWHERE = {
    "queue": "belongs to training clusters: remove it, or set workload: training",
    "serving": "belongs to inference clusters: remove it, or set workload: inference",
    "region": "stands beside gpukit:cluster, as aws:region, gcp:region or azure-native:location",
    "location": "stands beside gpukit:cluster, as azure-native:location",
}
_FEW = 12
"""More allowed words than this would hide the message."""


def explain(error: ErrorDetails) -> SpecError:
    """One of pydantic's errors as a SpecError."""
    kind, loc = error["type"], error["loc"]
    path = dotted(file_loc(loc))
    if kind == "extra_forbidden":
        return _unknown_key(path, loc)
    if kind == "missing":
        return SpecError(path=path, message=f"is missing{_about(loc)}")
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        return _discriminator(error, path)
    if error["input"] is None:
        return SpecError(path=path, value=shown(None), message="is empty: give a value, or remove the key")
    if kind == "literal_error":
        form = _FORMS.get(path.rpartition(".")[2])
        return _word(path, error["input"], (*_quoted(error, "expected"), *([form] if form else ())))
    if kind == "too_short" and isinstance(error["input"], str):
        return SpecError(path=path, value=shown(error["input"]), message=_key(loc) + "is empty: give a value, or remove the key")
    return SpecError(path=path, value=shown(error["input"]), message=_key(loc) + _message(error))


def _key(loc: tuple[int | str, ...]) -> str:
    return "the key: " if loc[-1:] == (KEY,) else ""


def _message(error: ErrorDetails) -> str:
    kind = error["type"]
    context: dict[str, Any] = error.get("ctx", {})
    if kind == "value_error":
        return _LOST_ZERO if _account_number(error) else str(context["error"])
    if kind in _BOUNDS:
        bound = next(value for value in context.values() if isinstance(value, int | float))
        return f"must be {_BOUNDS[kind]} {bound:g}"
    if kind in _MAPPINGS:
        return _mapping(error["loc"])
    unquoted = ", without quotes" if isinstance(error["input"], str) and kind.startswith(("int", "float")) else ""
    return _MESSAGES.get(kind, error["msg"]) + unquoted


_LOST_ZERO = (
    "write it in quotes: YAML reads the bare value as a number and drops the zeros in front of it (an AWS account id has 12 digits)"
)


def _account_number(error: ErrorDetails) -> bool:
    return file_loc(error["loc"]) == ("account",) and isinstance(error["input"], int | float) and not isinstance(error["input"], bool)


def _mapping(loc: tuple[int | str, ...]) -> str:
    field = next((step for step in reversed(file_loc(loc)) if isinstance(step, str)), "")
    example = f", such as {_EXAMPLES[field]}" if field in _EXAMPLES else ""
    return f"a mapping from key to value is expected{example}"


def _unknown_key(path: str, loc: tuple[int | str, ...]) -> SpecError:
    """The value stays unsaid: what stands under a key that nobody knows may be a secret."""
    key, keys = str(loc[-1]), keys_at(loc[:-1])
    if len(loc) == 2 and key in _ELSEWHERE:  # the workload and the key: the top of the file
        return SpecError(path=path, message=_ELSEWHERE[key])
    if modes := modes_with(key, loc[:-1]):
        return SpecError(
            path=path, message=f"belongs to mode {' or '.join(modes)}, and this one is {loc[-2]}: remove it, or change the mode"
        )
    return SpecError(path=path, message="unknown key", allowed=keys if len(keys) <= _FEW else (), nearest=nearest(key, keys))


def _discriminator(error: ErrorDetails, path: str) -> SpecError:
    value, context = error["input"], error.get("ctx", {})
    name = str(context.get("discriminator", "")).strip("'")
    inner = f"{path}.{name}" if path else name
    if error["type"] == "union_tag_not_found":
        return SpecError(path=inner, message="is missing", allowed=tuple(_WORDS.get(name, ())))
    return _word(inner, value.get(name) if isinstance(value, dict) else value, _quoted(error, "expected_tags"))


_WORDS = {
    "workload": ("training", "inference"),
    "mode": ("on_demand", "spot", "reservation", "capacity_block", "flex_start", "queued", "calendar"),
}


def _word(path: str, value: object, allowed: tuple[str, ...]) -> SpecError:
    near = nearest(value, allowed) if isinstance(value, str) else None
    return SpecError(path=path, value=shown(value), message="is none of the words that may stand here", allowed=allowed, nearest=near)


def _quoted(error: ErrorDetails, key: str) -> tuple[str, ...]:
    return tuple(re.findall(r"'([^']*)'", str(error.get("ctx", {}).get(key, ""))))


def _about(loc: tuple[int | str, ...]) -> str:
    text = meaning(loc).rstrip(".")
    return f": {text[0].lower()}{text[1:]}" if text and not text[:2].isupper() else f": {text}" if text else ""
