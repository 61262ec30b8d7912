"""Records on disk: `gpukit idle --record FILE` writes one, `--from FILE` decides by it again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from components.json_file import read_json
from components.refusals import shown

from . import signals
from .signals import SCHEMA, Cluster, Record

MOST_SHOWN = 5
MODELS: dict[object, type[signals.Frozen]] = {
    "clusters": Cluster,
    "sources": signals.Source,
    "pools": signals.Pool,
    "nodes": signals.Node,
    "pods": signals.Pod,
    "queues": signals.Queue,
    "requests": signals.Requests,
    "series": signals.Series,
    "figures": signals.Figure,
    "heartbeats": signals.Heartbeat,
    "allowed": signals.Allowed,
}
"""By the key that holds them."""
ADVICE = {
    "timezone": "write the zone behind it: 2026-11-30T12:00:00Z, or +01:00",
    "datetime": "give a time with its zone such as 2026-11-30T12:00:00Z",
    "date": "give a day such as 2027-03-01, quoted and without a time",
    "missing": "it must be there",
}
"""By the beginning of the kind of error."""


def load(path: Path) -> Record:
    """The record in `path`. Raises ValueError, one sentence a problem with its place in the document; OSError when it cannot be read."""
    value = read_json(path, "idle record")
    if not isinstance(value, dict) or value.get("schema") != SCHEMA:
        given = shown(value.get("schema")) if isinstance(value, dict) else type(value).__name__
        raise ValueError(f'idle record {path.name}: a JSON object with "schema": "{SCHEMA}" is expected, this one has {given}')
    try:
        return Record.model_validate_json(json.dumps(value))
    except ValidationError as error:
        problems = error.errors(include_url=False, include_context=False)
        told = [f"{_place(p['loc'])}: {_words(p['msg'])}, this is {shown(p['input'])}{_advice(p)}" for p in problems[:MOST_SHOWN]]
        more = f"; and {len(problems) - MOST_SHOWN} more" if len(problems) > MOST_SHOWN else ""
        raise ValueError(f"idle record {path.name}: {'; '.join(told)}{more}") from None


def _words(message: str) -> str:
    return message.removeprefix("Value error, ")


def _advice(problem: ErrorDetails) -> str:
    """What to do about it, where the message does not say."""
    kind, loc = problem["type"], problem["loc"]
    if kind == "extra_forbidden":
        owner = next((MODELS[part] for part in reversed(loc[:-1]) if part in MODELS), Record)
        names = sorted(field.alias or name for name, field in owner.model_fields.items())
        near = get_close_matches(str(loc[-1]), names, n=1, cutoff=0.5)
        return f" (did you mean {near[0]}?)" if near else f" (known here: {', '.join(names)})"
    if kind == "less_than_equal" and "values" in loc:
        return " (times are seconds since 1970: divide milliseconds by 1000)"
    if kind == "literal_error" and loc[-1] == "phase":
        return " (give status.phase; CrashLoopBackOff and Terminating are Running there, ImagePullBackOff is Pending)"
    return next((f" ({advice})" for begin, advice in ADVICE.items() if kind.startswith(begin)), "")


def of(now: datetime, clusters: Iterable[Cluster]) -> Record:
    """A record of what was found out."""
    return Record.model_validate({"schema": SCHEMA, "recorded_at": now, "clusters": tuple(clusters)})


def save(path: Path, record: Record) -> None:
    """Write `record`, whole or not at all."""
    fresh = path.with_name(f"{path.name}.new")
    fresh.write_text(record.model_dump_json(by_alias=True, exclude_defaults=False, indent=1) + "\n", encoding="utf-8")
    fresh.replace(path)


def _place(loc: tuple[int | str, ...]) -> str:
    """`clusters[0].pools[1].current`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc).lstrip(".") or "the document"
