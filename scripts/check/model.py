"""What a check says: for each stack or program, what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from components.costing import Cost
from components.resource import ResourceSet
from policies.finding import Finding
from scripts.errors import Exit
from scripts.plan.judgement import Yardsticks, judged
from scripts.plan.model import QuotaLine
from scripts.plan.plan_json import cost_json, quota_json

SCHEMA = "gpukit/check/1"


@dataclass(frozen=True, kw_only=True)
class Checked:
    """One stack. With an `error` it was not judged."""

    name: str
    project: str
    source: str
    """Where its resources come from: `stack file`, `program`, `preview`, `state`."""
    resources: int = 0
    cost: Cost | None = None
    quota: tuple[QuotaLine, ...] = ()
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    error: str | None = None
    exit: Exit = Exit.FINE

    @property
    def failing(self) -> tuple[Finding, ...]:
        return tuple(f for f in self.findings if f.fails)


@dataclass(frozen=True, kw_only=True)
class Report:
    checked: tuple[Checked, ...]

    @property
    def exit(self) -> Exit:
        return max((c.exit for c in self.checked), default=Exit.FINE)


def checked(resources: ResourceSet, by: Yardsticks, *, source: str, notes: tuple[str, ...] = ()) -> Checked:
    """The findings on `resources`; never raises for what they hold."""
    found = judged(resources, by)
    return Checked(
        name=resources.stack,
        project=resources.project,
        source=source,
        resources=len(resources.resources),
        cost=found.cost,
        quota=found.quota,
        findings=found.findings,
        notes=notes,
        exit=Exit.NO if any(f.fails for f in found.findings) else Exit.FINE,
    )


def report_json(report: Report) -> dict[str, Any]:
    return {"schema": SCHEMA, "ok": report.exit is Exit.FINE, "stacks": [_checked_json(c) for c in report.checked]}


def _checked_json(checked: Checked) -> dict[str, Any]:
    return {
        "name": checked.name,
        "project": checked.project,
        "source": checked.source,
        "resources": checked.resources,
        "cost": None if checked.cost is None else cost_json(checked.cost),
        "quota": [quota_json(line) for line in checked.quota],
        "findings": [f.as_json() for f in checked.findings],
        "notes": list(checked.notes),
        "error": checked.error,
    }
