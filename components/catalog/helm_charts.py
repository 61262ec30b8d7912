"""Helm charts: pinned versions, where they come from, and which value paths they have."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import cast

from .names import UnknownName
from .tables import DATA, as_of, rows, source


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """One pinned chart. `repository` is the address of a classic repository, `oci` that of a registry; one of them may be absent."""

    name: str
    version: str
    app_version: str | None
    repository: str | None
    oci: str | None
    kube_version: str | None
    newer: str | None
    """A release that was announced after the pin and whose values were not read."""
    notes: str
    source: str
    as_of: date | None


@cache
def _charts() -> dict[str, Chart]:
    return {
        row["name"]: Chart(
            name=row["name"],
            version=row["version"],
            app_version=row["app_version"] or None,
            repository=row["repository"] or None,
            oci=row["oci"] or None,
            kube_version=row["kube_version"] or None,
            newer=row["newer"] or None,
            notes=row["notes"],
            source=source(row),
            as_of=as_of(row),
        )
        for row in rows("charts")
    }


def chart(name: str) -> Chart:
    """The pinned chart. Raises UnknownName with the nearest names."""
    if found := _charts().get(name):
        return found
    raise UnknownName("chart", name, _charts())


def charts() -> tuple[Chart, ...]:
    return tuple(_charts().values())


class UnrecordedDefault(LookupError):
    """The chart has the value path, but the catalogue does not hold its default."""


@cache
def _values(name: str) -> dict[str, object]:
    path = DATA / "chart_values" / f"{chart(name).name}.json"
    if not path.exists():
        raise UnknownName("chart with value paths", name, [p.stem for p in path.parent.glob("*.json")])
    return cast("dict[str, object]", json.loads(path.read_text(encoding="utf-8")))


def value_paths(name: str) -> tuple[str, ...]:
    """Every leaf value path of the pinned chart, dotted. Raises UnknownName for a chart whose values are not held."""
    return tuple(cast("dict[str, str]", _values(name)["values"]))


def has_value(name: str, path: str) -> bool:
    """Whether the pinned chart reads the value path: Helm ignores unknown keys without a word.

    True for a leaf, a map that holds leaves, anything under a free-form map, and paths that only a template reads.
    Raises UnknownName for a chart whose values are not held.
    """
    values = _values(name)
    leaves = cast("dict[str, str]", values["values"])
    free = {*cast("list[str]", values["open_maps"]), *cast("list[str]", values["template_only"])}
    ancestors = {path[:end] for end, letter in enumerate(path) if letter == "."} | {path}
    return path in leaves or bool(ancestors & free) or any(leaf.startswith(f"{path}.") for leaf in leaves)


def chart_defaults(name: str, path: str) -> object:
    """Default of a value path in the pinned chart.

    Raises UnknownName when the chart has no such path, UnrecordedDefault when it has but the catalogue does not hold its default.
    """
    values = _values(name)
    defaults = cast("dict[str, object]", values["defaults"])
    if path in defaults:
        return defaults[path]
    if has_value(name, path):
        raise UnrecordedDefault(f"{name} has the value {path}, but its default is not recorded")
    raise UnknownName(f"value of chart {name}", path, value_paths(name))
