"""A cloud's price table: the present one, the new one, and putting one in the place of the other, whole or not at all."""

from __future__ import annotations

import csv
import io
import json
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from components.catalog.tables import DATA, Row

from .offer import SOURCES, Key, Offer

HEADER = ("machine", "region", "market", "usd", "usd_high", "source", "as_of", "notes")
SOURCES_HEADER = ("key", "licence", "text")
VENDOR_LICENCE = "vendor price list, figures only"


@dataclass(frozen=True, kw_only=True)
class Change:
    """A row that a refresh adds or changes. `before` is None for a new one."""

    key: Key
    before: float | None
    after: float


@dataclass(frozen=True, kw_only=True)
class Merged:
    """A new table beside the one that it came from."""

    rows: tuple[Row, ...]
    changes: tuple[Change, ...]
    confirmed: int
    """Rows whose price is the old one, with a new day."""
    kept: int
    """Rows that the cloud gave no new price for: they keep their source and day, and grow old."""


def key_of(row: Row) -> Key:
    return (row["machine"], row["region"], row["market"])


def prices_of(rows: Iterable[Row]) -> dict[Key, float]:
    return {key_of(row): float(row["usd"]) for row in rows}


def merge(present: Sequence[Row], offers: Sequence[Offer], day: date, accepted: Mapping[str, str]) -> Merged:
    """The present table with every offer in it, each dated `day`. `accepted` gives notes by machine."""
    old = {key_of(row): row for row in present}
    new = {offer.key: _row(offer, day, accepted) for offer in offers}
    changes = [
        Change(key=key, before=float(old[key]["usd"]) if key in old else None, after=float(row["usd"]))
        for key, row in sorted(new.items())
        if key not in old or (old[key]["usd"], old[key]["usd_high"]) != (row["usd"], row["usd_high"])
    ]
    rows = {**old, **new}
    return Merged(
        rows=tuple(rows[key] for key in sorted(rows)),
        changes=tuple(changes),
        confirmed=len(new) - len(changes),
        kept=len(old.keys() - new.keys()),
    )


def _row(offer: Offer, day: date, accepted: Mapping[str, str]) -> Row:
    notes = "; ".join(filter(None, (offer.notes, accepted.get(offer.machine))))
    figures = (_figure(offer.usd), "" if offer.usd_high is None else _figure(offer.usd_high))
    return dict(zip(HEADER, (*offer.key, *figures, offer.source, day.isoformat(), notes), strict=True))


def _figure(usd: float) -> str:
    """Six decimals at most, as the tables have them, never in exponent form."""
    return f"{usd:.6f}".rstrip("0").rstrip(".")


def write(folder: Path, cloud: str, rows: Sequence[Row]) -> Path:
    """Put the cloud's table and its sources into `folder`. Raises OSError, and then the tables are what they were.

    Sources come first and only grow, so that a reader in between never meets a row with a source that nobody describes; those that no
    row names any more go last.
    """
    folder.mkdir(parents=True, exist_ok=True)
    base = folder if (folder / "sources.csv").exists() else DATA
    described = {row["key"]: row for row in _read(base / "sources.csv")}
    live = {key: {"key": key, "licence": VENDOR_LICENCE, "text": SOURCES[key]} for key in {r["source"] for r in rows} & SOURCES.keys()}
    described = {**described, **live}
    _replace(folder / "sources.csv", SOURCES_HEADER, [described[key] for key in sorted(described)])
    path = folder / f"{cloud}_prices.csv"
    _replace(path, HEADER, rows)
    if folder.resolve() == DATA.resolve() or (folder / "chart_values").is_dir():
        used = _used(folder)
        _replace(folder / "sources.csv", SOURCES_HEADER, [described[key] for key in sorted(described) if key in used])
    return path


def _used(folder: Path) -> set[str]:
    used = {row["source"] for path in folder.glob("*.csv") if path.stem != "sources" for row in _read(path)}
    for path in (folder / "chart_values").glob("*.json"):
        held = json.loads(path.read_text(encoding="utf-8"))
        used |= {held["source"], held["defaults_source"]}
    return used


def _read(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _replace(path: Path, header: Sequence[str], rows: Iterable[Row]) -> None:
    """Write beside the file, then rename over it: a reader sees the old table or the new one, never half of one."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, header, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text.getvalue())
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
