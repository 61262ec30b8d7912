from __future__ import annotations

import math
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components import catalog
from components.catalog.tables import rows
from scripts.catalog.refresh.offer import Key, Market, Offer
from scripts.catalog.refresh.sanity import JUMP, LARGER_AND_CHEAPER, Absurd, absurdities, refused

PRESENT: Mapping[Key, float] = {("g5.xlarge", "us-east-1", "on_demand"): 1.0, ("g5.xlarge", "us-east-1", "spot"): 0.4}


def offer(usd: float, market: Market = "on_demand", machine: str = "g5.xlarge", high: float | None = None) -> Offer:
    return Offer(machine=machine, region="us-east-1", market=market, usd=usd, usd_high=high, source="live-aws-spot")


def judged(*offers: Offer, present: Mapping[Key, float] = PRESENT, cloud: str = "aws") -> tuple[Absurd, ...]:
    return absurdities(offers, present, lambda name: catalog.find_machine(cloud, name))


def why(*offers: Offer) -> list[str]:
    return [absurd.why for absurd in judged(*offers)]


def test_a_price_near_the_present_one_passes() -> None:
    assert why(offer(1.1), offer(0.3, "spot", high=0.9)) == []


@pytest.mark.parametrize("usd", [0.0, -1.0, math.nan, math.inf])
def test_a_price_of_nothing_is_refused_and_no_reason_lets_it_pass(usd: float) -> None:
    found = judged(offer(usd))

    assert [absurd.why for absurd in found] == [f"{usd:g} USD is no price"]
    assert refused(found, {"g5.xlarge": "because"}) == found


def test_a_worthless_upper_bound_is_refused() -> None:
    assert why(offer(0.3, "spot", high=math.inf)) == ["0.3 USD is no price"]


@pytest.mark.parametrize("usd", [2.5, 0.4])
def test_a_jump_in_either_direction_is_refused_until_someone_gives_a_reason(usd: float) -> None:
    found = judged(offer(usd))

    assert [absurd.why for absurd in found] == [f"1 before, {usd:g} now: more than 2 times apart"]
    assert refused(found, {"g5.xlarge": "price cut"}) == ()
    assert refused(found, {"g5.2xlarge": "price cut"}) == found


def test_spot_may_move_further_than_on_demand() -> None:
    assert why(offer(0.1, "spot")) == []
    assert why(offer(0.07, "spot")) == ["0.4 before, 0.07 now: more than 5 times apart"]


def test_spot_above_the_new_on_demand_price_is_refused() -> None:
    assert why(offer(0.6), offer(0.3, "spot", high=0.7)) == ["spot 0.7 above on-demand 0.6"]


def test_spot_is_compared_with_the_present_on_demand_price_where_there_is_no_new_one() -> None:
    assert why(offer(1.2, "spot")) == ["spot 1.2 above on-demand 1"]


def test_a_larger_machine_that_costs_less_is_refused() -> None:
    found = judged(offer(1.0), offer(0.9, machine="g5.2xlarge"))

    assert [(absurd.offer.machine, absurd.why) for absurd in found] == [("g5.2xlarge", "costs 0.9, less than the smaller g5.xlarge at 1")]


def test_a_machine_with_fewer_gpus_is_not_larger() -> None:
    assert why(offer(5.67, machine="g5.12xlarge"), offer(4.1, machine="g5.16xlarge")) == []


def test_named_exceptions_pass() -> None:
    small, large = next(iter(LARGER_AND_CHEAPER))
    offers = [Offer(machine=name, region="eastus", market="on_demand", usd=usd, source="x") for name, usd in ((small, 7.0), (large, 6.0))]

    assert judged(*offers, present={}, cloud="azure") == ()


def test_named_exceptions_have_a_reason_and_are_machines() -> None:
    for (small, large), reason in LARGER_AND_CHEAPER.items():
        assert catalog.find_machine("azure", small)
        assert catalog.find_machine("azure", large)
        assert reason


def test_one_machine_at_two_prices_is_refused() -> None:
    found = judged(offer(1.0), offer(1.2), offer(1.0))

    assert [absurd.why for absurd in found] == ["listed at two prices, 1 and 1.2: one of them is another meter"]
    assert refused(found, {"g5.xlarge": "because"}) == found


@given(st.floats(min_value=1 / JUMP["on_demand"], max_value=JUMP["on_demand"]))
def test_no_price_within_the_ratio_is_refused(factor: float) -> None:
    assert why(offer(factor)) == []


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=1, max_size=5))
def test_what_passes_is_a_positive_number_and_one_a_key(prices: list[float]) -> None:
    offers = [offer(usd) for usd in prices]
    if judged(*offers, present={}) == ():
        assert {usd for usd in prices if usd > 0 and math.isfinite(usd)} == set(prices)
        assert len(set(prices)) == 1


def listed(cloud: str, source: str) -> list[Offer]:
    return [
        Offer(
            machine=row["machine"],
            region=row["region"],
            market=row["market"],  # pyright: ignore[reportArgumentType]  # narrowed by the test below
            usd=float(row["usd"]),
            usd_high=float(row["usd_high"]) if row["usd_high"] else None,
            source=source,
        )
        for row in rows(f"{cloud}_prices")
        if row["source"] == source and row["market"] in JUMP
    ]


@pytest.mark.parametrize(("cloud", "source"), sorted({(c, r["source"]) for c in ("aws", "gcp", "azure") for r in rows(f"{c}_prices")}))
def test_the_shipped_tables_pass_what_new_prices_must_pass(cloud: str, source: str) -> None:
    """Each source against the whole table. Three AWS spot ranges reach above on-demand, which was cut after the spot snapshot."""
    present = {(row["machine"], row["region"], row["market"]): float(row["usd"]) for row in rows(f"{cloud}_prices")}

    found = judged(*listed(cloud, source), present=present, cloud=cloud)

    assert {absurd.offer.machine for absurd in found} <= {"g5.12xlarge", "p4d.24xlarge", "p4de.24xlarge"}
    assert all(absurd.why.startswith("spot ") for absurd in found)
