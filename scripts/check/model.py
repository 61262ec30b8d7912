"""What a check says: for each stack or program, what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass

from components.resource import ResourceSet
from scripts.errors import Exit
from scripts.plan.judgement import Yardsticks, judged
from scripts.plan.model import StackPlan
from scripts.plan.together import with_judgement

from .difference import Difference


@dataclass(frozen=True, kw_only=True)
class Report:
    checked: tuple[StackPlan, ...]
    base: str = ""
    """What it was compared with; "" for nothing."""
    differences: tuple[Difference, ...] | None = None

    @property
    def exit(self) -> Exit:
        return max((c.exit for c in self.checked), default=Exit.FINE)


def checked(resources: ResourceSet, by: Yardsticks, *, source: str, notes: tuple[str, ...] = ()) -> StackPlan:
    """The findings on `resources`; never raises for what they hold."""
    plan = StackPlan(name=resources.stack, project=resources.project, source=source, resources=resources, notes=notes)
    return with_judgement(plan, judged(resources, by))
