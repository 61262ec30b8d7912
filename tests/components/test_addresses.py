from __future__ import annotations

from ipaddress import IPv4Network
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.addresses import KEPT_BY_CLOUD, Demand, DoesNotFit, plan

ZONES = ("us-east-1a", "us-east-1b", "us-east-1c", "us-east-1d", "us-east-1e", "us-east-1f", "us-east-1g")
CIDRS = st.builds(
    lambda length, at: list(IPv4Network("10.0.0.0/8").subnets(new_prefix=length))[at], st.integers(16, 22), st.integers(0, 255)
)
LAB = IPv4Network("10.64.0.0/16")


@given(CIDRS, st.integers(2, 7))
def test_all_subnets_lie_in_the_network_and_none_overlap(cidr: IPv4Network, count: int) -> None:
    zones = plan(cidr, ZONES[:count]).zones
    blocks = [block for zone in zones for block in (zone.nodes, zone.public)]
    assert all(block.subnet_of(cidr) for block in blocks)
    assert not any(a.overlaps(b) for a, b in combinations(blocks, 2))


@given(CIDRS, st.integers(2, 6))
def test_a_further_zone_moves_no_subnet(cidr: IPv4Network, count: int) -> None:
    assert plan(cidr, ZONES[: count + 1]).zones[:count] == plan(cidr, ZONES[:count]).zones


def test_a_16_gives_each_zone_a_19_for_nodes() -> None:
    zone = plan(LAB, ZONES[:2]).zone("us-east-1b")
    assert (str(zone.nodes), str(zone.public)) == ("10.64.64.0/19", "10.64.0.16/28")
    assert zone.free == 2**13 - KEPT_BY_CLOUD


@pytest.mark.parametrize("cidr", ["10.0.0.0/15", "10.0.0.0/23", "10.0.0.0/28"])
def test_a_network_too_large_or_too_small_is_refused(cidr: str) -> None:
    with pytest.raises(DoesNotFit, match="give a /16 to /22"):
        plan(IPv4Network(cidr), ZONES[:2])


@pytest.mark.parametrize("zones", [(), ZONES[:1], (*ZONES, "us-east-1h")])
def test_fewer_than_two_or_more_than_seven_zones_are_refused(zones: tuple[str, ...]) -> None:
    with pytest.raises(DoesNotFit, match=f"{len(zones)} zones"):
        plan(LAB, zones)


def test_one_subnet_will_do_where_subnets_span_zones() -> None:
    assert [zone.zone for zone in plan(LAB, ("nodes",), fewest=1).zones] == ["nodes"]


def test_the_block_of_small_subnets_overlaps_no_zone() -> None:
    made = plan(LAB, ZONES[:2])
    assert str(made.small) == "10.64.0.0/19"
    assert not any(made.small.overlaps(zone.nodes) for zone in made.zones)


def test_a_zone_named_twice_is_refused() -> None:
    with pytest.raises(DoesNotFit, match="named twice: us-east-1a"):
        plan(LAB, ("us-east-1a", "us-east-1a"))


@pytest.mark.failure("A6")
def test_efa_interfaces_that_eat_the_subnet_are_refused() -> None:
    demand = Demand(pool="h100", zone="us-east-1a", nodes=200, interfaces=32)
    with pytest.raises(DoesNotFit, match="h100 200 nodes x 64 addresses"):
        plan(LAB, ZONES[:2], [demand])


@pytest.mark.failure("A6")
def test_the_same_nodes_fit_when_their_efa_interfaces_take_no_address() -> None:
    assert plan(LAB, ZONES[:2], [Demand(pool="h100", zone="us-east-1a", nodes=200, interfaces=1)])


@given(st.lists(st.tuples(st.integers(0, 300), st.integers(1, 33)), max_size=4))
def test_demands_of_one_zone_are_summed(pools: list[tuple[int, int]]) -> None:
    demands = [Demand(pool=f"p{at}", zone="us-east-1b", nodes=n, interfaces=i) for at, (n, i) in enumerate(pools)]
    wanted = sum(n * (i + 32) for n, i in pools)
    if wanted > 2**13 - KEPT_BY_CLOUD:
        with pytest.raises(DoesNotFit, match=f"would need {wanted}"):
            plan(LAB, ZONES[:2], demands)
    else:
        plan(LAB, ZONES[:2], demands)


def test_demand_in_one_zone_does_not_burden_another() -> None:
    demands = [Demand(pool=zone, zone=zone, nodes=240) for zone in ZONES[:2]]
    assert plan(LAB, ZONES[:2], demands)
