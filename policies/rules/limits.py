"""GPU-LIM: what the owners of `policies/limits.yaml` allow."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from components.inventory import MachineChoice
from components.resource import name_of
from components.unknown import Unknown
from policies.finding import Level, Status
from policies.limits import LONGEST_DAYS

from .rule import Case, Rule, Scope, Verdict, cannot_tell


def _allowed(case: Case) -> Iterator[Verdict]:
    allowed = case.settings.limits.allowed
    for choice in case.inventory.machine_choices:
        if allowed.machines:
            yield from _machine(choice, allowed.machines, case.settings.limits_file)
        if allowed.regions and choice.region is not None:
            yield from _region(choice.urn, choice.region, allowed.regions, case.settings.limits_file)
    for plane in case.inventory.control_planes:
        if allowed.regions:
            yield from _region(plane.urn, plane.region, allowed.regions, case.settings.limits_file)


def _machine(choice: MachineChoice, allowed: tuple[str, ...], file: str) -> Iterator[Verdict]:
    name = name_of(choice.urn)
    if isinstance(choice.machine, Unknown):
        yield cannot_tell(choice.urn, choice.machine, subject=name, so="it cannot be told whether its machine is allowed")
    elif choice.machine not in allowed:
        text = f"{name}: machine {choice.machine} is not allowed here; allowed are {', '.join(allowed)} (allowed.machines of {file}). "
        text += "Take one of them, or have the owner of the limits add it."
        yield Verdict(status=Status.VIOLATED, urn=choice.urn, path=choice.path, message=text)


def _region(urn: str, region: str | Unknown, allowed: tuple[str, ...], file: str) -> Iterator[Verdict]:
    name = name_of(urn)
    if isinstance(region, Unknown):
        yield cannot_tell(urn, region, subject=name, so="it cannot be told whether its region is allowed")
    elif region not in allowed:
        text = f"{name}: region {region} is not allowed here; allowed are {', '.join(allowed)} (allowed.regions of {file}). "
        text += "Take one of them, or have the owner of the limits add it."
        yield Verdict(status=Status.VIOLATED, urn=urn, path="region", message=text)


def _suppressions(case: Case) -> Iterator[Verdict]:
    today = case.settings.now.date()
    for i, entry in enumerate(case.settings.limits.suppressions):
        if entry.stack not in (None, case.inventory.stack) or entry.active(today):
            continue
        if entry.endless(today):
            text = (
                f"{case.settings.limits_file}: the suppression of {entry.rule} until {entry.expires} reaches more than {LONGEST_DAYS} days "
            )
            text += f"ahead, so it does not count ({entry.reason}). "
            text += f"Have the owner set a day up to {today + timedelta(days=LONGEST_DAYS)}, or change the rule's level in `levels`."
        else:
            text = f"{case.settings.limits_file}: the suppression of {entry.rule} expired on {entry.expires} and counts no more ({entry.reason}). "
            text += "Fix what it covered and remove it, or have the owner set a new day."
        yield Verdict(status=Status.VIOLATED, urn="", path=f"suppressions[{i}]", message=text)


def _named_rules(case: Case) -> Iterator[Verdict]:
    limits = case.settings.limits
    named = [(f"levels.{rule}", rule) for rule in limits.levels]
    named += [(f"suppressions[{i}]", entry.rule) for i, entry in enumerate(limits.suppressions)]
    for path, rule in named:
        if rule not in case.own_levels:
            text = f"{case.settings.limits_file}: {path} names {rule}, and there is no such rule, so it does nothing. "
            text += "Take an id from the table in policies/README.md, or remove the entry."
            yield Verdict(status=Status.VIOLATED, urn="", path=path, message=text)


RULES = (
    Rule(
        id="GPU-LIM-01",
        title="Machines and regions are allowed ones",
        failures=(),
        scope=Scope.RESOURCE,
        check=_allowed,
        fix="allowed: {machines: [...], regions: [...]} in policies/limits.yaml; empty lists allow everything",
        parameters=("allowed.machines", "allowed.regions"),
    ),
    Rule(
        id="GPU-LIM-02",
        title="Suppressions have not expired and reach a year ahead at most",
        failures=(),
        scope=Scope.STACK,
        check=_suppressions,
        fix="remove the suppression, or renew it with its reason",
        level=Level.ADVISORY,
        parameters=("suppressions",),
    ),
    Rule(
        id="GPU-LIM-03",
        title="Levels and suppressions name rules that exist",
        failures=(),
        scope=Scope.STACK,
        check=_named_rules,
        fix="levels: {GPU-EFA-05: advisory}",
        level=Level.ADVISORY,
        parameters=("levels", "suppressions"),
    ),
)
