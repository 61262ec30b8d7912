"""Every shipped stack file is planned and judged, on the catalogue's day."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from policies.finding import Status
from scripts.errors import Exit
from scripts.plan import stackfile
from scripts.plan.build import plan_stack
from scripts.plan.model import StackPlan
from tests.plan.checkout import by_default

ROOT = Path(__file__).parents[2]
NODE_POOLS = ("aws:eks/nodeGroup:NodeGroup", "gcp:container/nodePool:NodePool", "azure-native:containerservice:AgentPool")


@pytest.fixture(scope="module", params=stackfile.stack_names(ROOT))
def planned(request: pytest.FixtureRequest) -> StackPlan:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GPUKIT_WORLD", "sandbox")
        patch.delenv("GPUKIT_NOW", raising=False)
        return plan_stack(ROOT, request.param, by_default())


def test_it_plans_without_violated_unknown_or_unpriced(planned: StackPlan) -> None:
    assert planned.error is None
    assert [f for f in planned.findings if f.status in {Status.VIOLATED, Status.UNKNOWN, Status.UNPRICED}] == []
    assert planned.exit is Exit.FINE


def test_every_pool_of_its_file_stands(planned: StackPlan) -> None:
    assert planned.resources is not None
    inline = () if planned.cloud == "azure" else ("system",)  # H9: AKS's system pool stands in the cluster itself
    groups = [r.name for kind in NODE_POOLS for r in planned.resources.of_type(kind)]
    assert sorted(groups) == sorted(f"{planned.name}-{name}" for name in (*inline, *(pool.name for pool in planned.pools)))


def test_its_budget_is_tight_enough_to_judge_something(planned: StackPlan) -> None:
    file = stackfile.read(ROOT, planned.name)
    ceiling = json.loads(file.config["gpukit:cluster"])["budget"]["hourly_usd"]
    assert planned.cost is not None
    assert planned.cost.surge.hourly_usd <= ceiling <= 1.5 * planned.cost.surge.hourly_usd
