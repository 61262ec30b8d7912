"""Leases: their truth is the stack file, which is edited in place with everything else in it untouched; the cluster's tag mirrors it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from scripts.errors import BadInput

KEYS = ("gpukit:cluster", "cluster", "gpukit:config:cluster")
"""Ways to write the one config key."""
_SCALAR = re.compile(r"""("[^"\n]*"|'[^'\n]*'|[^\s,}#"']+)""")


@dataclass(frozen=True, kw_only=True)
class Lease:
    """How long one stack's cluster is wanted."""

    stack: str
    cluster: str
    owner: str
    expires: date | None
    """Last day; None: for good."""
    ended: bool


def new_day(text: str, *, today: date, now: date | None) -> date:
    """The day that `text` means. Raises BadInput for no date, one in the past, or one that would shorten the lease."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise BadInput(f"--to is {text!r}: give a date such as 2027-06-30.") from None
    if day < today:
        raise BadInput(f"--to is {day}, which is past: today is {today}. Give a later day.")
    if now is not None and day <= now:
        raise BadInput(f"--to is {day}, and the lease ends on {now}: `extend` only ever extends. Edit the stack file to shorten it.")
    return day


def extend(path: Path, day: date) -> None:
    """Write `day` into the stack file at the place where the lease stands; every other character stays as it is.

    The day is quoted: bare dates change in the engine's YAML. Raises BadInput where the file has no cluster to give a lease.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    raw = path.read_text(encoding="utf-8")
    try:
        text = _edited(raw, _cluster(YAML().load(raw)), day)
    except (YAMLError, TypeError, KeyError, AttributeError) as error:
        raise BadInput(
            f'{path.name} has no block `gpukit:cluster` that can be edited: write lease: {{expires: "{day}"}} by hand.'
        ) from error
    fresh = path.with_name(f".{path.name}.new")
    fresh.write_text(text, encoding="utf-8")
    fresh.chmod(path.stat().st_mode)
    fresh.replace(path)


def _cluster(document: Any) -> Any:
    config = document["config"]
    return config[next(key for key in (*KEYS, "") if not key or key in config)]


def _edited(raw: str, cluster: Any, day: date) -> str:
    """By the positions that the parser gives. Raises KeyError for a flow mapping without a lease, which has no line to add."""
    lines = raw.splitlines(keepends=True)
    lease = cluster.get("lease")
    if lease is None:
        if cluster.fa.flow_style():
            raise KeyError("lease")
        line, column = cluster.lc.key(next(iter(cluster)))
        return "".join([*lines[:line], f'{" " * column}lease: {{expires: "{day}"}}\n', *lines[line:]])
    line, column = lease.lc.value("expires")
    old = _SCALAR.match(lines[line], column)
    if old is None:
        raise KeyError("expires")
    return "".join([*lines[:line], f'{lines[line][:column]}"{day}"{lines[line][old.end() :]}', *lines[line + 1 :]])
