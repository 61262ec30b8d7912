"""The guardrails as a CrossGuard pack: the same rules, the same words, in `pulumi preview --policy-pack policies`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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

from . import adapter
from .finding import Finding, Level, Status
from .judge import evaluate
from .pack_settings import POLICY_NAMES, PROPERTIES, settings_of
from .readers import types
from .rules import RULES, Scope

NAME = "gpukit"
_LEVELS = {Level.MANDATORY: EnforcementLevel.MANDATORY, Level.ADVISORY: EnforcementLevel.ADVISORY}
_WHEN = {Scope.RESOURCE: "one resource alone", Scope.STACK: "the stack as a whole"}


def serve() -> None:
    """Serve the pack; returns when the engine ends it."""
    PolicyPack(NAME, policies(), EnforcementLevel.MANDATORY)


def policies() -> list[Policy]:
    """One SDK policy a scope and level, many rules behind each: the SDK reads all resources again for every policy."""
    inputs = adapter.Inputs()
    return [_policy(scope, level, name, inputs) for (scope, level), name in POLICY_NAMES.items()]


def text(finding: Finding) -> str:
    """How a finding reads in the engine's output."""
    return f"{finding.rule} ({finding.status}): {finding.message}"


def _policy(scope: Scope, level: Level, name: str, inputs: adapter.Inputs) -> Policy:
    description = f"GPU guardrails ({level}) on {_WHEN[scope]}"
    schema = PolicyConfigSchema(properties=PROPERTIES)
    if scope is Scope.RESOURCE:
        return ResourceValidationPolicy(name, description, _on_resource(level, inputs), _LEVELS[level], schema)
    return StackValidationPolicy(name, description, _on_stack(level, inputs), _LEVELS[level], schema)


def _on_resource(level: Level, inputs: adapter.Inputs) -> Callable[[ResourceValidationArgs, ReportViolation], None]:
    def validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
        if not types.is_read(args.resource_type):
            return
        inputs.remember(args)
        for finding in _findings(lambda: adapter.of_resource(args), args.get_config(), Scope.RESOURCE):
            if _belongs(finding, level):
                report(text(finding), finding.urn or args.urn)

    return validate


def _on_stack(level: Level, inputs: adapter.Inputs) -> Callable[[StackValidationArgs, ReportViolation], None]:
    def validate(args: StackValidationArgs, report: ReportViolation) -> None:
        for finding in _findings(lambda: adapter.of_stack(args.resources, inputs), args.get_config(), Scope.STACK):
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
