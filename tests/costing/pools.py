"""Inventories to count: a valid pool, with one thing changed."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from components.inventory import GpuPool, Inventory, Market, NodeCount, NodePool
from components.unknown import Maybe, Unknown

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
REGION = "us-east-1"


def nodes(minimum: Maybe[int] = 0, maximum: Maybe[int] = 4, surge: Maybe[int] = 0, desired: Maybe[int] | None = None) -> NodeCount:
    return NodeCount(minimum=minimum, desired=minimum if desired is None else desired, maximum=maximum, surge=surge)


def pool(**changes: Any) -> GpuPool:
    """Four p4d nodes at most, on demand, without anything else that bills."""
    good = GpuPool(
        urn="urn:pulumi:dev::research::aws:eks/nodeGroup:NodeGroup::gpu",
        name="gpu",
        cloud="aws",
        region=REGION,
        machines=("p4d.24xlarge",),
        market=Market.ON_DEMAND,
        nodes=nodes(),
        root_disk_gib=100,
        paths={"machines": "instanceTypes"},
    )
    return replace(good, **changes)


def cpu_pool(**changes: Any) -> NodePool:
    good = NodePool(
        urn="urn:pulumi:dev::research::aws:eks/nodeGroup:NodeGroup::system",
        name="system",
        cloud="aws",
        region=REGION,
        machines=("m7i.large",),
        market=Market.ON_DEMAND,
        nodes=nodes(2, 4, 2),
        root_disk_gib=100,
    )
    return replace(good, **changes)


def stack(*pools: NodePool, **facts: Any) -> Inventory:
    return Inventory(project="research", stack="dev", pools=pools, **facts)


sizes = st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(0, 10)).map(lambda s: nodes(min(s[:2]), max(s[:2]), s[2]))
machines = st.sampled_from(["p4d.24xlarge", "p5.48xlarge", "g5.2xlarge", "g6.xlarge", "m7i.large"])
markets = st.sampled_from([Market.ON_DEMAND, Market.SPOT, Market.RESERVATION])
pools = st.builds(lambda n, m, k: pool(nodes=n, machines=(m,), market=k), sizes, machines, markets)
inventories = st.lists(pools, max_size=5).map(lambda found: stack(*(replace(p, name=f"pool-{i}") for i, p in enumerate(found))))
UNKNOWN = Unknown("maxSize")
