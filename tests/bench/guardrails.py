"""Speed of the guardrails as ratios within one run: `python -m tests.bench.guardrails`. Nothing here fails a build.

Three questions: what all rules cost on 5,000 resources beyond reading them from the engine's messages once, how that compares with one
SDK policy a rule, and whether the time grows faster than the resources.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from pulumi.runtime.proto import analyzer_pb2 as pb
from pulumi_policy import EnforcementLevel, StackValidationPolicy
from pulumi_policy.policy import _PolicyAnalyzerServicer

from components.resource import Resource, ResourceSet
from policies import Limits, Settings, adapter, evaluate
from policies.pack import policies
from policies.rules import RULES
from scripts.plan import stackfile
from scripts.plan.build import recorded
from scripts.plan.recorder import tune_collector
from tests.policies.pack_runner import _outputs

ROOT = Path(__file__).parents[2]
STACKS = ("aws-training-dev", "gcp-training-a3mega", "azure-training-ndh100")
MANY = 5000
ALLOWED_S = 0.5
SAMPLED_RULES = 6
"""Of the policies with one rule each; all of them would take minutes, and each of them costs the same reading."""


def multiplied(resources: ResourceSet, count: int) -> ResourceSet:
    """`count` resources: the stack again and again, each time under other names, with references that stay within one copy."""
    head = [r for r in resources if r.type == "pulumi:pulumi:Stack"]
    body = [r for r in resources if r.type != "pulumi:pulumi:Stack"]
    copies = (_copy(r, f"-{i // len(body)}", head[0].urn) for i, r in enumerate(body * (count // len(body) + 1)))
    return replace(resources, resources=(*head, *list(copies)[:count]))


def _copy(resource: Resource, end: str, stack: str) -> Resource:
    def renamed(urn: str | None) -> str:
        return urn if urn in {None, stack} else f"{urn}{end}"  # type: ignore[return-value]

    return replace(
        resource,
        urn=renamed(resource.urn),
        name=resource.name + end,
        parent=renamed(resource.parent),
        provider=renamed(resource.provider),
        dependencies=tuple(map(renamed, resource.dependencies)),
        property_dependencies={prop: tuple(map(renamed, urns)) for prop, urns in resource.property_dependencies.items()},
    )


def took(work: Callable[[], object]) -> float:
    """Seconds of processor time of the quickest of three: other processes of the machine do not count."""

    def once() -> float:
        start = time.process_time()
        work()
        return time.process_time() - start

    return min(once() for _ in range(3))


def analyzed(rules: list[Any], resources: ResourceSet) -> float:
    """Seconds of one AnalyzeStack call of the SDK's analyzer with these policies."""
    servicer = _PolicyAnalyzerServicer("bench", "0.0.0", rules, EnforcementLevel.ADVISORY)
    request = pb.AnalyzeStackRequest(resources=[_outputs(r, resources) for r in resources])
    return took(lambda: servicer.AnalyzeStack(request, None))


def one_each(settings: Settings) -> list[StackValidationPolicy]:
    """The naive pack: every rule a policy."""

    def policy(rule: Any) -> StackValidationPolicy:
        def validate(args: Any, report: Any) -> None:
            for finding in evaluate(adapter.of_stack(args.resources, adapter.Inputs()), settings, rules=[rule]):
                report(finding.message, finding.urn or None)

        return StackValidationPolicy(rule.id, rule.title, validate)

    return [policy(rule) for rule in RULES]


def main() -> None:
    os.environ["GPUKIT_WORLD"] = "sandbox"
    tune_collector()
    for name in STACKS:
        stack = recorded(ROOT, stackfile.read(ROOT, name)).resources
        settings = Settings.for_stack(stack.config, limits=Limits.load())
        many, few = multiplied(stack, MANY), multiplied(stack, MANY // 5)
        judged, fewer = took(partial(evaluate, many, settings)), took(partial(evaluate, few, settings))
        ours = analyzed(policies(), few)
        naive = one_each(settings)
        sampled = analyzed(naive[:: len(naive) // SAMPLED_RULES], few) / len(naive[:: len(naive) // SAMPLED_RULES]) * len(naive)
        print(f"{name}")
        print(f"  all {len(RULES)} rules on {MANY}   {judged:6.2f} s   {judged / ALLOWED_S:4.2f} of the allowed {ALLOWED_S} s")
        print(f"  five times the resources  {judged / fewer:6.1f} x the time")
        print(
            f"  one SDK policy a rule     {sampled / ours:6.1f} x the pack's time, on {MANY // 5} resources, from {SAMPLED_RULES} of the rules"
        )


if __name__ == "__main__":
    main()
