"""Whose money it is, what spot saves, and what is paid until when."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components import costing
from components.catalog import Figure
from components.costing import Cost
from components.inventory import Inventory, Market, Nat
from components.pricing import PriceOverlay
from components.spec import Interruption
from tests.costing.pools import NOW, REGION, UNKNOWN, cpu_pool, inventories, nodes, pool, stack

DAY = date(2026, 11, 1)
RATES = PriceOverlay(
    {
        ("aws", REGION, "p4d.24xlarge", Market.ON_DEMAND): Figure(20, "hour", "contract", DAY),
        ("aws", REGION, "p4d.24xlarge", Market.SPOT): Figure(8, "hour", "contract", DAY),
        ("aws", REGION, "p4d.24xlarge", Market.CAPACITY_BLOCK): Figure(12, "hour", "contract", DAY),
        ("aws", REGION, "m7i.large", Market.ON_DEMAND): Figure(0.1, "hour", "contract", DAY),
    }
)
NAT = Nat(urn="urn:pulumi:dev::lab::t::nat", cloud="aws", region=REGION)


def cost(inventory: Inventory, **settings: object) -> Cost:
    return costing.cost(inventory, **{"now": NOW, "overlay": RATES, **settings})  # pyright: ignore[reportArgumentType] # settings by name


def spot(**changes: object) -> Inventory:
    return stack(pool(market=Market.SPOT, root_disk_gib=0, **changes))


# --- spot


def test_the_saving_of_spot_is_against_the_same_machines_on_demand() -> None:
    (saving,) = costing.spot_savings(cost(spot()))
    assert (saving.percent, saving.hourly_usd) == (pytest.approx(60), pytest.approx(4 * 12))


def test_restarts_raise_the_price_of_an_hour_of_work() -> None:
    """Four interruptions a day that repeat an hour and a half each: a quarter of the day."""
    often = Interruption(pool="gpu", per_day=4, lost_minutes=90)
    (saving,) = costing.spot_savings(cost(spot(), interruptions=[often]))
    assert saving.price.expected_usd == pytest.approx(8 * 1.25)
    assert saving.percent == pytest.approx(50)


def test_restarts_can_eat_more_than_spot_saves() -> None:
    always = Interruption(pool="gpu", per_day=48, lost_minutes=60)
    (saving,) = costing.spot_savings(cost(spot(), interruptions=[always]))
    assert saving.percent < 0


def test_without_a_rate_nothing_is_said_about_restarts() -> None:
    (saving,) = costing.spot_savings(cost(spot(), interruptions=[Interruption(pool="other", per_day=1, lost_minutes=1)]))
    assert saving.price.expected_usd is None


def test_interruptions_change_no_sum_that_a_budget_is_compared_with() -> None:
    often = Interruption(pool="gpu", per_day=4, lost_minutes=90)
    assert cost(spot(), interruptions=[often]).max == cost(spot()).max


def test_on_demand_saves_nothing_that_could_be_told() -> None:
    assert list(costing.spot_savings(cost(stack(pool())))) == []


# --- teams


def test_teams_pay_by_the_gpus_that_they_may_always_have() -> None:
    shares = costing.per_team(cost(stack(pool(root_disk_gib=0))), [("research", 24.0), ("platform", 8.0)])
    assert [(s.team, s.hourly_usd) for s in shares] == [("research", pytest.approx(60)), ("platform", pytest.approx(20))]


def test_what_no_team_was_promised_is_a_share_of_its_own() -> None:
    shares = costing.per_team(cost(stack(pool(root_disk_gib=0))), [("research", 8.0)])
    assert [(s.team, s.share) for s in shares] == [("research", 0.25), ("(no team)", 0.75)]


def test_an_unknown_number_of_gpus_is_shared_by_nobody() -> None:
    assert costing.per_team(cost(stack(pool(nodes=nodes(0, UNKNOWN)))), [("research", 8.0)]) == ()


@given(inventories, st.lists(st.floats(0.5, 500), min_size=1, max_size=4))
def test_the_shares_of_all_teams_add_up_to_the_whole(inventory: Inventory, promised: list[float]) -> None:
    total = cost(replace(inventory, nats=(NAT,)))
    shares = costing.per_team(total, [(f"team-{i}", gpus) for i, gpus in enumerate(promised)])
    if shares:
        assert sum(s.hourly_usd for s in shares) == pytest.approx(total.max.hourly_usd)
        assert sum(s.share for s in shares) == pytest.approx(1)


@given(inventories)
def test_pools_and_everything_else_add_up_to_the_whole(inventory: Inventory) -> None:
    total = cost(replace(inventory, nats=(NAT,)))
    parts = costing.per_pool(total)
    assert parts[-1].pool == ""
    assert sum(part.surge.hourly_usd for part in parts) == pytest.approx(total.surge.hourly_usd)


def test_a_pool_with_an_unknown_machine_is_listed_though_nothing_of_it_is_priced() -> None:
    parts = costing.per_pool(cost(stack(pool(machines=UNKNOWN, root_disk_gib=0))))
    assert [(part.pool, part.max.partial, part.gpus_at_max) for part in parts] == [("gpu", True, None)]


# --- idle


def test_idle_is_what_is_left_when_every_gpu_pool_is_at_zero() -> None:
    inventory = stack(pool(nodes=nodes(4, 4), root_disk_gib=100), cpu_pool(root_disk_gib=0), nats=(NAT,))
    rest = replace(inventory, pools=inventory.pools[1:])
    assert cost(inventory).idle.hourly_usd == pytest.approx(cost(rest).now.hourly_usd)


# --- periods


def test_until_the_lease_ends_counts_its_last_day_whole() -> None:
    period = costing.until(cost(stack(pool(nodes=nodes(1, 4), root_disk_gib=0))), date(2026, 12, 1), NOW)
    assert (period.hours, period.now_usd, period.max_usd) == (36, pytest.approx(36 * 20), pytest.approx(36 * 80))


def test_nothing_is_left_of_a_lease_that_is_over() -> None:
    assert costing.until(cost(stack(pool())), date(2026, 11, 1), NOW).max_usd == 0


def test_a_capacity_block_is_paid_for_its_window_as_a_whole() -> None:
    block = stack(pool(market=Market.CAPACITY_BLOCK, nodes=nodes(2, 2), root_disk_gib=0))
    week = {"gpu": (datetime(2027, 1, 11, 11, 30, tzinfo=UTC), datetime(2027, 1, 18, 11, 30, tzinfo=UTC))}
    (paid,) = costing.up_front(cost(block), week)
    assert (paid.hours, paid.usd) == (168, pytest.approx(2 * 168 * 12))


def test_a_capacity_block_costs_nothing_of_the_lease_outside_its_window() -> None:
    block = cost(stack(pool(market=Market.CAPACITY_BLOCK, nodes=nodes(2, 2), root_disk_gib=0)))
    week = {"gpu": (datetime(2027, 1, 11, 11, 30, tzinfo=UTC), datetime(2027, 1, 18, 11, 30, tzinfo=UTC))}
    assert costing.until(block, date(2027, 12, 31), NOW, week).max_usd == pytest.approx(2 * 168 * 12)


def test_a_capacity_block_without_its_window_has_no_sum() -> None:
    (paid,) = costing.up_front(cost(stack(pool(market=Market.CAPACITY_BLOCK))), {})
    assert paid.usd is None


@given(inventories, st.floats(0, 1e5), st.floats(0, 1e5))
def test_more_assumed_traffic_never_costs_less(inventory: Inventory, one: float, other: float) -> None:
    low, high = sorted((one, other))
    with_nat = replace(inventory, nats=(NAT,))
    assert cost(with_nat, nat_gb_per_month=low).max.hourly_usd <= cost(with_nat, nat_gb_per_month=high).max.hourly_usd + 1e-9
