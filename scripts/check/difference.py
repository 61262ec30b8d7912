"""What a change does to a stack: resources, properties, cost, quota, findings. Pure; a stack differs in nothing from itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from components.resource import Resource, ResourceSet, Secret, Value
from components.unknown import Unknown
from policies.finding import Finding
from scripts.plan.model import QuotaLine, StackPlan

MASKED = "[secret]"


@dataclass(frozen=True, kw_only=True)
class PropertyChange:
    """One property; None on a side where it is absent."""

    path: str
    before: Value
    after: Value


@dataclass(frozen=True, kw_only=True)
class ResourceChange:
    urn: str
    type: str
    name: str
    properties: tuple[PropertyChange, ...]


@dataclass(frozen=True, kw_only=True)
class Sums:
    """US dollars per hour; `partial`: a floor."""

    now: float
    maximum: float
    surge: float
    monthly: float
    """At maximum."""
    partial: bool


@dataclass(frozen=True, kw_only=True)
class QuotaChange:
    """Demand on one quota before and after; None where the side draws nothing from it."""

    cloud: str
    region: str
    code: str
    name: str
    unit: str
    before: float | None
    after: float | None
    line: QuotaLine | None
    """As it stands after the change, with limit and room."""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One stack against its base. `before` None: the stack is new; `after` None: it is gone."""

    stack: str
    added: tuple[Resource, ...] = ()
    removed: tuple[Resource, ...] = ()
    changed: tuple[ResourceChange, ...] = ()
    before: Sums | None = None
    after: Sums | None = None
    quota: tuple[QuotaChange, ...] = ()
    new: tuple[Finding, ...] = ()
    fixed: tuple[Finding, ...] = ()
    still: tuple[Finding, ...] = ()
    note: str = ""
    """Why nothing can be compared; "" when it can."""

    @property
    def empty(self) -> bool:
        return not (self.added or self.removed or self.changed or self.new or self.fixed) and self.before == self.after


def differences(before: Sequence[StackPlan], after: Sequence[StackPlan]) -> tuple[Difference, ...]:
    """By stack name, in the order of `after`, then the stacks that are gone."""
    old, new = {s.name: s for s in before}, {s.name: s for s in after}
    names = [*new, *(name for name in old if name not in new)]
    return tuple(difference(old.get(name), new.get(name)) for name in names)


def difference(before: StackPlan | None, after: StackPlan | None) -> Difference:
    """Raises ValueError when neither side is there."""
    there = after or before
    if there is None:
        raise ValueError("nothing stands on either side")
    broken = next((side for side in (before, after) if side is not None and side.error is not None), None)
    if broken is not None:
        when = "before" if broken is before else "after"
        return Difference(stack=there.name, note=f"cannot be compared: {when} the change it is not judged ({broken.error})")
    old, new = _resources(before), _resources(after)
    findings_before, findings_after = _findings(before), _findings(after)
    return Difference(
        stack=there.name,
        added=tuple(r for urn, r in new.items() if urn not in old),
        removed=tuple(r for urn, r in old.items() if urn not in new),
        changed=tuple(change for urn, r in new.items() if urn in old and (change := _changed(old[urn], r)) is not None),
        before=_sums(before),
        after=_sums(after),
        quota=tuple(_quota(before, after)),
        new=_beyond(findings_after, findings_before),
        fixed=_beyond(findings_before, findings_after),
        still=_shared(findings_after, findings_before),
    )


def _resources(plan: StackPlan | None) -> Mapping[str, Resource]:
    found: ResourceSet | None = None if plan is None else plan.resources
    return {} if found is None else {r.urn: r for r in found if r.custom}


def _changed(before: Resource, after: Resource) -> ResourceChange | None:
    found = tuple(_walk("", before.inputs, after.inputs))
    return ResourceChange(urn=after.urn, type=after.type, name=after.name, properties=found) if found else None


def _walk(path: str, before: Value, after: Value) -> Iterator[PropertyChange]:
    """The smallest differing parts. Unknowns of one path are the same unknown; secrets are compared and never shown."""
    if _same(before, after):
        return
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        old, new = cast("Mapping[str, Value]", before), cast("Mapping[str, Value]", after)
        for key in dict.fromkeys((*new, *old)):
            yield from _walk(f"{path}.{key}" if path else key, old.get(key), new.get(key))
    elif isinstance(before, list | tuple) and isinstance(after, list | tuple):
        olds, news = cast("Sequence[Value]", before), cast("Sequence[Value]", after)
        for i in range(max(len(olds), len(news))):
            yield from _walk(f"{path}[{i}]", olds[i] if i < len(olds) else None, news[i] if i < len(news) else None)
    else:
        yield PropertyChange(path=path, before=_open(before), after=_open(after))


def _same(before: Value, after: Value) -> bool:
    if isinstance(before, Unknown) and isinstance(after, Unknown):
        return True
    if isinstance(before, Secret) and isinstance(after, Secret):
        return isinstance(before.value, Unknown) or isinstance(after.value, Unknown) or before.value == after.value
    return type(before) is type(after) and before == after


def _open(value: Value) -> Any:
    """`value` fit to be shown."""
    if isinstance(value, Secret):
        return MASKED
    if isinstance(value, Mapping):
        return {key: _open(inner) for key, inner in cast("Mapping[str, Value]", value).items()}
    if isinstance(value, list | tuple):
        return [_open(inner) for inner in cast("Sequence[Value]", value)]
    return value


def _sums(plan: StackPlan | None) -> Sums | None:
    if plan is None or plan.cost is None:
        return None
    now, most, surge = plan.cost.now, plan.cost.max, plan.cost.surge
    return Sums(
        now=now.hourly_usd,
        maximum=most.hourly_usd,
        surge=surge.hourly_usd,
        monthly=most.monthly_usd,
        partial=now.partial or most.partial or surge.partial,
    )


def _quota(before: StackPlan | None, after: StackPlan | None) -> Iterator[QuotaChange]:
    old = {line.demand.key: line for line in (before.quota if before else ())}
    new = {line.demand.key: line for line in (after.quota if after else ())}
    for key in dict.fromkeys((*new, *old)):
        line = new.get(key) or old[key]
        yield QuotaChange(
            cloud=line.demand.cloud,
            region=str(line.demand.region),
            code=line.demand.code,
            name=line.demand.name,
            unit=line.demand.unit,
            before=_need(old.get(key)),
            after=_need(new.get(key)),
            line=new.get(key),
        )


def _need(line: QuotaLine | None) -> float | None:
    return None if line is None else line.demand.need + line.demand.contested


def _findings(plan: StackPlan | None) -> tuple[Finding, ...]:
    return () if plan is None else plan.findings


def _key(finding: Finding) -> tuple[str, str, str, str]:
    """What makes two findings the same: their words change with every figure in them."""
    return finding.rule, finding.status, finding.urn, finding.path


def _beyond(these: Sequence[Finding], those: Sequence[Finding]) -> tuple[Finding, ...]:
    """Findings of `these` that `those` lack; of several alike, as many as there are more."""
    spare = Counter(map(_key, those))
    found: list[Finding] = []
    for finding in these:
        if spare[_key(finding)]:
            spare[_key(finding)] -= 1
        else:
            found.append(finding)
    return tuple(found)


def _shared(these: Sequence[Finding], those: Sequence[Finding]) -> tuple[Finding, ...]:
    beyond = _beyond(these, those)
    return tuple(f for f in these if not any(f is other for other in beyond))
