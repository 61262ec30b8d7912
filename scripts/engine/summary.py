"""One action's end for a person: what changed, what the guardrails said, what the stack gives, and what to do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from scripts.engine.events import PolicyFinding, resource_name
from scripts.engine.outcome import Outcome

_DONE = {
    "create": "created",
    "update": "updated",
    "delete": "deleted",
    "replace": "replaced",
    "same": "unchanged",
    "import": "imported",
    "discard": "forgotten",
    "discard-replaced": "forgotten",
    "refresh": "read again",
}
_TO_DO = {"create": "to create", "update": "to update", "delete": "to delete", "replace": "to replace", "import": "to import"}
_LONGEST = 200


def summary(outcome: Outcome) -> str:
    """Lines without a final newline, none of them a secret."""
    return "\n".join(_lines(outcome))


def _lines(outcome: Outcome) -> Iterator[str]:
    seconds = f" in {outcome.seconds} s" if outcome.seconds else ""
    words = {**_DONE, **_TO_DO} if outcome.preview else _DONE
    changes = ", ".join(f"{count} {words.get(operation, operation)}" for operation, count in sorted(outcome.changes.items()))
    what = f"preview of {outcome.action}" if outcome.preview and outcome.action != "preview" else outcome.action
    yield f"[{outcome.world}] {what} {outcome.stack}: {changes or 'no changes'}{seconds}"
    for finding in outcome.findings:
        yield _finding(finding)
    if outcome.outputs and not outcome.preview and outcome.action != "destroy":
        yield "Outputs:"
        yield from (f"  {name}: {_shown(value)}" for name, value in sorted(outcome.outputs.items()))
    if outcome.message:
        yield outcome.message


def _finding(finding: PolicyFinding) -> str:
    where = f" at {resource_name(finding.urn)}" if finding.urn else ""
    message = "\n    ".join(finding.message.splitlines())
    return f"  {finding.level} {finding.policy}{where}: {message}"


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text)} characters)"
