"""Costs: three levels, every part counted, nothing unknown counted as nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components import catalog, costing
from components.catalog import Figure
from components.costing import HOURS_PER_MONTH, NAT_GB_PER_MONTH, Cost
from components.inventory import ControlPlane, Disk, GpuPool, Inventory, Lost, Market, Nat, PublicAddress
from components.pricing import PriceOverlay
from components.spec import Commitment
from components.unknown import Unknown
from tests.costing.pools import NOW, REGION, UNKNOWN, cpu_pool, inventories, nodes, pool, pools, stack


def cost(inventory: Inventory, **settings: object) -> Cost:
    return costing.cost(inventory, **{"now": NOW, **settings})  # pyright: ignore[reportArgumentType] # settings by name


def on_demand(machine: str) -> float:
    price = catalog.price("aws", REGION, machine)
    assert price is not None
    assert price.on_demand is not None
    return price.on_demand.usd


def usd(service: str, sku: str) -> float:
    figure = catalog.service_price("aws", REGION, service, sku)
    assert figure is not None
    return figure.usd


def bare(**changes: object) -> GpuPool:
    return pool(root_disk_gib=0, **changes)


def test_a_pool_costs_its_nodes_at_each_level() -> None:
    total = cost(stack(bare(nodes=nodes(1, 4, 2, desired=3))))
    hour = on_demand("p4d.24xlarge")
    assert [a.hourly_usd for a in (total.now, total.max, total.surge)] == pytest.approx([3 * hour, 4 * hour, 6 * hour])
    assert total.max.monthly_usd == pytest.approx(4 * hour * HOURS_PER_MONTH)
    assert not total.max.partial
    assert total.bounded


def test_root_disks_follow_the_nodes() -> None:
    gp3 = catalog.service_price("aws", REGION, "ebs", "gp3_gb_month")
    assert gp3 is not None
    with_disks, without = cost(stack(pool(root_disk_gib=500))), cost(stack(bare()))
    assert with_disks.max.monthly_usd - without.max.monthly_usd == pytest.approx(4 * 500 * gp3.usd)


@pytest.mark.parametrize("size", [None, Unknown("volumeSize")])
def test_a_root_disk_of_unknown_size_makes_the_sum_partial_but_not_unbounded(size: object) -> None:
    total = cost(stack(pool(root_disk_gib=size)))
    assert total.max.partial
    assert total.bounded


def test_everything_else_that_a_cluster_bills_is_a_line_of_its_own() -> None:
    total = cost(
        stack(
            control_planes=(ControlPlane(urn="urn:pulumi:dev::lab::t::eks", name="eks", cloud="aws", region=REGION, version="1.35"),),
            nats=(Nat(urn="urn:pulumi:dev::lab::t::nat", cloud="aws", region=REGION),),
            addresses=(PublicAddress(urn="urn:pulumi:dev::lab::t::ip", cloud="aws", region=REGION),),
            disks=(Disk(urn="urn:pulumi:dev::lab::t::disk", cloud="aws", region=REGION, kind="gp3", gib=100),),
        )
    )
    control, nat, gb, address, gp3 = (
        usd("eks_control_plane", "standard"),
        usd("nat_gateway", "hour"),
        usd("nat_gateway", "gb"),
        usd("public_ipv4", "hour"),
        usd("ebs", "gp3_gb_month"),
    )
    traffic = gb * NAT_GB_PER_MONTH / HOURS_PER_MONTH
    assert [line.usd_per_hour for line in total.lines] == pytest.approx([control, nat, traffic, address, gp3 * 100 / HOURS_PER_MONTH])
    assert [line.name for line in total.lines] == ["eks", "nat", "nat", "ip", "disk"]


@pytest.mark.parametrize(
    ("version", "day", "support"),
    [
        ("1.33", datetime(2026, 7, 29, 12, tzinfo=UTC), "standard"),
        ("1.33", datetime(2026, 7, 30, 12, tzinfo=UTC), "extended"),
        ("1.20", NOW, "extended"),
        ("1.99", NOW, "standard"),
        (None, NOW, "standard"),
        (Unknown("version"), NOW, "extended"),
    ],
)
def test_extended_support_costs_from_the_day_after_the_standard_one_ends(version: object, day: datetime, support: str) -> None:
    plane = ControlPlane(urn="urn:pulumi:dev::lab::t::eks", name="eks", cloud="aws", region=REGION, version=version)  # pyright: ignore[reportArgumentType]
    (line,) = cost(stack(control_planes=(plane,)), now=day).lines
    assert line.what == f"control plane, {support} support"


def test_a_minor_line_without_a_price_is_missing_and_makes_the_sum_partial() -> None:
    total = cost(stack(nats=(Nat(urn="urn:pulumi:dev::lab::t::nat", cloud="aws", region="xx-nowhere-1"),)))
    assert [m.what for m in total.missing] == ["NAT gateway, without traffic (nat)", "NAT traffic, 1,000 GB a month assumed (nat)"]
    assert total.max.partial
    assert total.bounded


def test_a_gpu_machine_without_a_price_is_unpriced_and_a_cpu_one_is_missing() -> None:
    total = cost(stack(bare(region="xx-nowhere-1"), cpu_pool(region="xx-nowhere-1")))
    assert [u.machine for u in total.unpriced] == ["p4d.24xlarge"]
    assert any("m7i.large" in m.reason for m in total.missing)
    assert not total.bounded


@pytest.mark.parametrize(
    "changes",
    [
        {"region": UNKNOWN},
        {"machines": UNKNOWN},
        {"machines": (UNKNOWN,)},
        {"machines": ("p4d.24xlarge", UNKNOWN)},
        {"market": UNKNOWN},
        {"nodes": nodes(0, UNKNOWN)},
        {"nodes": nodes(0, 4, UNKNOWN)},
    ],
)
def test_an_unknown_fact_of_a_pool_leaves_the_cost_without_a_bound(changes: dict[str, object]) -> None:
    total = cost(stack(pool(**changes)))
    assert [u.missing for u in total.unknown] == [UNKNOWN]
    assert not total.bounded
    assert total.surge.partial


def test_an_unknown_desired_size_makes_now_partial_and_leaves_the_bound() -> None:
    total = cost(stack(pool(nodes=nodes(0, 4, desired=UNKNOWN))))
    assert (total.bounded, total.now.partial, total.max.partial) == (True, True, False)


def test_something_lost_leaves_the_cost_without_a_bound() -> None:
    assert not cost(stack(lost=(Lost(urn="urn:pulumi:dev::lab::t::x", type="aws:ec2/fleet:Fleet", reason="an EC2 fleet"),))).bounded


def test_a_commitment_takes_its_percent_off_its_pool_alone() -> None:
    commitment = Commitment(kind="savings_plan", pool="gpu", discount_percent=40)
    committed = cost(stack(bare(), bare(name="other")), commitments=[commitment])
    assert [line.usd_per_hour for line in committed.lines][::2] == pytest.approx(
        [0.6 * on_demand("p4d.24xlarge"), on_demand("p4d.24xlarge")]
    )
    assert "40 % commitment taken off" in committed.lines[0].what
    assert committed.at_list_price().max.hourly_usd == pytest.approx(cost(stack(bare(), bare(name="other"))).max.hourly_usd)


def test_a_commitment_takes_nothing_off_spot() -> None:
    commitment = Commitment(kind="savings_plan", pool="gpu", discount_percent=40)
    spot = stack(bare(market=Market.SPOT))
    assert cost(spot, commitments=[commitment]).max == cost(spot).max


@pytest.mark.parametrize("name", ["gpu", "training-dev-gpu"])
def test_a_commitment_finds_its_pool_by_name_or_its_end(name: str) -> None:
    commitment = Commitment(kind="reserved", pool="gpu", discount_percent=10)
    (line, _) = cost(stack(bare(name=name)), commitments=[commitment]).lines
    assert line.usd_per_hour < line.list_usd_per_hour


def test_negotiated_rates_go_first_and_name_their_source() -> None:
    overlay = PriceOverlay({("aws", REGION, "p4d.24xlarge", Market.ON_DEMAND): Figure(10.0, "hour", "contract 7", date(2026, 11, 1))})
    line = cost(stack(bare()), overlay=overlay).lines[0]
    assert (line.usd_per_hour, line.source, line.stale) == (10.0, "contract 7", False)


def test_the_dearest_line_weighs_most_with_surge() -> None:
    dearest = cost(stack(bare(nodes=nodes(0, 1)), cpu_pool())).dearest()
    assert dearest is not None
    assert dearest.name == "gpu"
    assert cost(stack()).dearest() is None


def test_amounts_are_rounded_in_json_only() -> None:
    amount = cost(stack(bare())).max
    assert amount.as_json() == {
        "hourly_usd": round(amount.hourly_usd, 4),
        "monthly_usd": round(amount.monthly_usd, 2),
        "partial": amount.partial,
    }


@given(inventories)
def test_the_whole_is_the_sum_of_its_parts(inventory: Inventory) -> None:
    whole, parts = cost(inventory), [cost(replace(inventory, pools=(p,))) for p in inventory.pools]
    for level in ("now", "max", "surge"):
        assert getattr(whole, level).hourly_usd == pytest.approx(sum(getattr(part, level).hourly_usd for part in parts))
    assert costing.total(parts).surge.hourly_usd == pytest.approx(whole.surge.hourly_usd)
    assert costing.total(parts).unpriced == whole.unpriced


@given(inventories)
def test_now_is_at_most_the_maximum_and_that_at_most_with_surge(inventory: Inventory) -> None:
    total = cost(inventory)
    assert 0 <= total.now.hourly_usd <= total.max.hourly_usd + 1e-9
    assert total.max.hourly_usd <= total.surge.hourly_usd + 1e-9


@given(pools, st.integers(0, 20), st.integers(0, 20))
def test_more_nodes_never_cost_less(before: GpuPool, more: int, more_surge: int) -> None:
    grown = replace(
        before, nodes=replace(before.nodes, maximum=_plus(before.nodes.maximum, more), surge=_plus(before.nodes.surge, more_surge))
    )
    small, large = cost(stack(before)), cost(stack(grown))
    assert small.max.hourly_usd <= large.max.hourly_usd + 1e-9
    assert small.surge.hourly_usd <= large.surge.hourly_usd + 1e-9


@given(inventories, st.sampled_from(["region", "machines", "market", "nodes"]))
def test_an_unknown_never_turns_a_total_into_a_whole(inventory: Inventory, fact: str) -> None:
    hidden = pool(**{fact: nodes(0, UNKNOWN) if fact == "nodes" else UNKNOWN})
    total = cost(replace(inventory, pools=(*inventory.pools, hidden)))
    assert not total.bounded
    assert total.max.partial
    assert total.max.hourly_usd >= cost(inventory).max.hourly_usd - 1e-9


def _plus(count: int | Unknown, more: int) -> int:
    assert isinstance(count, int)
    return count + more
