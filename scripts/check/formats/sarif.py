"""The report as SARIF 2.1.0 (OASIS standard), which code hosts show beside the lines of a change."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from components.resource import name_of
from policies import rules
from policies.finding import Finding, Level, Status, Suppressed
from scripts.check.model import Report
from scripts.plan.model import StackPlan
from scripts.plan.terminal import shown

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Level.MANDATORY: "error", Level.ADVISORY: "warning", Level.DISABLED: "none"}
NOT_JUDGED = "GPU-LIM-00"


def sarif(report: Report) -> dict[str, Any]:
    """One run; a stack that could not be judged is a result and makes the run unsuccessful."""
    results = [result for stack in report.checked for result in _results(stack)]
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "gpukit", "rules": _rules([str(r["ruleId"]) for r in results])}},
                "invocations": [{"executionSuccessful": all(s.error is None for s in report.checked)}],
                "columnKind": "unicodeCodePoints",
                "results": results,
            }
        ],
    }


def _rules(used: Sequence[str]) -> list[dict[str, Any]]:
    by_id = {rule.id: rule for rule in rules.RULES}
    return [
        {
            "id": name,
            "shortDescription": {"text": by_id[name].title if name in by_id else "The stack could be judged"},
            **({"help": {"text": f"Right, for example: {by_id[name].fix}"}} if name in by_id else {}),
        }
        for name in sorted(set(used))
    ]


def _results(stack: StackPlan) -> list[dict[str, Any]]:
    if stack.error is not None:
        return [_result(stack, NOT_JUDGED, "error", f"not judged: {stack.error}", urn="", path="")]
    return [
        {
            **_result(stack, f.rule, _level(f), f"{f.status}: {f.message}", urn=f.urn, path=f.path, failures=f.failures),
            **({"suppressions": [_suppression(f.suppressed)]} if f.suppressed else {}),
        }
        for f in stack.findings
    ]


def _suppression(given: Suppressed) -> dict[str, Any]:
    """By a file beside the code; without a status it counts as accepted."""
    return {"kind": "external", "justification": shown(f"{given.reason} (until {given.expires})").plain}


def _level(finding: Finding) -> str:
    return "note" if finding.status is Status.UNCHECKED else _LEVELS[finding.level]


def _result(  # noqa: PLR0913 # the parts of one result
    stack: StackPlan, rule: str, level: str, message: str, *, urn: str, path: str, failures: Sequence[str] = ()
) -> dict[str, Any]:
    logical = {"name": shown(name_of(urn)).plain, "fullyQualifiedName": shown(f"{urn}#{path}" if path else urn).plain, "kind": "resource"}
    return {
        "ruleId": rule,
        "level": level,
        "message": {"text": shown(message).plain},
        "locations": [
            {
                "physicalLocation": {"artifactLocation": {"uri": file_of(stack)}, "region": {"startLine": 1}},
                **({"logicalLocations": [logical]} if urn else {}),
            }
        ],
        "partialFingerprints": {"gpukit/v1": hashlib.sha256(f"{stack.name}\n{rule}\n{urn}\n{path}".encode()).hexdigest()},
        "properties": {"stack": stack.name, "failures": list(failures)},
    }


def file_of(stack: StackPlan) -> str:
    """The file that a finding is shown at: the stack's own, else the project's."""
    return f"stacks/Pulumi.{stack.name}.yaml" if stack.source == "stack file" else "Pulumi.yaml"
