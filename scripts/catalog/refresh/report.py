"""What a refresh did, for people and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from components.catalog.names import Cloud
from components.catalog.tables import DATA
from scripts.catalog.listing import Column, Listing, table
from scripts.errors import Exit
from scripts.plan.terminal import complain, print_json, results, shown

from .sanity import Absurd
from .table import Change, Merged

SCHEMA = "gpukit/catalog/refresh/1"
SHOWN = 20
"""Changes printed a cloud, the largest ones; JSON has them all."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """One cloud's refresh. `merged` is None when its prices could not be read, for the reason in `error`."""

    cloud: Cloud
    merged: Merged | None = None
    refused: tuple[Absurd, ...] = ()
    notes: tuple[str, ...] = ()
    written: Path | None = None
    error: str | None = None
    exit: Exit


def print_outcomes(outcomes: Sequence[Outcome], *, as_json: bool) -> None:
    """Results on standard output, refusals and errors on standard error as well."""
    if as_json:
        print_json({"schema": SCHEMA, "clouds": [_document(outcome) for outcome in outcomes]})
    for outcome in outcomes:
        if not as_json:
            _print(outcome, results())
        for paragraph in _complaints(outcome):
            complain(paragraph)


def _document(outcome: Outcome) -> dict[str, Any]:
    merged = outcome.merged
    return {
        "cloud": outcome.cloud,
        "written": str(outcome.written) if outcome.written else None,
        "changes": [_change(change) for change in merged.changes] if merged else [],
        "confirmed": merged.confirmed if merged else 0,
        "kept": merged.kept if merged else None,
        "refused": [{**_key(absurd.offer.key), "usd": absurd.offer.usd, "why": absurd.why} for absurd in outcome.refused],
        "notes": list(outcome.notes),
        "error": outcome.error,
    }


def _key(key: tuple[str, str, str]) -> dict[str, Any]:
    return dict(zip(("machine", "region", "market"), key, strict=True))


def _change(change: Change) -> dict[str, Any]:
    percent = None if change.before is None else round(100 * (change.after / change.before - 1), 1)
    return {**_key(change.key), "before_usd": change.before, "after_usd": change.after, "percent": percent}


_COLUMNS = (
    Column("machine", "machine"),
    Column("region", "region"),
    Column("market", "market"),
    Column("before_usd", "before", "usd"),
    Column("after_usd", "now", "usd"),
    Column("percent", "%", "number"),
)


def _print(outcome: Outcome, console: Console) -> None:
    merged = outcome.merged
    if merged is None:
        return
    added = sum(change.before is None for change in merged.changes)
    counts = f"{added} new prices, {len(merged.changes) - added} changed, {merged.confirmed} confirmed, {merged.kept} kept as they were"
    console.print(shown(f"{outcome.cloud}: {counts}", "bold"))
    largest = sorted(map(_change, merged.changes), key=lambda row: -abs(row["percent"] or 0))[:SHOWN]
    if largest:
        console.print(table(Listing(kind="refresh", columns=_COLUMNS, rows=tuple(largest))))
    if len(merged.changes) > SHOWN:
        console.print(shown(f"{len(merged.changes) - SHOWN} more; --json lists them all", "dim"))
    for note in outcome.notes:
        console.print(shown(note, "dim"))
    console.print(shown(_ending(outcome)))


def _ending(outcome: Outcome) -> str:
    if outcome.written is None:
        return "nothing was written"
    renew = "; now run python -m scripts.catalog.readme" if outcome.written.parent == DATA else ""
    return f"written: {outcome.written}{renew}"


def _complaints(outcome: Outcome) -> Iterator[str]:
    if outcome.error:
        yield outcome.error
    for absurd in outcome.refused:
        machine, region, market = absurd.offer.key
        yield f"{machine} in {region}, {market.replace('_', '-')}: {absurd.why}."
    if outcome.refused:
        acceptable = any(absurd.acceptable for absurd in outcome.refused)
        way_out = " Look at them, then accept what is right with --accept MACHINE=REASON." if acceptable else ""
        yield f"{len(outcome.refused)} prices of {outcome.cloud} cannot be right, so its table stays as it is.{way_out}"
