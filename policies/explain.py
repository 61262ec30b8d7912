"""One rule in full: what it means, what it reads, which failures it catches, an example that fails and its repair."""

from __future__ import annotations

import textwrap
from typing import Any

from .failures import FAILURES
from .finding import Level
from .rules import RULES, Rule, examples

SCHEMA = "gpukit/rule/1"
SOFTER = (
    "A single finding may be softer than that, and says so in brackets: advisory where only part of the rule is advice or a limit suppresses it, "
    "unchecked where this program cannot show it. Neither fails the check; someone has to look."
)
_WHEN = {"resource": "on one resource alone, before it is made", "stack": "on the stack as a whole"}


def find(rule: str) -> Rule:
    """The rule with this id, in any case. Raises LookupError with what there is instead."""
    wanted = rule.strip().upper()
    found = next((r for r in RULES if r.id == wanted), None)
    if found is not None:
        return found
    area = f"{wanted.rpartition('-')[0]}-"
    near = sorted(r.id for r in RULES if r.id.startswith(area))
    if near and area != "GPU-":
        raise LookupError(f"there is no rule {rule!r}; of that area there are: {', '.join(near)}. policies/README.md says what they are.")
    areas = ", ".join(sorted({r.id.rpartition("-")[0] for r in RULES}))
    raise LookupError(f"there is no rule {rule!r}; ids begin with one of: {areas}. policies/README.md lists all of them.")


def described(rule: Rule) -> dict[str, Any]:
    """The rule for machines: schema `gpukit/rule/1`."""
    failing = examples.failing(rule.id)
    return {
        "schema": SCHEMA,
        "id": rule.id,
        "title": rule.title,
        "level": str(rule.level),
        "scope": str(rule.scope),
        "parameters": list(rule.parameters),
        "failures": {failure: FAILURES[failure] for failure in rule.failures},
        "right": rule.fix,
        "example": {"failing": failing, "repaired": examples.repaired(rule.id), "before": examples.prelude(failing)},
    }


def text(rule: Rule) -> str:
    """The rule for people."""
    parts = [f"{rule.id}: {rule.title}.", f"Level {rule.level}, judged {_WHEN[str(rule.scope)]}."]
    if rule.parameters:
        parts.append(f"It reads {', '.join(rule.parameters)}.")
    if rule.level is Level.MANDATORY:
        parts.append(SOFTER)
    lines = [" ".join(parts), ""]
    if rule.failures:
        lines += ["Without it:", *(f"  {failure}  {FAILURES[failure]}" for failure in rule.failures), ""]
    lines += [f"Right, for example: {rule.fix}", "", "A program that fails (-), and its repair (+):", "", ""]
    shown = "\n".join(lines) + textwrap.indent(examples.text(rule.id), "  ", lambda _: True).rstrip()
    return f"{shown}\n\nNames such as cluster, group and inside stand for what goes before it; --json has all of that."
