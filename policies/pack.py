"""The guardrails as a CrossGuard pack: the same rules, the same words, in `pulumi preview --policy-pack policies`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from threading import local
from typing import Any

from pulumi_policy import (
    EnforcementLevel,
    Policy,
    PolicyConfigSchema,
    PolicyPack,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    StackValidationArgs,
    StackValidationPolicy,
)

from components.resource import ResourceSet

from . import adapter, identity
from .finding import Finding, Level, Status
from .judge import evaluate
from .masking import serve_masked
from .pack_settings import POLICY_NAMES, PROPERTIES, settings_of
from .readers import types
from .rules import RULES, Scope

NAME = "gpukit"
_LEVELS = {Level.MANDATORY: EnforcementLevel.MANDATORY, Level.ADVISORY: EnforcementLevel.ADVISORY}
_WHEN = {Scope.RESOURCE: "one resource alone", Scope.STACK: "the stack as a whole"}


def serve() -> None:
    """Serve the pack; returns when the engine ends it."""
    serve_masked()
    PolicyPack(NAME, policies(), EnforcementLevel.MANDATORY)


def policies() -> list[Policy]:
    """One SDK policy a scope and level, many rules behind each: the SDK reads all resources again for every policy. Beside them the one
    that gives identity tags, which is off until its configuration turns it on.
    """
    calls = _Calls(adapter.Inputs())
    return [*(_policy(scope, level, name, calls) for (scope, level), name in POLICY_NAMES.items()), identity.policy()]


def text(finding: Finding) -> str:
    """How a finding reads in the engine's output."""
    return f"{finding.rule} ({finding.status}): {finding.message}"


class _Calls(local):
    """What one call leaves for the next: the SDK asks about the same resources once a level, and the answer is worked out once.

    An answer is used once, and only by the policy of the other level under the same configuration. Calls of one request share a thread.
    """

    def __init__(self, inputs: adapter.Inputs) -> None:
        self.inputs = inputs  # of all threads
        self._left: tuple[Hashable, Level, Mapping[str, Any], tuple[Finding, ...]] | None = None

    def findings(
        self, about: Hashable, level: Level, config: Mapping[str, Any], judge: Callable[[], tuple[Finding, ...]]
    ) -> tuple[Finding, ...]:
        left, self._left = self._left, None
        if left is not None and left[0] == about and left[1] is not level and left[2] == config:
            return left[3]
        found = judge()
        self._left = about, level, config, found
        return found


def _policy(scope: Scope, level: Level, name: str, calls: _Calls) -> Policy:
    description = f"GPU guardrails ({level}) on {_WHEN[scope]}"
    schema = PolicyConfigSchema(properties=PROPERTIES)
    if scope is Scope.RESOURCE:
        return ResourceValidationPolicy(name, description, _on_resource(level, calls), _LEVELS[level], schema)
    return StackValidationPolicy(name, description, _on_stack(level, calls), _LEVELS[level], schema)


def _on_resource(level: Level, calls: _Calls) -> Callable[[ResourceValidationArgs, ReportViolation], None]:
    def validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
        if not types.is_read(args.resource_type):
            return

        def judge() -> tuple[Finding, ...]:
            return _findings(lambda: adapter.of_resource(args, calls.inputs), args.get_config(), Scope.RESOURCE)

        for finding in calls.findings(args.urn, level, args.get_config(), judge):
            if _belongs(finding, level):
                report(text(finding), finding.urn or args.urn)

    return validate


def _on_stack(level: Level, calls: _Calls) -> Callable[[StackValidationArgs, ReportViolation], None]:
    def validate(args: StackValidationArgs, report: ReportViolation) -> None:
        def judge() -> tuple[Finding, ...]:
            return _findings(lambda: adapter.of_stack(args.resources, calls.inputs), args.get_config(), Scope.STACK)

        for finding in calls.findings(tuple(r.urn for r in args.resources), level, args.get_config(), judge):
            if _belongs(finding, level):
                report(text(finding), finding.urn or None)

    return validate


def _belongs(finding: Finding, level: Level) -> bool:
    return finding.fails is (level is Level.MANDATORY)


def _findings(read: Callable[[], ResourceSet], config: Mapping[str, Any], scope: Scope) -> tuple[Finding, ...]:
    """H11: an exception would end the engine's run without a word. What cannot be judged has not passed."""
    try:
        settings = settings_of(config, adapter.stack_config())
        return evaluate(read(), settings, rules=[rule for rule in RULES if rule.scope is scope])
    except (ValueError, OSError) as error:
        return (_unjudged(f"the pack's settings cannot be used, so nothing was judged: {error}"),)
    except Exception as error:  # noqa: BLE001 - see above
        return (_unjudged(f"the guardrails could not be evaluated ({type(error).__name__}), so nothing was judged"),)


def _unjudged(message: str) -> Finding:
    return Finding(rule="GPU-LIM-00", status=Status.UNKNOWN, level=Level.MANDATORY, urn="", path="", message=message)
