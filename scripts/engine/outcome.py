"""How a run ended: the exit code of the engine and its events, in gpukit's terms and in one paragraph."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from scripts.engine.changes import Change, changes_of
from scripts.engine.events import PolicyFinding, Report, resource_name, resource_type
from scripts.engine.process import Ended
from scripts.errors import Exit

SCHEMA = "gpukit/run/1"
_MOST_ERRORS = 5
_ECHOES = frozenset({"preview failed", "update failed", "destroy failed", "refresh failed"})
"""The engine says these after the error that tells."""
_PRINTED_ERROR = re.compile(r"\s*error:", re.IGNORECASE)

_NOT_THERE = re.compile(r"not[ _]?found|does ?n[o']t exist|no such|no \w+ found|unreachable", re.IGNORECASE)
"""How clouds say that something is not there (`ResourceNotFoundException`, `NoSuchEntity`, `does not exist`, `was not found`). Taken too widely it
costs one more look at everything."""

_REFUSALS = (
    (re.compile(r"stack is currently locked", re.IGNORECASE), Exit.NO, "another engine holds the stack's lock"),
    (
        re.compile(r"cannot be deleted\s+because it is protected|is protected", re.IGNORECASE),
        Exit.NO,
        "a protected resource would be deleted",
    ),
    (
        re.compile(r"snapshot integrity|failed to load checkpoint", re.IGNORECASE),
        Exit.USAGE,
        "the state is corrupt",
    ),
    (re.compile(r"incorrect passphrase", re.IGNORECASE), Exit.USAGE, "the passphrase does not fit the stack"),
    (re.compile(r"no stack named", re.IGNORECASE), Exit.USAGE, "there is no such stack"),
)
"""The engine's words for what is neither a cloud's nor its own failure; its exit code is 1 for all of them."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The end of one action on one stack. `message` is "" when it went well."""

    action: str
    stack: str
    world: str
    exit: Exit
    preview: bool = False
    """Whether `changes` are what would be done: nothing was."""
    message: str = ""
    changes: dict[str, int] = field(default_factory=dict[str, int])
    components: dict[str, int] = field(default_factory=dict[str, int])
    """How many of `changes` are components, which exist in the state only."""
    to_change: tuple[Change, ...] = ()
    """Of a preview: what exists and would be replaced, deleted or updated."""
    findings: tuple[PolicyFinding, ...] = ()
    outputs: dict[str, Any] = field(default_factory=dict[str, Any])
    seconds: int = 0

    def as_json(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "action": self.action,
            "stack": self.stack,
            "world": self.world,
            "exit": int(self.exit),
            "preview": self.preview,
            "message": self.message,
            "changes": self.changes,
            "components": self.components,
            "to_change": [change.as_json() for change in self.to_change],
            "findings": [finding.as_json() for finding in self.findings],
            "outputs": self.outputs,
            "seconds": self.seconds,
        }


def outcome(ended: Ended, report: Report, *, action: str, stack: str, world: str, preview: bool = False) -> Outcome:  # noqa: PLR0913 - by name
    """Judge how the engine ended."""
    code, message = judge(ended, report, stack=stack)
    return Outcome(
        action=action,
        stack=stack,
        world=world,
        exit=code,
        preview=preview,
        message=message,
        changes=report.done,
        components=report.components,
        to_change=changes_of(report.steps) if preview else (),
        findings=tuple(report.findings),
        outputs=report.outputs,
        seconds=report.seconds,
    )


def judge(ended: Ended, report: Report, *, stack: str) -> tuple[Exit, str]:
    """Exit code and paragraph. An interrupt comes first: what follows it is its consequence."""
    if ended.interrupted:
        return Exit.INTERRUPTED, (
            f"Interrupted: the engine finished the steps that it had begun and recorded them ({_done(report)}). "
            f"Run the same command on stack {stack} again to go on."
        )
    if ended.code == 0:
        return Exit.FINE, ""
    if report.mandatory:
        count = len(report.mandatory)
        return Exit.NO, f"Stopped by {count} mandatory {'finding' if count == 1 else 'findings'}. Correct what they name and try again."
    if ended.code < 0:
        return Exit.FAILED, (
            f"The engine was ended by signal {-ended.code} ({_done(report)}). Run the same command on stack {stack} again: "
            f"gpukit first looks up what was under way."
        )
    return _failed(ended, report, stack)


def lags_behind(ended: Outcome) -> bool:
    """Whether a cloud's refusal sounds as if something were not there that the state calls made."""
    return ended.exit is Exit.FAILED and _NOT_THERE.search(ended.message) is not None


def _failed(ended: Ended, report: Report, stack: str) -> tuple[Exit, str]:
    words = _words(ended, report)
    for pattern, code, why in _REFUSALS:
        if pattern.search(f"{words}\n{ended.text}"):
            return code, f"Stack {stack}: {why}.\n{words}"
    failed = [f"{resource_type(step.urn)} {resource_name(step.urn)}" for step in report.steps if step.failed]
    where = f" at {', '.join(dict.fromkeys(failed))}" if failed else ""
    return Exit.FAILED, f"Stack {stack}: the engine stopped{where}.\n{words}"


def _words(ended: Ended, report: Report) -> str:
    """The engine's own errors; without any in the log, those that it printed, else the end of its output."""
    errors = [error for error in report.errors if error not in _ECHOES]
    if not errors:
        errors = [line.strip() for line in ended.text.splitlines() if _PRINTED_ERROR.match(line)]
    if not errors:
        return ended.text.strip()[-2000:]
    more = len(errors) - _MOST_ERRORS
    return "\n".join(errors[:_MOST_ERRORS]) + (f"\n… and {more} more" if more > 0 else "")


def _done(report: Report) -> str:
    done = sum(1 for step in report.steps if step.ended and not step.failed and step.changes)
    return f"{done} {'resource' if done == 1 else 'resources'} done"
