"""Disruption budgets that allow no disruption at all: no node would ever be drained."""

from __future__ import annotations

from scripts.teardown.model import Seen, Thing
from scripts.teardown.objects import body
from scripts.teardown.step import Step, delete_all

BUDGET = "PodDisruptionBudget"
_NONE = frozenset({"0", "0%"})
_ALL = "100%"


def blocking(seen: Seen) -> tuple[Thing, ...]:
    """Budgets that forbid every eviction: by their rule, or by what the controller counts now."""
    return tuple(each for each in seen.of([BUDGET]) if _forbids(each))


def _forbids(budget: Thing) -> bool:
    spec, status = body(budget).get("spec") or {}, body(budget).get("status") or {}
    by_rule = str(spec.get("maxUnavailable", "")) in _NONE or str(spec.get("minAvailable", "")) == _ALL
    return by_rule or (status.get("disruptionsAllowed") == 0 and bool(status.get("expectedPods")))


STEP = Step(
    id="budgets",
    title="Delete disruption budgets that allow no disruption",
    reason="K7: nodes with such pods are never drained, and Karpenter waits for them",
    needs=frozenset({BUDGET}),
    touches=blocking,
    act=delete_all,
    minutes=5,
    in_cluster=True,
)
