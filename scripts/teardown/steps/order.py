"""The order in which a cluster comes apart. Each step only looks at what is there, so a run may begin again at any point."""

from __future__ import annotations

from scripts.teardown.step import Choices, Step
from scripts.teardown.steps import (
    balancers,
    budgets,
    claims,
    cluster,
    data,
    engine,
    finalizers,
    karpenter,
    operators,
    pools,
    recreators,
    rest,
    workloads,
)


def steps(choices: Choices, *, state_known: bool) -> tuple[Step, ...]:
    """All steps of a teardown, in order."""
    inside = (
        *(pools.STEP, recreators.STEP, workloads.STEP, balancers.BY_OWNER, claims.STEP, budgets.STEP, karpenter.STEP, operators.STEP),
        *((finalizers.STEP,) if choices.strip_finalizers else ()),
    )
    outside = (balancers.LEFT, karpenter.LEFT, cluster.POOLS)
    by_engine = (engine.DESTROY, rest.INTERFACES, engine.AGAIN) if state_known else ()
    by_hand = (cluster.CLUSTER, rest.INTERFACES, rest.NETWORK, rest.SWEEP)
    asked = (
        *((data.step(choices),) if choices.delete_data else ()),
        *((data.RESERVATIONS,) if choices.cancel_reservations else ()),
    )
    return (*inside, *outside, *by_engine, *by_hand, *asked)
