"""What a chart is and what it is told: its name however it is spelt, and its values with the defaults of the pinned chart under them."""

from __future__ import annotations

from functools import cache

from components import catalog
from components.inventory import Chart
from components.resource import Value, read
from components.unknown import Maybe, Unknown

from .values import flag


def chart_name(said: str) -> str:
    """Charts are named plainly, with their repository, by registry address or by archive: `oci://…/gpu-operator`, `gpu-operator-v26.7.0.tgz`."""
    return said.rstrip("/").rpartition("/")[2].partition(":")[0].removesuffix(".tgz")


def is_chart(chart: Chart, name: str) -> Maybe[bool]:
    """Whether it is the chart `name`, or an archive of it."""
    if isinstance(chart.chart, Unknown):
        return chart.chart
    own = chart_name(chart.chart)
    return own == name or (own.startswith(f"{name}-") and own[len(name) + 1 :].lstrip("v")[:1].isdigit())


def setting(chart: Chart, name: str, path: str) -> Value:
    """The value at `path` as the program sets it, else the default of the pinned chart `name`; None where neither says anything."""
    at = f"{chart.name}.values.{path}"
    if isinstance(chart.values, Unknown):
        return Unknown(at, chart.values.reason)
    found = read(chart.values, *path.split("."))
    return default(name, path) if found is None else found


@cache
def default(name: str, path: str) -> Value:
    """Default of the pinned chart; None where the catalogue does not hold it, which looks for the nearest name, so only once."""
    try:
        return catalog.chart_defaults(name, path)
    except LookupError:
        return None


def switched(chart: Chart, name: str, path: str) -> Maybe[bool]:
    """A switch of the chart; off where nothing says otherwise."""
    found = flag(setting(chart, name, path), f"{chart.name}.values.{path}")
    return False if found is None else found
