from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.aws.outline import pool_outlines
from components.aws.storage_outline import LustreOutline, lustre_outline, storage_problems

from .specs import inference, training

EFA_SIZES = {125: 38.4, 250: 19.2, 500: 9.6, 1000: 4.8}


def outlined(tib: float, rate: int, *, efa_pool: bool = True) -> LustreOutline:
    patch = {"storage": {"shared_filesystem": {"tib": tib, "mb_s_per_tib": rate}}}
    made = training(patch) if efa_pool else inference(patch)
    outline = lustre_outline(made, pool_outlines(made))
    assert outline is not None
    return outline


@pytest.mark.parametrize(("rate", "tib"), EFA_SIZES.items())
def test_efa_is_offered_at_the_sizes_that_aws_sells_with_it(rate: int, tib: float) -> None:
    assert outlined(tib, rate).efa
    assert not outlined(tib, rate, efa_pool=False).efa


def test_a_smaller_size_says_which_one_would_have_efa() -> None:
    made = outlined(4.8, 125)
    assert not made.efa
    assert "38.4 TiB" in made.remark


def test_what_efa_on_the_servers_does_not_bring_is_said() -> None:
    assert "set up" in outlined(9.6, 500).remark


def test_the_file_system_stands_in_the_zone_of_the_pool_with_efa() -> None:
    assert outlined(4.8, 125).zone == "us-east-1d"


@given(st.integers(1, 40_000), st.sampled_from([125, 250, 500, 1000]))
def test_a_size_passes_exactly_when_aws_sells_it(gib: int, rate: int) -> None:
    made = training({"storage": {"shared_filesystem": {"tib": gib / 1000, "mb_s_per_tib": rate}}})
    sold = gib == 1200 or gib % 2400 == 0
    assert (list(storage_problems(made)) == []) == sold
