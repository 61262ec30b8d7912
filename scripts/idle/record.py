"""Records on disk: `gpukit idle --record FILE` writes one, `--from FILE` decides by it again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from pydantic import ValidationError

from components.json_file import read_json
from components.refusals import shown

from .signals import SCHEMA, Cluster, Record

MOST_SHOWN = 5


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
        told = [f"{_place(p['loc'])}: {p['msg']}, this is {shown(p['input'])}" for p in problems[:MOST_SHOWN]]
        more = f"; and {len(problems) - MOST_SHOWN} more" if len(problems) > MOST_SHOWN else ""
        raise ValueError(f"idle record {path.name}: {'; '.join(told)}{more}") from None


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
