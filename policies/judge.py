"""Facts -> findings. The one path, whatever the resources were read from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from components.costing import Cost
from components.demand import QuotaDemand
from components.inventory import Inventory
from components.resource import ResourceSet

from .finding import Finding, Level, Status, Suppressed
from .readers import inventory as read_inventory
from .rules import RULES, Case, Rule, Verdict
from .settings import Settings


def evaluate(what: ResourceSet | Inventory, settings: Settings, *, rules: Sequence[Rule] = RULES) -> tuple[Finding, ...]:
    """Findings of `rules` on a program's resources, worst first. Never raises for what a program may contain."""
    return judge(what if isinstance(what, Inventory) else read_inventory(what), settings, rules=rules)


def judge(
    inventory: Inventory,
    settings: Settings,
    cost: Cost | None = None,
    demand: Sequence[QuotaDemand] | None = None,
    *,
    rules: Sequence[Rule] = RULES,
) -> tuple[Finding, ...]:
    """The same for an inventory that is there already, with cost and demand where they are."""
    case = Case(inventory, settings, cost, None if demand is None else tuple(demand), {rule.id: rule.level for rule in RULES})
    found = [finding for rule in rules for finding in _findings(rule, case)]
    return tuple(sorted(dict.fromkeys(found), key=_order))


def _order(finding: Finding) -> tuple[bool, str, str, str, str]:
    return not finding.fails, finding.rule, finding.urn, finding.path, finding.message


def _findings(rule: Rule, case: Case) -> Iterator[Finding]:
    level = case.settings.limits.levels.get(rule.id, rule.level)
    if level is Level.DISABLED:
        return
    for verdict in _checked(rule, case):
        if verdict.status is not Status.NOT_APPLICABLE:
            yield _suppressed(_finding(rule, verdict, level), case)


def _checked(rule: Rule, case: Case) -> list[Verdict]:
    """H11: a rule that fails has not been evaluated, which is no pass."""
    try:
        return list(rule.check(case))
    except Exception as error:  # noqa: BLE001 - one rule's mistake must not silence the others
        text = f"{rule.id} could not be evaluated ({type(error).__name__}). This is a mistake in the rule: please report it."
        return [Verdict(status=Status.UNKNOWN, urn="", path="", message=text)]


def _finding(rule: Rule, verdict: Verdict, level: Level) -> Finding:
    weak = Level.ADVISORY in (level, verdict.level) or verdict.status is Status.UNCHECKED
    return Finding(
        rule=rule.id,
        status=verdict.status,
        level=Level.ADVISORY if weak else level,
        urn=verdict.urn,
        path=verdict.path,
        message=verdict.message,
        failures=rule.failures,
    )


def _suppressed(finding: Finding, case: Case) -> Finding:
    """A suppressed finding stays in sight, as advice with its reason and last day."""
    today = case.settings.now.date()
    for entry in case.settings.limits.suppressions:
        if entry.active(today) and entry.covers(finding.rule, case.inventory.stack, finding.urn):
            message = f"Suppressed until {entry.expires} ({entry.reason}): {finding.message}"
            return replace(finding, level=Level.ADVISORY, message=message, suppressed=Suppressed(entry.reason, entry.expires))
    return finding
