"""What counts as growth: new pools and more nodes, never fewer."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.inventory import Inventory, NodeCount, NodePool
from components.unknown import Unknown
from policies.growth import growth
from policies.readers import gcp_types, inventory
from tests.policies.raw import Raw, training

SOME = inventory(training().built())
counts = st.integers(min_value=0, max_value=9)


def sized(minimum: int | Unknown, maximum: int | Unknown) -> Inventory:
    pool: NodePool = SOME.pools[0]
    return replace(SOME, pools=(replace(pool, nodes=NodeCount(minimum=minimum, desired=minimum, maximum=maximum)),))


@given(before=st.tuples(counts, counts), after=st.tuples(counts, counts))
def test_a_pool_grows_when_its_fewest_or_its_most_nodes_rise(before: tuple[int, int], after: tuple[int, int]) -> None:
    risen = any(now > then for now, then in zip(after, before, strict=True))
    assert bool(growth(sized(*before), sized(*after))) is risen


def test_growth_names_the_pool_and_its_numbers() -> None:
    (grown,) = growth(sized(0, 2), sized(0, 4))
    assert str(grown) == f"{SOME.pools[0].name}: 0 to 4 nodes, before 0 to 2"


def test_a_new_pool_is_growth_and_a_removed_one_is_not() -> None:
    none = replace(SOME, pools=())
    assert [g.before for g in growth(none, sized(0, 4))] == [None]
    assert growth(sized(0, 4), none) == ()
    assert growth(none, sized(0, 0)) == ()


def test_nothing_grows_where_nothing_changes() -> None:
    assert growth(SOME, SOME) == ()


@pytest.mark.parametrize(("before", "after"), [(2, Unknown("maxSize")), (Unknown("maxSize"), 2)])
def test_a_size_that_is_not_known_counts_as_growth(before: int | Unknown, after: int | Unknown) -> None:
    (grown,) = growth(sized(0, before), sized(0, after))
    assert "?" in str(grown)


def test_pools_inside_one_cluster_resource_grow_each_for_itself() -> None:
    def program(first: int, second: int) -> Inventory:
        sizes = [
            {"name": name, "nodeCount": count, "nodeConfig": {"machineType": "g2-standard-8"}}
            for name, count in (("a", first), ("b", second))
        ]
        return inventory(
            Raw(config={"gcp:region": "us-central1"}).add(gcp_types.CLUSTER, "gke", location="us-central1-a", nodePools=sizes).built()
        )

    assert [grown.pool for grown in growth(program(2, 5), program(3, 5))] == ["gke/a"]
    assert growth(program(2, 5), program(2, 4)) == ()
