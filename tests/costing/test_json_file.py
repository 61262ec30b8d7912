"""Files with numbers and nesting that nobody means: one sentence, never a crash and never an infinity in a sum."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.demand import QuotaSnapshot
from components.json_file import LARGEST, finite
from components.pricing import PriceOverlay
from policies import Limits

Load = Callable[[Path], object]
RATE = {"cloud": "aws", "region": "us-east-1", "machine": "p5.48xlarge", "market": "spot", "usd_per_hour": 12}
PRICES = {"schema": "gpukit/prices/1", "as_of": "2026-11-29", "machines": [RATE]}
ROW = {"cloud": "aws", "region": "us-east-1", "code": "L-417A185B", "limit": 12, "usage": 0}
QUOTA = {"schema": "gpukit/quota/1", "taken": "2026-11-29", "quotas": [ROW]}
LIMITS = {"schema": "gpukit/limits/1", "ceilings": {"default": {"hourly_usd": 12}}}
FILES: list[tuple[Load, dict[str, Any]]] = [(PriceOverlay.load, PRICES), (QuotaSnapshot.load, QUOTA), (Limits.load, LIMITS)]


@pytest.mark.parametrize(("load", "good"), FILES)
@pytest.mark.parametrize("number", ["9" * 6000, "1" + "0" * 400])
def test_numbers_of_hundreds_of_digits_are_refused(load: Load, good: dict[str, Any], number: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(json.dumps(good).replace(": 12", f": {number}"))
    with pytest.raises(ValueError, match=r"digits|is 1000") as told:
        load(path)
    assert len(str(told.value)) < 300


@pytest.mark.parametrize(("load", "good"), FILES[:2])
def test_numbers_that_cannot_be_added_up_are_refused(load: Load, good: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(json.dumps(good).replace(": 12", ": 1e308"))
    with pytest.raises(ValueError, match=r"is 1e\+308, give a number .* and at most 1e\+15"):
        load(path)


@pytest.mark.parametrize(("load", "good"), FILES)
def test_the_same_files_with_a_plain_number_are_read(load: Load, good: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(json.dumps(good))
    assert load(path) is not None


@pytest.mark.parametrize("load", [load for load, _ in FILES])
def test_endless_nesting_is_told_as_such(load: Load, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("[" * 200_000)
    with pytest.raises(ValueError, match="file is nested too deeply to be read"):
        load(path)


def test_a_day_that_the_calendar_lacks_is_told(tmp_path: Path) -> None:
    path = tmp_path / "limits.yaml"
    path.write_text("schema: gpukit/limits/1\nceilings: 2026-13-45\n")
    with pytest.raises(ValueError, match=r"limits\.yaml holds a value that cannot be read: month"):
        Limits.load(path)


@given(st.one_of(st.integers(), st.floats(), st.booleans(), st.text(), st.none()))
def test_what_counts_as_a_number_can_be_added_up(value: object) -> None:
    found = finite(value)
    assert found is None or (math.isfinite(found * 1e9) and 0 <= found <= LARGEST)
