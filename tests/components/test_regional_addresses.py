from __future__ import annotations

from ipaddress import IPv4Network
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.addresses import DoesNotFit
from components.regional_addresses import FABRIC_SUBNETS, PoolDemand, fabric_subnets, plan

CIDRS = st.builds(
    lambda length, at: list(IPv4Network("10.0.0.0/8").subnets(new_prefix=length))[at % 2 ** (length - 8)],
    st.integers(9, 20),
    st.integers(0, 255),
)
LAB = IPv4Network("10.64.0.0/16")


@given(CIDRS)
def test_all_ranges_lie_in_the_network_and_none_overlap(cidr: IPv4Network) -> None:
    made = plan(cidr)
    ranges = [made.nodes, made.pods, made.services, made.peered, *made.fabric]
    assert all(each.subnet_of(cidr) for each in ranges)
    assert not any(a.overlaps(b) for a, b in combinations(ranges, 2))


@given(CIDRS, st.integers(0, 4000))
def test_nodes_fit_exactly_up_to_the_most_nodes(cidr: IPv4Network, below: int) -> None:
    most = plan(cidr).most_nodes
    plan(cidr, [PoolDemand(pool="a", nodes=max(0, most - below))])
    with pytest.raises(DoesNotFit, match="give a larger network or fewer nodes"):
        plan(cidr, [PoolDemand(pool="a", nodes=most), PoolDemand(pool="b", nodes=1)])


def test_a_16_gives_nodes_a_20_and_pods_a_half() -> None:
    made = plan(LAB)
    assert (str(made.nodes), str(made.pods), made.most_nodes) == ("10.64.0.0/20", "10.64.128.0/17", 256)


@pytest.mark.parametrize("cidr", ["10.0.0.0/8", "10.0.0.0/21", "10.0.0.0/28"])
def test_a_network_too_large_or_too_small_is_refused(cidr: str) -> None:
    with pytest.raises(DoesNotFit, match="give a /9 to /20"):
        plan(IPv4Network(cidr))


def test_a_refusal_names_the_pools_that_ask() -> None:
    with pytest.raises(DoesNotFit, match=r"300 may run at maximum \(h100 300\)"):
        plan(LAB, [PoolDemand(pool="h100", nodes=300)])


def test_a_fabric_of_its_own_range_has_sixteen_subnets() -> None:
    subnets = fabric_subnets(IPv4Network("10.200.0.0/18"))
    assert len(subnets) == FABRIC_SUBNETS
    assert str(subnets[0]) == "10.200.0.0/22"


def test_a_fabrics_range_has_room_for_sixteen_subnets_or_is_refused() -> None:
    assert fabric_subnets(IPv4Network("10.200.0.0/25"))[0].prefixlen == 29
    with pytest.raises(DoesNotFit, match="need a /25 or larger"):
        fabric_subnets(IPv4Network("10.200.0.0/26"))
