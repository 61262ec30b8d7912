"""The engine's event log: one JSON object a line, gathered into what a person and a machine want to know of a run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

_SIGNATURE = "4dabf18193072939515e22adb298388d"
_SECRET_MARK = "1b47061264138c4ac30d75fd1eb44270"
SECRET = "[secret]"
OWN_PACK = "gpukit"
STACK_TYPE = "pulumi:pulumi:Stack"
PROVIDER_TYPE = "pulumi:providers:"
UNCHANGED = frozenset({"same", "read", "refresh"})
"""Operations that change nothing in a cloud."""

_MAKING = frozenset({"create", "create-replacement"})


@dataclass(frozen=True)
class PolicyFinding:
    """A report of a policy pack, in the words of its rule."""

    policy: str
    level: str
    urn: str
    message: str

    @property
    def mandatory(self) -> bool:
        return self.level == "mandatory"

    def as_json(self) -> dict[str, str]:
        return {"policy": self.policy, "level": self.level, "urn": self.urn, "message": self.message}


@dataclass(frozen=True)
class Step:
    """One operation on one resource, begun or ended."""

    operation: str
    urn: str
    ended: bool
    failed: bool = False
    real: bool = True
    """Whether it is a thing in a cloud: components, providers and the stack exist in the state only."""
    properties: tuple[str, ...] = ()
    """Paths of the properties that differ; of a replacement those that force it."""
    planned: bool = False
    """Whether a preview only means to do it."""
    inputs: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False, hash=False)
    """Of what a preview would create: its inputs, unknown values and secrets blinded by the engine."""

    @property
    def changes(self) -> bool:
        return self.real and self.operation not in UNCHANGED


@dataclass
class Report:
    """All that a run said. `add` takes the log's lines in order."""

    changes: dict[str, int] = field(default_factory=dict[str, int])
    findings: list[PolicyFinding] = field(default_factory=list[PolicyFinding])
    outputs: dict[str, Any] = field(default_factory=dict[str, Any])
    errors: list[str] = field(default_factory=list[str])
    warnings: list[str] = field(default_factory=list[str])
    steps: list[Step] = field(default_factory=list[Step])
    seconds: int = 0
    ended: bool = False
    """Whether the engine wrote its summary: without it the run was cut off."""

    @property
    def mandatory(self) -> tuple[PolicyFinding, ...]:
        return tuple(finding for finding in self.findings if finding.mandatory)

    @property
    def done(self) -> dict[str, int]:
        """What changed, by operation. A run that was cut off has no summary: then the steps that ended are counted."""
        if self.ended:
            return self.changes
        return dict(Counter(step.operation for step in self.steps if step.ended and not step.failed and step.changes))

    @property
    def creates(self) -> frozenset[tuple[str, str]]:
        """Type and logical name of every real thing that is made, or in a preview: would be."""
        made = (step for step in self.steps if step.real and step.operation in _MAKING)
        return frozenset((resource_type(step.urn), resource_name(step.urn)) for step in made)

    @property
    def components(self) -> dict[str, int]:
        """How many of `done` are components (and the stack), by operation: they exist in the state only."""
        # A component ends twice in the log: registered, and with its outputs.
        ended = {(step.operation, step.urn) for step in self.steps if step.ended and not step.failed and not step.real}
        return dict(Counter(operation for operation, urn in ended if not resource_type(urn).startswith(PROVIDER_TYPE)))

    @property
    def intended(self) -> tuple[Step, ...]:
        """What a preview would create anew, in its order."""
        return tuple(step for step in self.steps if step.real and step.operation == "create" and step.planned and not step.ended)

    def add(self, line: str) -> Step | None:
        """Take one line; gives the step that it begins or ends. A line cut off by a killed engine is passed over."""
        try:
            event: object = json.loads(line)
        except (ValueError, RecursionError):
            return None
        for name, body in cast("dict[str, Any]", event).items() if isinstance(event, dict) else ():
            if isinstance(body, dict):
                return self._take(name, cast("dict[str, Any]", body))
        return None

    def _take(self, name: str, body: dict[str, Any]) -> Step | None:
        match name:
            case "policyEvent":
                self._add_finding(body)
            case "diagnosticEvent":
                self._add_diagnostic(body)
            case "summaryEvent":
                self.changes = {key: int(count) for key, count in dict(body.get("resourceChanges") or {}).items()}
                self.seconds = int(body.get("durationSeconds") or 0)
                self.ended = True
            case "resourcePreEvent" | "resOutputsEvent" | "resOpFailedEvent":
                return self._add_step(name, body)
            case _:
                pass
        return None

    def _add_finding(self, body: dict[str, Any]) -> None:
        finding = PolicyFinding(
            policy=str(body.get("policyName", "")),
            level=str(body.get("enforcementLevel", "")),
            urn=str(body.get("resourceUrn", "")),
            message=_report(str(body.get("policyPackName", "")), str(body.get("message", "")).strip()),
        )
        if finding not in self.findings:
            self.findings.append(finding)

    def _add_diagnostic(self, body: dict[str, Any]) -> None:
        text = str(body.get("message", "")).strip()
        kept = {"error": self.errors, "warning": self.warnings}.get(str(body.get("severity")))
        if kept is not None and text and text not in kept:
            kept.append(text)

    def _add_step(self, name: str, body: dict[str, Any]) -> Step:
        metadata: dict[str, Any] = body.get("metadata") or {}
        new: dict[str, Any] = metadata.get("new") or {}
        planned = bool(body.get("planning"))
        step = Step(
            operation=str(metadata.get("op", "")),
            urn=str(metadata.get("urn", "")),
            ended=name != "resourcePreEvent",
            failed=name == "resOpFailedEvent",
            real=bool(metadata.get("provider")),
            properties=_properties(metadata),
            planned=planned,
            inputs=(new.get("inputs") or {}) if planned else {},
        )
        self.steps.append(step)
        if step.ended and not step.failed and resource_type(step.urn) == STACK_TYPE:
            self.outputs = {key: masked(value) for key, value in dict(new.get("outputs") or {}).items()}
        return step


def _properties(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    detailed: Mapping[str, Any] = metadata.get("detailedDiff") or {}
    forcing = [path for path, each in detailed.items() if str(each.get("diffKind", "")).endswith("-replace")]
    return tuple(sorted(forcing or detailed or metadata.get("diffs") or ()))


def _report(pack: str, message: str) -> str:
    """The policy SDK puts the policy's description before the report. That of our own pack, one line that many rules share, is dropped."""
    return message.partition("\n")[2] if pack == OWN_PACK and "\n" in message else message


def masked(value: Any) -> Any:
    """`value` with every secret replaced by "[secret]", at any depth."""
    if isinstance(value, Mapping):
        fields = cast("Mapping[str, Any]", value)
        if fields.get(_SIGNATURE) == _SECRET_MARK:
            return SECRET
        return {key: masked(item) for key, item in fields.items()}
    if isinstance(value, list):
        return [masked(item) for item in cast("list[Any]", value)]
    return value


def resource_type(urn: str) -> str:
    """The resource's own type, the last of the type chain in its URN."""
    parts = urn.split("::")
    return parts[2].rsplit("$", 1)[-1] if len(parts) > 3 else ""


def resource_name(urn: str) -> str:
    parts = urn.split("::", 3)
    return parts[3] if len(parts) > 3 else urn
