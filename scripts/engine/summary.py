"""One action's end for a person: what changed, what the guardrails said, what the stack gives, and what to do."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator
from typing import Any

from scripts.engine import changes
from scripts.engine.events import PolicyFinding, resource_name
from scripts.engine.outcome import Outcome
from scripts.engine.show import verbose

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
_WIDTH = 100
_RULE = re.compile(r"GPU-[A-Z]+-\d+")


def summary(outcome: Outcome, *, every: bool | None = None) -> str:
    """Lines without a final newline, none of them a secret. `every`: nothing shortened (default: by GPUKIT_VERBOSE)."""
    return "\n".join(_lines(outcome, every=verbose() if every is None else every))


def _lines(outcome: Outcome, *, every: bool) -> Iterator[str]:
    what = f"preview of {outcome.action}" if outcome.preview and outcome.action != "preview" else outcome.action
    head = f"[{outcome.world}] {what} {outcome.stack}"
    if outcome.message and not (outcome.changes or outcome.findings or outcome.seconds):
        yield f"{head}: {outcome.message}"
        return
    seconds = f" in {outcome.seconds} s" if outcome.seconds else ""
    yield f"{head}: {_changes(outcome) or 'no changes'}{seconds}"
    yield from changes.lines(outcome.to_change, every=every)
    yield from _findings(outcome, every=every)
    if outcome.outputs and not outcome.preview and outcome.action != "destroy":
        yield "Outputs:"
        yield from (f"  {name}: {_shown(value)}" for name, value in sorted(outcome.outputs.items()))
    if outcome.message:
        yield outcome.message


def _changes(outcome: Outcome) -> str:
    """Such as "61 created (52 resources, 9 components)": the engine counts components and the stack as well."""
    words = {**_DONE, **_TO_DO} if outcome.preview else _DONE
    return ", ".join(
        f"{count} {words.get(operation, operation)}{_parts(count, outcome.components.get(operation, 0))}"
        for operation, count in sorted(outcome.changes.items())
    )


def _parts(count: int, components: int) -> str:
    if not 0 < components < count:
        return ""
    return f" ({count - components} {'resource' if count - components == 1 else 'resources'}, {components} {'component' if components == 1 else 'components'})"


def _findings(outcome: Outcome, *, every: bool) -> Iterator[str]:
    """Mandatory ones and what a preview finds in full. After the work, what the plan has told already is named only."""
    told = () if every or outcome.preview or outcome.action == "preview" else tuple(f for f in outcome.findings if _is_told(f))
    yield from (_finding(finding) for finding in outcome.findings if finding not in told)
    if told:
        rules = ", ".join(dict.fromkeys(rule for finding in told if (rule := _rule(finding))))
        noun = "finding" if len(told) == 1 else "findings"
        yield f"  {len(told)} advisory {noun}: {rules} (`gpukit plan {outcome.stack}` tells what)"


def _is_told(finding: PolicyFinding) -> bool:
    return not finding.mandatory and _rule(finding) is not None


def _rule(finding: PolicyFinding) -> str | None:
    """The id with which a finding of our own rules begins."""
    match = _RULE.match(finding.message)
    return match.group(0) if match else None


def _finding(finding: PolicyFinding) -> str:
    """One of ours begins with its rule; the pack's own name for it would say the same again."""
    if _rule(finding) is not None:
        return _wrapped(f"{finding.level} {finding.message}")
    where = f" at {resource_name(finding.urn)}" if finding.urn else ""
    return _wrapped(f"{finding.level} {finding.policy}{where}: {finding.message}")


def _wrapped(text: str) -> str:
    wrap = textwrap.TextWrapper(
        width=_WIDTH, initial_indent="    ", subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
    return "  " + "\n".join(line for part in text.splitlines() for line in wrap.wrap(part)).lstrip()


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text)} characters)"
