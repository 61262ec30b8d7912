"""Cost and quota demand for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from components.costing import Amount, Cost, Line
from components.unknown import Maybe, Unknown

from .model import QuotaLine
from .tables import PlainTable
from .terminal import shown

SURGE = "surge: nodes while the pool is updated; the managed services start new ones first and take the old ones away after"


def cost_block(cost: Cost, stack: str) -> RenderableType:
    """The sums, then each line with the day and source of its price; sources are numbered, as they are long."""
    sums = PlainTable("", "per hour", "per month", "")
    for label, amount in (("no GPU node", cost.idle), ("now", cost.now), ("at maximum", cost.max), ("with surge", cost.surge)):
        sums.add_row(label, *_amount(amount))
    sources = list(dict.fromkeys(line.source for line in cost.lines))
    lines = PlainTable("each", "now", "max", "surge", "USD/hour", "price of")
    for line in cost.lines:
        lines.add_row(*_line(line, stack, sources.index(line.source) + 1))
    surging = [line for line in cost.lines if line.surge != line.maximum]
    notes = [shown(SURGE, "dim")] if surging else []
    named = [shown(f"[{number}] {source}", "dim") for number, source in enumerate(sources, 1)]
    return Group(sums, lines, *notes, *named, *(shown(f"not counted: {gap}", "yellow") for gap in gaps(cost)))


def gaps(cost: Cost) -> Iterator[str]:
    """What the sums leave out: they are floors then."""
    yield from (f"{u.name}: no price for {u.machine} ({u.market}) in {u.region}" for u in cost.unpriced)
    yield from (f"{u.name}: {u.missing}" for u in cost.unknown)
    yield from (f"{m.what}: {m.reason}" for m in cost.missing)


def _amount(amount: Amount) -> tuple[Text, Text, Text]:
    partial = "at least: not everything has a price and a size" if amount.partial else ""
    return shown(f"{amount.hourly_usd:,.2f}"), shown(f"{amount.monthly_usd:,.0f}"), shown(partial, "yellow")


def _line(line: Line, stack: str, source: int) -> tuple[Text, ...]:
    day = "undated" if line.as_of is None else str(line.as_of)
    return (
        shown(f"{_short(line.name, stack)}: {line.what}"),
        *(shown(_count(count)) for count in (line.now, line.maximum, line.surge)),
        shown(f"{line.usd_per_hour:.4f}"),
        shown(f"{day}{', old' if line.stale and line.as_of else ''} [{source}]", "dim"),
    )


def _short(name: str, stack: str) -> str:
    """A resource's name without the stack's, which every name in it begins with."""
    return name.removeprefix(f"{stack}-")


def _count(value: Maybe[float]) -> str:
    return "?" if isinstance(value, Unknown) else f"{value:g}"


def quota_table(lines: Sequence[QuotaLine], stack: str) -> PlainTable:
    """Demand by quota code, with limit and room where a snapshot gives them."""
    table = PlainTable("code", "needs", "limit", "free", "region", "for", "quota")
    for line in lines:
        demand = line.demand
        needs = f"{'at least ' if demand.unknown else ''}{demand.need + demand.contested:g} {demand.unit}"
        checked = [_count(v) if v is not None else "unchecked" for v in (line.limit, line.room)]
        pools = ", ".join(_short(pool, stack) for pool in demand.pools)
        name = "" if demand.name == demand.code else demand.name or "unknown"  # Azure's codes are names
        table.add_row(*map(shown, (demand.code or "?", needs, *checked, demand.region, pools, name)))
    return table
