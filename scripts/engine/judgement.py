"""The offline plan as gatekeeper: what it forbids never reaches an engine."""

from __future__ import annotations

from scripts.engine.checkout import Checkout
from scripts.errors import BadInput, Failed, Refused


def refuse_if_forbidden(checkout: Checkout, stack: str) -> None:
    """Plan `stack` in process and judge it. Raises Refused with every failing finding, BadInput when it cannot be planned."""
    from scripts.plan.build import plan_stack
    from scripts.plan.judgement import yardsticks

    plan = plan_stack(checkout.root, stack, yardsticks())
    if plan.error is not None:
        raise (Failed if plan.exit == Failed.exit else BadInput)(plan.error)
    if plan.failing:
        named = "\n".join(f"  - {finding.rule} {finding.status}: {finding.message}" for finding in plan.failing)
        raise Refused(f"The plan of {stack} is forbidden by {len(plan.failing)} mandatory findings. Nothing was changed.\n{named}")
