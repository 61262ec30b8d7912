import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.catalog import storage
from components.catalog.storage import StorageTier


def tier(cloud: str, name: str) -> StorageTier:
    return next(t for t in storage.storage_tiers(cloud) if t.tier == name)


@pytest.mark.parametrize(("tib", "allowed"), [(1.2, True), (2.4, True), (3.6, False), (4.8, True), (1.0, False), (0.0, False)])
def test_fsx_without_efa_is_one_small_size_or_multiples_of_2_4(tib: float, allowed: bool) -> None:
    assert tier("aws", "Persistent 2 SSD (no EFA), 125/250/500/1000").allows(tib) is allowed


@pytest.mark.parametrize(("tib", "allowed"), [(4.8, True), (9.6, True), (7.2, False), (2.4, False)])
def test_fsx_with_efa_comes_in_multiples_of_its_own_step(tib: float, allowed: bool) -> None:
    assert tier("aws", "Persistent 2 SSD with EFA, 1000").allows(tib) is allowed


def test_a_size_between_two_has_both_neighbours() -> None:
    assert tier("aws", "Persistent 2 SSD (no EFA), 125/250/500/1000").sizes_near(3.6) == (2.4, 4.8)


def test_below_the_smallest_size_there_is_only_the_smallest_and_the_next() -> None:
    assert tier("aws", "Persistent 2 SSD with EFA, 125").sizes_near(1.0) == (38.4,)


@given(st.sampled_from([t for cloud in ("aws", "gcp", "azure") for t in storage.storage_tiers(cloud)]), st.floats(0, 2000))
def test_sizes_near_any_wish_can_be_ordered(offered: StorageTier, tib: float) -> None:
    assert all(offered.allows(size) for size in offered.sizes_near(tib))
