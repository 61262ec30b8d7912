"""Findings and notes for people, the ones that make the answer no first."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from components.resource import name_of
from policies.finding import Finding, Status

from .alike import Alike, alike
from .terminal import shown

_STYLES = {Status.VIOLATED: "red", Status.UNKNOWN: "red", Status.UNPRICED: "red", Status.UNCHECKED: "yellow", Status.NOT_APPLICABLE: "dim"}


def findings_block(findings: Sequence[Finding], notes: Sequence[str]) -> RenderableType:
    """One paragraph a finding: which rule, how it stands, where, and what to do; then what an offline run could not see."""
    if not findings and not notes:
        return shown("none", "green")
    return Group(*(part for group in alike(findings) for part in _finding(group)), *(shown(f"note: {note}", "dim") for note in notes))


def _finding(group: Alike) -> tuple[RenderableType, ...]:
    finding, also = group.first, group.also()
    style = _STYLES[finding.status] if finding.fails or finding.status is Status.UNCHECKED else "yellow"
    ids = f", {', '.join(finding.failures)}" if finding.failures else ""
    head = Text.assemble(shown(f"{finding.rule} {finding.status}", f"bold {style}"), shown(f" ({finding.level}{ids}){where(finding)}"))
    return head, *(Padding(shown(line), (0, 0, 0, 4)) for line in (finding.message, also) if line)


def where(finding: Finding) -> str:
    """` at NAME, property PATH` as far as the finding says."""
    name = name_of(finding.urn)
    at = f" at {name}" if name else ""
    return f"{at}, {finding.path}" if finding.path and name else at


def unchecked(findings: Sequence[Finding]) -> int:
    """How many things nobody has looked at: no reason to say no, and none to be sure."""
    return sum(finding.status is Status.UNCHECKED for finding in findings)


def verdict(failing: int, broken: int, open_: int = 0) -> str:
    """The answer in one line: findings to repair, stacks that could not be judged, things that are unchecked."""
    parts = [f"{failing} finding{'s' * (failing != 1)} must be repaired"] if failing else []
    parts += [f"{broken} could not be judged"] if broken else []
    parts = parts or ["nothing must be repaired"]
    parts += [f"{open_} thing{'s' * (open_ != 1)} unchecked"] if open_ else []
    return ", ".join(parts)
