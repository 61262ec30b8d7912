"""Reads the value of `gpukit:cluster` into a spec, or says every error of it at once.

pydantic stops at the shape: one misspelt word would hide what is wrong elsewhere. So the errors are repaired in a copy (a wrong value
gives way to its default or to a placeholder), the copy is read again, and the checks over several fields run on it. A refusal that
rests on a repaired path is dropped: nothing is said about values that nobody wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from components.refusals import SpecError, Verdict

from . import ClusterSpec, InferenceSpec, TrainingSpec, checks
from .paths import Loc, dotted, file_loc, models_at, overlaps
from .shape import explain

SECRET = "[secret]"
"""How the engine shows an encrypted value; no field takes one."""
_ADAPTER: TypeAdapter[TrainingSpec | InferenceSpec] = TypeAdapter(ClusterSpec, config=ConfigDict(defer_build=True))
_ENTRIES: Mapping[str, str] = {"api_cidrs": "203.0.113.0/24", "alert_emails": "placeholder@example.com"}
"""A valid entry of each list whose entries are more than text."""
_ROUNDS = 8
"""Repairs bring to light what lay beneath; nothing lies deeper than this."""
_PLACEHOLDERS: Mapping[str, object] = {
    "workload": "training",
    "cloud": "aws",
    "account": "000000000000",
    "owner": "placeholder",
    "pools": [{}],
    "name": "placeholder",
    "max": 1,
    "expires": "9999-12-31",
    "network": "placeholder",
    "node_subnets": {},
    "group": "placeholder",
    "mig": "placeholder",
    "time_slices": 2,
    "mode": "on_demand",
    "id": "placeholder",
    "starts": "2000-01-01T00:00Z",
    "ends": "9999-12-01T00:00Z",
    "tib": 1,
    "gpus": 0,
    "kind": "negotiated",
    "pool": "placeholder",
    "discount_percent": 1,
    "per_day": 1,
    "lost_minutes": 1,
    "parameters_billions": 1,
}
"""A valid value for each field without a default, by its name."""


Further = Callable[[TrainingSpec | InferenceSpec], Iterable[SpecError]]


def read(
    value: object, *, region: str | None = None, further: Further | None = None
) -> tuple[TrainingSpec | InferenceSpec | None, tuple[SpecError, ...]]:
    """The spec that `value` (as JSON gives it) holds, and its errors. Without errors there is a spec; with errors it is None.

    `further` tells what else is to be corrected, field by field: a file with errors is told all of them at once. A sound one is left to
    whoever builds it.
    """
    secrets = tuple(_secrets(value, ()))
    damaged = {error.path for error in secrets}
    draft, found = _draft(value, damaged)
    errors = [*secrets, *found]
    if draft is not None:
        errors += [v.error for v in checks.check(draft, region=region) if not _void(v, damaged)]
    if errors and draft is not None and further is not None and "cloud" not in damaged:
        said = damaged | {error.path for error in errors}
        errors += [error for error in further(draft) if not any(overlaps(error.path, path) for path in said)]
    return (None if errors else draft), tuple(dict.fromkeys(errors))


def _void(verdict: Verdict, damaged: set[str]) -> bool:
    return any(overlaps(path, bad) for path in (verdict.error.path, *verdict.reads) for bad in damaged)


def _draft(value: object, damaged: set[str]) -> tuple[TrainingSpec | InferenceSpec | None, list[SpecError]]:
    """The spec of a repaired copy (None where it is beyond repair) and the errors of shape. Adds each repaired path to `damaged`."""
    copy, errors = _copied(value), list[SpecError]()
    for _ in range(_ROUNDS):
        try:
            return _ADAPTER.validate_python(copy), errors
        except ValidationError as error:
            details = [detail for detail in error.errors(include_url=False) if not _counted_wrong(detail)]
        fresh = [(detail, explain(detail)) for detail in details]
        errors += [said for _, said in fresh if not any(overlaps(said.path, bad) for bad in damaged)]
        damaged |= {said.path for detail, said in fresh if detail["type"] != "extra_forbidden"}
        if not isinstance(copy, dict):
            return None, errors
        for detail, _ in reversed(fresh):
            _repair(copy, detail)
    return None, errors


def _counted_wrong(detail: ErrorDetails) -> bool:
    """Pydantic calls a list too short when none of its entries is valid."""
    return detail["type"] == "too_short" and bool(detail["input"])


def _repair(copy: Any, detail: ErrorDetails) -> None:
    """Takes the wrong value away, or puts a placeholder where one is needed."""
    loc = file_loc(detail["loc"])
    if detail["type"] in ("union_tag_invalid", "union_tag_not_found"):
        name = str(detail.get("ctx", {}).get("discriminator", "")).strip("'")
        _put(copy, (*loc, name), "inference" if name == "workload" and "serving" in copy else _PLACEHOLDERS[name])
    elif not loc:
        return
    elif detail["type"] == "missing":
        _put(copy, loc, _copied(_PLACEHOLDERS[str(loc[-1])]))
    elif isinstance(loc[-1], int):
        _put(copy, loc, {} if models_at(detail["loc"]) else _ENTRIES.get(str(loc[-2]), "placeholder"))
    else:
        _remove(copy, loc)


def _put(copy: Any, loc: Loc, value: object) -> None:
    parent = _container(copy, loc)
    if parent is not None:
        parent[loc[-1]] = value


def _remove(copy: Any, loc: Loc) -> None:
    parent = _container(copy, loc)
    if parent is not None:
        parent.pop(loc[-1], None)


def _container(copy: Any, loc: Loc) -> Any:
    """The mapping or list that holds the last step of `loc`; None where an earlier repair took it away."""
    for step in loc[:-1]:
        try:
            copy = copy[step]
        except (LookupError, TypeError):
            return None
    fits = isinstance(copy, dict) if isinstance(loc[-1], str) else isinstance(copy, list)
    return copy if fits else None


def _copied(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copied(inner) for key, inner in value.items()}
    return [_copied(inner) for inner in value] if isinstance(value, list | tuple) else value


def _secrets(value: Any, loc: Loc) -> Iterator[SpecError]:
    """Where the value of a Pulumi secret stands."""
    if value == SECRET:
        message = "is a Pulumi secret, and no field of this file takes one: write it in plain text, or remove it"
        yield SpecError(path=dotted(loc), message=message)
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _secrets(inner, (*loc, str(key)))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _secrets(inner, (*loc, index))
