"""What a change does, for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule

from components.unknown import Unknown
from scripts.plan.findings_text import where
from scripts.plan.terminal import shown

from .difference import Difference, PropertyChange

MOST = 60
"""Resources listed of one stack."""


def changes_block(base: str, differences: Sequence[Difference]) -> RenderableType:
    title = Rule(shown(f"Changes against {base}", "bold"), align="left")
    return Group(title, *(part for each in differences for part in (shown(each.stack, "bold"), Padding(_of(each), (0, 0, 1, 2)))))


def _of(difference: Difference) -> RenderableType:
    if difference.note:
        return shown(difference.note, "yellow")
    lines = list(_lines(difference))
    return Group(*map(shown, lines)) if lines else shown("nothing changes", "green")


def _lines(difference: Difference) -> Iterator[str]:
    resources = [*(f"+ {r.type} {r.name}" for r in difference.added), *(f"- {r.type} {r.name}" for r in difference.removed)]
    resources += [f"~ {c.type} {c.name}: {'; '.join(map(_property, c.properties))}" for c in difference.changed]
    yield from resources[:MOST]
    if len(resources) > MOST:
        yield f"and {len(resources) - MOST} more (--format json has all)"
    yield from _money(difference)
    for change in difference.quota:
        if change.before != change.after:
            yield f"quota {change.name or 'unknown'} {change.code}: {_count(change.before)} to {_count(change.after)} {change.unit}"
    yield from (f"new: {f.rule} {f.status}{where(f)}" for f in difference.new)
    yield from (f"fixed: {f.rule}{where(f)}" for f in difference.fixed)


def _money(difference: Difference) -> Iterator[str]:
    before, after = difference.before, difference.after
    if before == after or (before is None and after is None):
        return
    for name, form in (("now", ",.2f"), ("maximum", ",.2f"), ("surge", ",.2f"), ("monthly", ",.0f")):
        old = 0.0 if before is None else getattr(before, name)
        new = 0.0 if after is None else getattr(after, name)
        if old != new:
            yield f"{_LABELS[name]}: {old:{form}} to {new:{form}} USD ({new - old:+{form}})"


_LABELS = {
    "now": "cost per hour now",
    "maximum": "cost per hour at maximum",
    "surge": "cost per hour with surge",
    "monthly": "cost per month at maximum",
}


def _property(change: PropertyChange) -> str:
    return f"{change.path} {_value(change.before)} to {_value(change.after)}"


def _value(value: object) -> str:
    if value is None:
        return "nothing"
    text = "unknown" if isinstance(value, Unknown) else str(value)
    return text if len(text) <= 80 else f"{text[:77]}…"


def _count(value: float | None) -> str:
    return "nothing" if value is None else f"{value:g}"
