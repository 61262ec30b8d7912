"""Which price a machine is judged at."""

from __future__ import annotations

import json
from dataclasses import fields
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from components import catalog, pricing
from components.catalog import Figure, MachinePrice
from components.inventory import Market
from components.pricing import PriceOverlay, Terms, machine_rate
from tests.costing.pools import NOW, REGION

FRESH, OLD = date(2026, 9, 1), date(2026, 8, 31)
"""90 and 91 days before the day that counts."""


def figure(usd: float, day: date | None = FRESH) -> Figure:
    return Figure(usd, "hour", "a price list", day)


def listed(monkeypatch: pytest.MonkeyPatch, **prices: Figure) -> None:
    markets = [f.name for f in fields(MachinePrice) if f.name not in ("cloud", "region", "machine")]
    known = MachinePrice(cloud="aws", region=REGION, machine="p5.48xlarge", **{market: prices.get(market) for market in markets})
    monkeypatch.setattr(pricing.catalog, "price", lambda *_: known)


def rate(market: Market, **terms: Any) -> tuple[float, str] | None:
    found = machine_rate("aws", REGION, "p5.48xlarge", market, Terms(now=NOW, **terms))
    return (found.figure.usd, found.basis) if found else None


def test_spot_counts_at_the_dearest_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    listed(monkeypatch, on_demand=figure(55), spot_low=figure(10), spot_high=figure(20))
    assert rate(Market.SPOT) == (20, "spot, dearest zone")


@pytest.mark.parametrize("day", [OLD, None])
def test_an_old_or_undated_spot_price_gives_way_to_on_demand(day: date | None, monkeypatch: pytest.MonkeyPatch) -> None:
    listed(monkeypatch, on_demand=figure(55), spot_low=figure(10, day), spot_high=figure(20, day))
    assert rate(Market.SPOT) == (55, "spot at on-demand rate, as the spot price is undated or older than 90 days")


def test_a_spot_price_of_which_only_the_cheapest_zone_is_known_gives_way_too(monkeypatch: pytest.MonkeyPatch) -> None:
    listed(monkeypatch, on_demand=figure(55), spot_low=figure(10))
    assert rate(Market.SPOT) == (55, "spot at on-demand rate, as the spot price of the dearest zone is not known")


def test_an_old_spot_price_without_an_on_demand_one_is_no_price(monkeypatch: pytest.MonkeyPatch) -> None:
    listed(monkeypatch, spot_high=figure(20, OLD))
    assert rate(Market.SPOT) is None


def test_a_capacity_block_has_its_own_price_or_none(monkeypatch: pytest.MonkeyPatch) -> None:
    listed(monkeypatch, on_demand=figure(55), capacity_block=figure(40))
    assert rate(Market.CAPACITY_BLOCK) == (40, "capacity block, paid up front")
    listed(monkeypatch, on_demand=figure(55))
    assert rate(Market.CAPACITY_BLOCK) is None


@pytest.mark.parametrize(
    ("market", "basis"),
    [(Market.ON_DEMAND, "on demand"), (Market.RESERVATION, "reservation at on-demand rate"), (Market.QUEUED, "queued at on-demand rate")],
)
def test_everything_else_counts_on_demand(market: Market, basis: str, monkeypatch: pytest.MonkeyPatch) -> None:
    listed(monkeypatch, on_demand=figure(55, None))
    assert rate(market) == (55, basis)


def test_flex_start_and_calendar_have_prices_of_their_own_where_known(monkeypatch: pytest.MonkeyPatch) -> None:
    listed(monkeypatch, on_demand=figure(55), flex_start=figure(30), calendar=figure(35))
    assert rate(Market.FLEX_START) == (30, "flex-start")
    assert rate(Market.CALENDAR) == (35, "calendar mode")


def test_no_price_at_all_is_none_and_not_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pricing.catalog, "price", lambda *_: None)
    assert {rate(market) for market in Market} == {None}


def test_a_negotiated_on_demand_rate_stands_in_for_old_spot_prices(monkeypatch: pytest.MonkeyPatch) -> None:
    listed(monkeypatch, on_demand=figure(55), spot_high=figure(20, OLD))
    overlay = PriceOverlay({("aws", REGION, "p5.48xlarge", Market.ON_DEMAND): figure(44)})
    assert rate(Market.SPOT, overlay=overlay) == (44, "spot at on-demand rate, as the spot price is undated or older than 90 days")


def test_the_age_limit_is_a_parameter(monkeypatch: pytest.MonkeyPatch) -> None:
    listed(monkeypatch, on_demand=figure(55), spot_high=figure(20, OLD))
    assert rate(Market.SPOT, stale_days=91) == (20, "spot, dearest zone")


def test_the_catalogue_prices_what_the_shipped_stacks_use() -> None:
    assert all(catalog.price("aws", REGION, machine) for machine in ("p4d.24xlarge", "g5.2xlarge", "m7i.large"))


RATE = {"cloud": "aws", "region": REGION, "machine": "p5.48xlarge", "market": "spot", "usd_per_hour": 12}
FILE = {"schema": "gpukit/prices/1", "source": "contract 7", "as_of": "2026-11-01", "machines": [RATE]}


def test_a_price_file_is_read_with_its_source_and_day(tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    path.write_text(json.dumps(FILE))
    offer = ("aws", REGION, "p5.48xlarge", Market.SPOT)
    assert PriceOverlay.load(path).figures == {offer: Figure(12.0, "hour", "contract 7", date(2026, 11, 1))}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"schema": "gpukit/prices/2"}, "schema is 'gpukit/prices/2', give 'gpukit/prices/1'"),
        ({"machines": None}, "`machines` must be a list"),
        ({"as_of": "last week"}, "as_of is 'last week'"),
        ({"machines": [{**RATE, "cloud": "moon"}]}, r"machines\[0\] needs cloud \(aws, gcp, azure\), region and machine"),
        ({"machines": [{**RATE, "market": "cheap"}]}, r"machines\[0\]\.market is 'cheap', give one of on_demand, spot"),
        ({"machines": [RATE, {**RATE, "usd_per_hour": 0}]}, r"machines\[1\]\.usd_per_hour is 0, give a number above 0"),
        ({"machines": [{**RATE, "usd_per_hour": True}]}, r"usd_per_hour is True"),
        ({"machines": ["p5"]}, r"machines\[0\] needs cloud"),
    ],
)
def test_a_wrong_price_file_says_where_and_what_to_give(change: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        PriceOverlay.from_json({**FILE, **change})


def test_a_corrupt_price_file_is_told_by_name(tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    path.write_text("{")
    with pytest.raises(ValueError, match=r"price file prices\.json is no JSON"):
        PriceOverlay.load(path)


@pytest.mark.parametrize(
    ("document", "told"), [([], "is expected, this is a list"), ({}, "schema is missing"), ({"schema": 5}, "schema is 5")]
)
def test_a_price_file_of_another_form_is_told_what_it_is(document: object, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        PriceOverlay.from_json(document)
