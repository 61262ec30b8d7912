"""Findings that say the same of many places, told once: five thousand equal ones hide every other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from components.resource import name_of
from policies.finding import Finding

PLACES = 5
"""Places named of one group, beside the first."""


@dataclass(frozen=True)
class Alike:
    """The first of them, and all others."""

    first: Finding
    others: tuple[Finding, ...] = ()

    def also(self) -> str:
        """`also at a, b and 7 more places`; "" for a finding by itself."""
        if not self.others:
            return ""
        rest = len(self.others) - PLACES
        names = ", ".join(name_of(each.urn) or each.path or "the stack" for each in self.others[:PLACES])
        return f"also at {names}" + (f" and {rest} more place{'s' * (rest != 1)} (--format json has all)" if rest > 0 else "")


def said(finding: Finding) -> str:
    """The message without the name of its resource in front, for lines in which that stands already."""
    name = name_of(finding.urn)
    return finding.message.removeprefix(f"{name}: ") if name else finding.message


def alike(findings: Sequence[Finding]) -> tuple[Alike, ...]:
    """In the order of the first of each group."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for each in findings:
        groups.setdefault((each.rule, each.status, each.level, each.failures, said(each), each.suppressed), []).append(each)
    return tuple(Alike(group[0], tuple(group[1:])) for group in groups.values())
