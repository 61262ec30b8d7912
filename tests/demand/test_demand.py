"""Quota demand: at maximum with surge, per quota, summed over pools."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components import catalog
from components.demand import QuotaDemand, demand, merged
from components.inventory import GpuPool, Inventory, Market
from components.unknown import Unknown
from tests.costing.pools import UNKNOWN, cpu_pool, inventories, nodes, pool, pools, stack

ON_DEMAND_P, SPOT_P, SPOT_P5, ON_DEMAND_G = "L-417A185B", "L-7212CCBC", "L-C4BD4855", "L-DB2E81BA"


def needs(inventory: Inventory) -> dict[str, float]:
    return {d.code: d.need for d in demand(inventory)}


@pytest.mark.failure("J1")
def test_demand_is_in_vcpus_and_not_in_machines() -> None:
    assert needs(stack(pool(nodes=nodes(0, 4)))) == {ON_DEMAND_P: 4 * 96}


@pytest.mark.failure("J1")
def test_families_and_markets_are_quotas_of_their_own() -> None:
    spot = pool(market=Market.SPOT, machines=("p5.48xlarge",))
    serving = pool(machines=("g5.2xlarge",))
    assert needs(stack(pool(), replace(spot, name="spot"), replace(serving, name="serving"))) == {
        ON_DEMAND_P: 384,
        SPOT_P5: 768,
        ON_DEMAND_G: 32,
    }


def test_an_update_needs_room_too() -> None:
    assert needs(stack(pool(nodes=nodes(0, 4, 2)))) == {ON_DEMAND_P: 6 * 96}


def test_pools_of_one_quota_are_summed_and_named() -> None:
    (found,) = demand(stack(pool(), pool(name="second", machines=("p5.48xlarge",))))
    assert (found.need, found.pools, found.unit, found.market) == (384 + 768, ("gpu", "second"), "vCPU", Market.ON_DEMAND)


def test_a_pool_with_alternatives_draws_once_on_each_quota_at_its_largest() -> None:
    alternatives = pool(machines=("p4d.24xlarge", "p5.48xlarge", "g5.2xlarge"), nodes=nodes(0, 1))
    assert needs(stack(alternatives)) == {ON_DEMAND_P: 192, ON_DEMAND_G: 8}


def test_a_reservation_counts_against_on_demand() -> None:
    assert needs(stack(pool(market=Market.RESERVATION))) == {ON_DEMAND_P: 384}


def test_a_capacity_block_counts_against_no_quota() -> None:
    assert demand(stack(pool(market=Market.CAPACITY_BLOCK))) == ()


def test_a_quota_that_sources_disagree_on_is_contested() -> None:
    p6 = demand(stack(pool(machines=("p6-b200.48xlarge",), market=Market.SPOT, nodes=nodes(0, 1))))
    assert all(d.need == 0 for d in p6)
    assert all(d.contested == 192 or d.unknown for d in p6)
    assert p6


def test_regions_are_kept_apart() -> None:
    assert [d.region for d in demand(stack(pool(), pool(name="west", region="us-west-2")))] == ["us-east-1", "us-west-2"]


@pytest.mark.parametrize(
    "changes", [{"region": UNKNOWN}, {"market": UNKNOWN}, {"machines": UNKNOWN}, {"machines": (UNKNOWN,)}, {"nodes": nodes(0, UNKNOWN)}]
)
def test_an_unknown_fact_is_an_unknown_demand(changes: dict[str, object]) -> None:
    (found,) = demand(stack(pool(**changes)))
    assert [u.missing for u in found.unknown] == [UNKNOWN]
    assert found.need == 0


def test_a_machine_in_no_catalogue_is_an_unknown_demand() -> None:
    (found,) = demand(stack(pool(machines=("x9.enormous",))))
    assert (found.code, str(found.unknown[0].missing)) == ("", "unknown: instanceTypes is 'x9.enormous', which is in no catalogue")


def test_cpu_pools_draw_on_the_standard_quota() -> None:
    assert needs(stack(cpu_pool())) == {"L-1216C47A": 6 * 2}


@given(inventories)
def test_the_whole_is_the_sum_of_its_parts(inventory: Inventory) -> None:
    parts = [part for p in inventory.pools for part in demand(replace(inventory, pools=(p,)))]
    assert {d.key: d.need for d in merged(parts)} == {d.key: d.need for d in demand(inventory)}


@given(inventories, inventories)
def test_several_stacks_are_summed_in_any_order(one: Inventory, other: Inventory) -> None:
    def amounts(parts: tuple[QuotaDemand, ...]) -> dict[tuple[str, ...], float]:
        return {d.key: d.need for d in parts}

    assert amounts(merged([*demand(one), *demand(other)])) == amounts(merged([*demand(other), *demand(one)]))


@given(pools, st.integers(0, 20), st.integers(0, 20))
def test_more_nodes_never_need_less(before: GpuPool, more: int, more_surge: int) -> None:
    assert isinstance(before.nodes.maximum, int)
    assert isinstance(before.nodes.surge, int)
    grown = replace(before, nodes=replace(before.nodes, maximum=before.nodes.maximum + more, surge=before.nodes.surge + more_surge))
    small, large = needs(stack(before)), needs(stack(grown))
    assert all(small[code] <= large[code] for code in small)


@given(pools)
def test_need_is_nodes_times_the_machines_vcpus(found: GpuPool) -> None:
    assert not isinstance(found.machines, Unknown)
    (machine,) = found.machines
    row = catalog.machine("aws", str(machine))
    assert {d.need + d.contested for d in demand(stack(found))} == {float(str(found.nodes.with_surge)) * row.vcpus}
