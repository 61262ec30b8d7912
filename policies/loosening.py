"""Where new limits allow more than the ones before them: the owners' business, so a change that does it says so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .finding import Level
from .limits import Ceiling, Limits, Suppression

_STRENGTH = {Level.DISABLED: 0, Level.ADVISORY: 1, Level.MANDATORY: 2}


@dataclass(frozen=True, kw_only=True)
class Loosening:
    """One place that allows more."""

    path: str
    before: str
    after: str


def loosened(before: Limits, after: Limits, *, stack: str, own_levels: Mapping[str, Level]) -> tuple[Loosening, ...]:
    """What `after` allows `stack` and `before` did not. `own_levels`: each rule's level where neither says another."""
    return (
        *_lists(before, after),
        *_ceilings(before.ceilings.of(stack), after.ceilings.of(stack), stack if stack in after.ceilings.stacks else "default"),
        *_levels(before, after, own_levels),
        *_suppressions(before, after, stack),
        *_ages(before, after),
    )


def _lists(before: Limits, after: Limits) -> Iterator[Loosening]:
    for name, old, new in (
        ("machines", before.allowed.machines, after.allowed.machines),
        ("regions", before.allowed.regions, after.allowed.regions),
    ):
        if old and not new:
            yield Loosening(path=f"allowed.{name}", before=", ".join(old), after="everything")
        elif old and (more := [entry for entry in new if entry not in old]):
            yield Loosening(path=f"allowed.{name}", before=f"without {', '.join(more)}", after=f"with {', '.join(more)}")


def _ceilings(before: Ceiling, after: Ceiling, owner: str) -> Iterator[Loosening]:
    where = "ceilings.default" if owner == "default" else f"ceilings.stacks.{owner}"
    for name in ("hourly_usd", "monthly_usd"):
        old, new = getattr(before, name), getattr(after, name)
        if old is not None and (new is None or new > old):
            yield Loosening(path=f"{where}.{name}", before=f"{old:,g}", after="no ceiling" if new is None else f"{new:,g}")


def _levels(before: Limits, after: Limits, own: Mapping[str, Level]) -> Iterator[Loosening]:
    for rule in dict.fromkeys((*after.levels, *before.levels)):
        if rule not in own:
            continue
        old, new = before.levels.get(rule, own[rule]), after.levels.get(rule, own[rule])
        if _STRENGTH[new] < _STRENGTH[old]:
            yield Loosening(path=f"levels.{rule}", before=str(old), after=str(new))


def _suppressions(before: Limits, after: Limits, stack: str) -> Iterator[Loosening]:
    for at, entry in enumerate(after.suppressions):
        if entry.stack not in (None, stack) or any(_covers(old, entry) for old in before.suppressions):
            continue
        earlier = max((old.expires for old in before.suppressions if _scope(old) == _scope(entry)), default=None)
        was = f"until {earlier}" if earlier else "not suppressed"
        yield Loosening(path=f"suppressions[{at}]", before=f"{entry.rule} {was}", after=f"{entry.rule} until {entry.expires}")


def _covers(old: Suppression, new: Suppression) -> bool:
    same = old.rule == new.rule and old.stack in (None, new.stack) and old.resource in (None, new.resource)
    return same and old.expires >= new.expires


def _scope(entry: Suppression) -> tuple[str, str | None, str | None]:
    return entry.rule, entry.stack, entry.resource


def _ages(before: Limits, after: Limits) -> Iterator[Loosening]:
    for name in ("price_stale_days", "quota_stale_days"):
        old, new = getattr(before, name), getattr(after, name)
        if new > old:
            yield Loosening(path=name, before=str(old), after=str(new))
