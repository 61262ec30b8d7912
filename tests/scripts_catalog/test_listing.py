from __future__ import annotations

import io
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from components import clock
from scripts.catalog.listing import Column, Listing, age_days, cell, show, table, usd
from scripts.errors import BadInput

COLUMNS = (Column("name", "name", folds=True), Column("usd", "USD", "usd"), Column("age", "age", "age", of="usd"))


def listing(*rows: dict) -> Listing:
    return Listing(kind="things", columns=COLUMNS, rows=rows)


def printed(made: Listing, width: int = 100) -> str:
    out = io.StringIO()
    Console(file=out, width=width).print(table(made))
    return out.getvalue()


@given(st.lists(st.one_of(st.none(), st.floats(allow_nan=False), st.integers(), st.text(max_size=5)), max_size=12), st.booleans())
def test_order_keeps_every_row_and_puts_unknown_values_last(values: list, down: bool) -> None:
    rows = [{"name": value} for value in values]

    ordered = [row["name"] for row in listing(*rows).ordered("-name" if down else "name").rows]

    known = [value for value in ordered if value is not None]
    assert sorted(map(repr, ordered)) == sorted(map(repr, values))
    assert ordered == known + [None] * (len(values) - len(known))


def test_an_unknown_key_gets_the_nearest() -> None:
    with pytest.raises(BadInput, match="unknown column 'nam'; nearest: name; allowed: name"):
        listing({"name": "a"}).ordered("nam")


def test_an_empty_listing_has_nothing_to_order() -> None:
    assert listing().ordered("nothing").rows == ()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, ""),
        (True, "yes"),
        (False, "no"),
        (8, "8"),
        (0.125, "0.125"),
        (22.35, "22.35"),
        (28672.0, "28,672"),
        (["a", 1], "a, 1"),
        ("x", "x"),
    ],
)
def test_values_are_shown_without_needless_digits(value: object, shown: str) -> None:
    assert cell(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"), [(None, ""), (0.000198, "0.000198"), (0.0116, "0.0116"), (9.8, "9.8000"), (55.04, "55.04"), (1234.5, "1,234.50")]
)
def test_small_prices_keep_their_digits(value: float | None, shown: str) -> None:
    assert usd(value) == shown


def test_age_is_counted_from_the_one_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPUKIT_NOW", "2027-01-31T00:00:00Z")

    assert age_days(date(2027, 1, 1)) == 30
    assert age_days(None) is None
    assert age_days(clock.now().date() + timedelta(days=1)) == -1


def test_an_age_without_its_figure_is_not_shown() -> None:
    assert "undated" in printed(listing({"name": "a", "usd": 1.0, "age": None}))
    assert "undated" not in printed(listing({"name": "a", "usd": None, "age": None}))


def test_names_fold_and_figures_stay_whole_on_a_narrow_terminal() -> None:
    text = printed(listing({"name": "n" * 60, "usd": 1234.5, "age": 100}), width=50)

    assert "1,234.50" in text
    assert "100 d" in text
    assert text.count("n" * 12) >= 2


def test_control_characters_of_a_fact_do_not_reach_the_terminal() -> None:
    assert "\x1b" not in printed(listing({"name": "a\x1b[31m", "usd": 1.0, "age": 1}))


def test_several_listings_are_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    show([listing({"name": "a"}), Listing(kind="others", columns=(), rows=({"x": 1},))], Console(), as_json=True)

    assert '"schema": "gpukit/catalog/things/1"' in capsys.readouterr().out.replace("\n", " ")
