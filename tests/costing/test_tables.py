"""Costs of stacks of pools, worked out by hand: the figures on the right are sums that fit on paper."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import pytest

from components import costing
from components.catalog import Figure
from components.costing import Cost
from components.inventory import Cloud, GpuPool, Market, NodePool
from components.pricing import PriceOverlay
from components.spec import Commitment
from components.unknown import Maybe, Unknown
from tests.costing.pools import NOW, cpu_pool, nodes, pool, stack

REGIONS: dict[Cloud, str] = {"aws": "us-east-1", "gcp": "us-central1", "azure": "eastus"}
RATES: dict[tuple[Cloud, str, Market], float] = {
    ("aws", "p4d.24xlarge", Market.ON_DEMAND): 20,
    ("aws", "p4d.24xlarge", Market.SPOT): 5,
    ("aws", "p5.48xlarge", Market.ON_DEMAND): 60,
    ("aws", "p5.48xlarge", Market.SPOT): 15,
    ("aws", "p5.48xlarge", Market.CAPACITY_BLOCK): 40,
    ("aws", "g5.2xlarge", Market.ON_DEMAND): 1.25,
    ("aws", "g6f.xlarge", Market.ON_DEMAND): 0.25,
    ("aws", "m7i.large", Market.ON_DEMAND): 0.1,
    ("gcp", "a3-megagpu-8g", Market.ON_DEMAND): 90,
    ("gcp", "a3-megagpu-8g", Market.SPOT): 50,
    ("gcp", "a3-megagpu-8g", Market.FLEX_START): 45,
    ("gcp", "g2-standard-48", Market.ON_DEMAND): 4,
    ("gcp", "g4-standard-12", Market.ON_DEMAND): 1.5,
    ("gcp", "ct6e-standard-4t", Market.ON_DEMAND): 10,
    ("gcp", "e2-standard-4", Market.ON_DEMAND): 0.125,
    ("azure", "Standard_ND96isr_H100_v5", Market.ON_DEMAND): 100,
    ("azure", "Standard_ND96isr_H100_v5", Market.SPOT): 20,
    ("azure", "Standard_NV6ads_A10_v5", Market.ON_DEMAND): 0.5,
    ("azure", "Standard_D4s_v5", Market.ON_DEMAND): 0.2,
}
RATES_OF_OURS = PriceOverlay(
    {
        (cloud, REGIONS[cloud], name, market): Figure(usd, "hour", "by hand", date(2026, 11, 1))
        for (cloud, name, market), usd in RATES.items()
    }
)
UNKNOWN = Unknown("maxSize")
Size = tuple[Maybe[int], Maybe[int], Maybe[int]]


def of(machine: str | tuple[str, ...], size: Size, market: Market = Market.ON_DEMAND, name: str = "gpu", cloud: Cloud = "aws") -> GpuPool:
    """`size`: nodes now, at maximum, and what an update adds."""
    names = (machine,) if isinstance(machine, str) else machine
    now, most, extra = size
    return pool(
        name=name,
        urn=f"urn:pulumi:dev::research::x::{name}",
        cloud=cloud,
        region=REGIONS[cloud],
        machines=names,
        market=market,
        nodes=nodes(now, most, extra),
        root_disk_gib=0,
    )


def plain(machine: str, size: Size, cloud: Cloud = "aws") -> NodePool:
    now, most, extra = size
    return cpu_pool(
        urn="urn:pulumi:dev::research::x::system",
        cloud=cloud,
        region=REGIONS[cloud],
        machines=(machine,),
        nodes=nodes(now, most, extra),
        root_disk_gib=0,
    )


@dataclass(frozen=True)
class Case:
    """A stack of pools; US dollars an hour with no GPU node, now, at maximum, with surge; whether the sum has a bound."""

    what: str
    pools: tuple[NodePool, ...]
    idle: float
    now: float
    most: float
    surge: float
    bounded: bool = True


SPOT, BLOCK, FLEX, RESERVED = Market.SPOT, Market.CAPACITY_BLOCK, Market.FLEX_START, Market.RESERVATION
H100, MEGA = "p5.48xlarge", "a3-megagpu-8g"
ND = "Standard_ND96isr_H100_v5"
CASES = [
    Case("nothing", (), 0, 0, 0, 0),
    Case("four p4d that start at none", (of("p4d.24xlarge", (0, 4, 0)),), 0, 0, 80, 80),
    Case("a minimum bills at once", (of("p4d.24xlarge", (2, 4, 0)),), 0, 40, 80, 80),
    Case("an update adds two nodes", (of("p4d.24xlarge", (0, 4, 2)),), 0, 0, 80, 120),
    Case("spot at its own rate", (of("p4d.24xlarge", (1, 4, 0), SPOT),), 0, 5, 20, 20),
    Case("a reservation at the on-demand rate", (of("p4d.24xlarge", (4, 4, 0), RESERVED),), 0, 80, 80, 80),
    Case("a capacity block at its own rate", (of(H100, (4, 4, 0), BLOCK),), 0, 160, 160, 160),
    Case("a block beside a spot pool", (of(H100, (2, 2, 0), BLOCK), of(H100, (0, 2, 0), SPOT, "burst")), 0, 80, 110, 110),
    Case("alternatives count the dearest", (of(("p4d.24xlarge", H100), (0, 2, 0), SPOT),), 0, 0, 30, 30),
    Case("a system pool stays when no GPU runs", (plain("m7i.large", (2, 4, 2)), of(H100, (1, 1, 0))), 0.2, 60.2, 60.4, 60.6),
    Case("small GPUs for serving", (of("g5.2xlarge", (2, 8, 4)),), 0, 2.5, 10, 15),
    Case("a share of a GPU", (of("g6f.xlarge", (0, 8, 0)),), 0, 0, 2, 2),
    Case("a regional GKE pool: two nodes in each of three zones", (of(MEGA, (0, 3 * 2, 0), cloud="gcp"),), 0, 0, 540, 540),
    Case("a regional GKE pool with a surge node in each zone", (of("g2-standard-48", (3, 3 * 4, 3), cloud="gcp"),), 0, 12, 48, 60),
    Case("flex-start at its own rate", (of(MEGA, (0, 4, 0), FLEX, cloud="gcp"),), 0, 0, 180, 180),
    Case("GKE spot", (of(MEGA, (0, 4, 0), SPOT, cloud="gcp"),), 0, 0, 200, 200),
    Case("an eighth-node G4 slice", (of("g4-standard-12", (1, 4, 0), cloud="gcp"),), 0, 1.5, 6, 6),
    Case("a TPU slice of four hosts", (of("ct6e-standard-4t", (0, 4, 0), cloud="gcp"),), 0, 0, 40, 40),
    Case("GKE system pool and TPU", (plain("e2-standard-4", (3, 6, 3), "gcp"), of("ct6e-standard-4t", (1, 1, 0), cloud="gcp")), 0.375, 10.375, 10.75, 11.125),
    Case("ND H100 on Azure", (of(ND, (0, 4, 1), cloud="azure"),), 0, 0, 400, 500),
    Case("ND H100 spot on Azure, which takes no surge", (of(ND, (0, 4, 0), SPOT, cloud="azure"),), 0, 0, 80, 80),
    Case("a sixth of an A10 beside its system pool", (plain("Standard_D4s_v5", (2, 3, 1), "azure"), of("Standard_NV6ads_A10_v5", (0, 6, 2), cloud="azure")), 0.4, 0.4, 3.6, 4.8),
    Case("one stack with pools of two clouds", (of(H100, (1, 1, 0)), of(ND, (1, 1, 0), name="nd", cloud="azure")), 0, 160, 160, 160),
    Case("an unknown maximum is a floor", (of("p4d.24xlarge", (1, UNKNOWN, 0)), of(H100, (0, 1, 0), name="h")), 0, 20, 60, 60, bounded=False),
    Case("an unknown surge leaves the maximum", (of("p4d.24xlarge", (0, 4, UNKNOWN)),), 0, 0, 80, 0, bounded=False),
    Case("a GPU machine without a price is not free", (of("x9.enormous", (1, 1, 0), SPOT), of(H100, (1, 1, 0), name="h")), 0, 60, 60, 60, bounded=False),
]  # fmt: skip


def cost(*pools: NodePool, **settings: object) -> Cost:
    return costing.cost(stack(*pools), **{"now": NOW, "overlay": RATES_OF_OURS, **settings})  # pyright: ignore[reportArgumentType] # settings by name


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.what)
def test_a_stack_of_pools_costs_what_the_sum_on_paper_says(case: Case) -> None:
    total = cost(*case.pools)
    assert [a.hourly_usd for a in (total.idle, total.now, total.max, total.surge)] == pytest.approx(
        [case.idle, case.now, case.most, case.surge]
    )
    assert total.max.monthly_usd == pytest.approx(730 * case.most)
    assert total.bounded is case.bounded


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.what)
def test_the_parts_add_up_to_the_whole(case: Case) -> None:
    total = cost(*case.pools)
    parts = costing.per_pool(total)
    for level in ("now", "max", "surge"):
        assert sum(getattr(part, level).hourly_usd for part in parts) == pytest.approx(getattr(total, level).hourly_usd)


@pytest.mark.parametrize(
    ("machine", "cloud", "usd"),
    [
        ("p4d.24xlarge", "aws", 20 / 8),
        ("g6f.xlarge", "aws", 0.25 / 0.125),
        ("g4-standard-12", "gcp", 1.5 / 0.25),
        ("Standard_NV6ads_A10_v5", "azure", 0.5 * 6),
    ],
)
def test_an_hour_of_a_gpu_is_that_of_its_share_of_the_machine(machine: str, cloud: Cloud, usd: float) -> None:
    (found,) = costing.per_pool(cost(of(machine, (0, 4, 0), cloud=cloud)))
    assert found.gpu_hour_usd == pytest.approx(usd, rel=0.01)


def test_an_hour_of_a_gpu_carries_the_rest_of_the_stack_too() -> None:
    total = cost(plain("m7i.large", (2, 4, 2)), of("p4d.24xlarge", (0, 4, 0)))
    assert costing.gpu_hour_usd(total) == pytest.approx((80 + 0.4) / 32)


def test_without_gpus_or_with_an_unknown_number_of_them_an_hour_has_no_price() -> None:
    assert costing.gpu_hour_usd(cost(plain("m7i.large", (2, 4, 2)))) is None
    assert costing.gpu_hour_usd(cost(of("p4d.24xlarge", (0, UNKNOWN, 0)))) is None


def test_a_commitment_is_stated_and_taken_off_the_on_demand_pool_alone() -> None:
    half = Commitment(kind="savings_plan", pool="gpu", discount_percent=50)
    committed = cost(of("p4d.24xlarge", (4, 4, 0)), of(H100, (0, 1, 0), SPOT, "burst"), commitments=[half])
    assert committed.max.hourly_usd == pytest.approx(40 + 15)
    assert "50 % commitment taken off" in committed.lines[0].what
