from __future__ import annotations

import csv
import shutil
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.catalog.tables import DATA, rows
from scripts.catalog.refresh import table
from scripts.catalog.refresh.offer import SOURCES, Offer
from scripts.catalog.refresh.table import HEADER, key_of, merge, prices_of, write

DAY = date(2026, 12, 24)
PRESENT = rows("aws_prices")
LISTED = prices_of(PRESENT)["p5.48xlarge", "us-east-1", "on_demand"]


def offer(machine: str = "p5.48xlarge", usd: float = LISTED + 1, **fields) -> Offer:
    return Offer(
        **{"machine": machine, "region": "us-east-1", "market": "on_demand", "usd": usd, "source": "live-aws-price-list", **fields}
    )


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_an_offer_replaces_its_row_with_source_and_day() -> None:
    merged = merge(PRESENT, [offer()], DAY, {})
    new = {key_of(row): row for row in merged.rows}

    assert len(merged.rows) == len(PRESENT)
    assert new["p5.48xlarge", "us-east-1", "on_demand"] == {
        "machine": "p5.48xlarge", "region": "us-east-1", "market": "on_demand", "usd": f"{LISTED + 1:g}", "usd_high": "", "source": "live-aws-price-list",
        "as_of": "2026-12-24", "notes": "",
    }  # fmt: skip
    assert [(change.before, change.after) for change in merged.changes] == [(LISTED, LISTED + 1)]


def test_rows_without_an_offer_keep_their_source_and_day() -> None:
    merged = merge(PRESENT, [offer()], DAY, {})
    old = {key_of(row): row for row in PRESENT}

    kept = [row for row in merged.rows if key_of(row) != offer().key]
    assert kept == [old[key_of(row)] for row in kept]
    assert merged.kept == len(PRESENT) - 1


def test_the_same_price_is_confirmed_not_changed() -> None:
    merged = merge(PRESENT, [offer(usd=LISTED)], DAY, {})

    assert (merged.changes, merged.confirmed) == ((), 1)
    assert {row["as_of"] for row in merged.rows if key_of(row) == offer().key} == {"2026-12-24"}


def test_a_reason_becomes_the_note_of_the_row() -> None:
    merged = merge(PRESENT, [offer(notes="whole machine")], DAY, {"p5.48xlarge": "price cut of June"})

    assert {row["notes"] for row in merged.rows if key_of(row) == offer().key} == {"whole machine; price cut of June"}


@given(
    st.lists(
        st.tuples(st.sampled_from(["a.large", "p5.48xlarge", "z.large"]), st.floats(0.000001, 999)), max_size=8, unique_by=lambda o: o[0]
    )
)
def test_a_merged_table_has_every_key_once_in_order_and_readable_prices(given_offers: list[tuple[str, float]]) -> None:
    offers = [offer(machine, usd) for machine, usd in given_offers]

    merged = merge(PRESENT, offers, DAY, {})
    keys = [key_of(row) for row in merged.rows]

    assert keys == sorted({*map(key_of, PRESENT), *(o.key for o in offers)})
    for each in offers:
        written = next(row["usd"] for row in merged.rows if key_of(row) == each.key)
        assert "e" not in written
        assert float(written) == pytest.approx(each.usd, abs=5e-7)


def test_a_written_table_is_the_catalogues_form(tmp_path: Path) -> None:
    path = write(tmp_path / "new", "aws", merge(PRESENT, [offer()], DAY, {}).rows)

    assert path.read_text(encoding="utf-8").splitlines()[0] == ",".join(HEADER)
    assert len(read(path)) == len(PRESENT)
    assert {row["source"] for row in read(path)} <= {row["key"] for row in read(tmp_path / "new" / "sources.csv")}


def test_writing_an_unchanged_table_changes_no_byte(tmp_path: Path) -> None:
    path = write(tmp_path, "aws", PRESENT)

    assert path.read_bytes() == (DATA / "aws_prices.csv").read_bytes()


def test_in_the_catalogue_live_sources_come_in_and_unused_ones_go(tmp_path: Path) -> None:
    data = shutil.copytree(DATA, tmp_path / "data")
    only_here = {row["source"] for row in PRESENT} - {
        row["source"] for path in DATA.glob("*.csv") if path.stem != "aws_prices" for row in read(path) if "source" in row
    }

    write(data, "aws", merge([], [offer()], DAY, {}).rows)
    described = {row["key"]: row for row in read(data / "sources.csv")}

    assert described["live-aws-price-list"]["text"] == SOURCES["live-aws-price-list"]
    assert only_here - {"live-aws-price-list"}
    assert not (only_here - {"live-aws-price-list"}) & set(described)
    used = {row["source"] for path in data.glob("*.csv") if path.stem != "sources" for row in read(path)}
    assert used <= set(described)


@pytest.mark.parametrize("dies_at", ["sources.csv", "aws_prices.csv"])
def test_a_write_that_dies_leaves_the_old_table_and_no_litter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dies_at: str) -> None:
    data = shutil.copytree(DATA, tmp_path / "data")
    before = (data / "aws_prices.csv").read_bytes()
    replace = Path.replace

    def dying(self: Path, target: Path) -> Path:
        if Path(target).name == dies_at:
            raise OSError(28, "No space left on device")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", dying)
    with pytest.raises(OSError, match="No space left"):
        write(data, "aws", merge(PRESENT, [offer()], DAY, {}).rows)

    assert (data / "aws_prices.csv").read_bytes() == before
    assert {path.name for path in data.iterdir()} == {path.name for path in DATA.iterdir()}
    assert {row["source"] for row in read(data / "aws_prices.csv")} <= {row["key"] for row in read(data / "sources.csv")}


def test_the_source_of_every_reader_is_described() -> None:
    assert all(len(words) > 10 for words in SOURCES.values())
    assert tuple(rows("sources")[0]) == table.SOURCES_HEADER
