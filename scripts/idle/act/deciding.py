"""Signals and what is remembered -> the next step of every cluster, and whether the run as a whole may go on. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from scripts.idle.act.state import Remembered
from scripts.idle.intent import Do, Intent, Policy, Reach, beyond, intent
from scripts.idle.rules import Rules
from scripts.idle.signals import Cluster
from scripts.idle.verdict import Verdict, verdict

AGAIN = timedelta(hours=24)
"""After which the same thing is told once more."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One cluster: what it does, and what follows."""

    key: str
    """Its stack, or its name where it has none."""
    cluster: Cluster
    verdict: Verdict
    intent: Intent
    notify: tuple[str, ...] = ()
    discovered: bool = False
    """Found beside the stacks: only spoken about."""

    @property
    def topic(self) -> str:
        """What there is to tell: changes when the situation does."""
        return f"{self.intent.do}: {self.verdict.status}"

    def worth_telling(self, remembered: Remembered, now: datetime) -> bool:
        """Warnings always; what needs a person once, and again after a day."""
        if self.intent.do is Do.WARN:
            return True
        if self.intent.do is not Do.TELL:
            return False
        return remembered.told != self.topic or remembered.told_at is None or now - remembered.told_at >= AGAIN


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A cluster to decide about, with what its stack allows."""

    key: str
    cluster: Cluster
    policy: Policy = field(default_factory=Policy)
    notify: tuple[str, ...] = ()
    discovered: bool = False


def decide(subjects: Sequence[Subject], past: Mapping[str, Remembered], now: datetime, rules: Rules) -> list[Case]:
    """A case for each subject, in their order."""
    return [_case(subject, past.get(subject.key, Remembered()), now, rules) for subject in subjects]


def _case(subject: Subject, remembered: Remembered, now: datetime, rules: Rules) -> Case:
    found = verdict(subject.cluster, now, rules)
    step = intent(found, subject.policy, remembered.past)
    return Case(key=subject.key, cluster=subject.cluster, verdict=found, intent=step, notify=subject.notify, discovered=subject.discovered)


def stopped(cases: Sequence[Case], reach: Reach) -> str | None:
    """Why nothing at all may be touched; None when the run may go on."""
    return beyond([case.intent for case in cases], reach)


def remembered_after(case: Case, before: Remembered, now: datetime, *, told: bool) -> Remembered:
    """The record once the step is done. A warning that reached nobody begins no grace."""
    past = case.intent.past
    if case.intent.do is Do.WARN and not told:
        return before
    parts: dict[str, object] = {"warned_at": past.warned_at, "acted_at": past.acted_at, "action": past.action, "begun": ""}
    if told:
        parts |= {"told": case.topic, "told_at": now}
    elif case.intent.do is Do.NOTHING:
        parts |= {"told": "", "told_at": None}
    return before.model_copy(update=parts)
