"""GPU-LIM-04: limits that allow more than those of the base say so, and have no effect before they are the base's."""

from __future__ import annotations

from collections.abc import Iterator

from policies.finding import Level, Status
from policies.loosening import loosened

from .rule import Case, Rule, Scope, Verdict


def _loosened(case: Case) -> Iterator[Verdict]:
    proposed = case.settings.proposed
    if proposed is None:
        return
    for change in loosened(case.settings.limits, proposed, stack=case.inventory.stack, own_levels=case.own_levels):
        text = (
            f"{case.settings.limits_file}: the change loosens {change.path} from {change.before} to {change.after}. This check still judges by "
            "the base's limits. Have the owner of the limits agree, or take it out of the change."
        )
        yield Verdict(status=Status.VIOLATED, urn="", path=change.path, message=text)


RULES = (
    Rule(
        id="GPU-LIM-04",
        title="A change loosens no limit unseen",
        failures=(),
        scope=Scope.STACK,
        check=_loosened,
        fix="leave policies/limits.yaml as it is on the base, or merge its change first",
        level=Level.ADVISORY,
        parameters=("--base",),
    ),
)
