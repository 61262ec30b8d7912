"""The catalogue's README against the catalogue."""

import json
import re

import pytest

from components.catalog.tables import DATA
from components.inventory import Market
from components.pricing import OVERLAY_MARKETS, PriceOverlay
from scripts.catalog.commands import app
from scripts.catalog.readme import renewed
from scripts.catalog.refresh.google import PARTS
from scripts.catalog.refresh.sanity import JUMP

README = (DATA.parent / "README.md").read_text(encoding="utf-8")
MAP = README.split("## Which file answers what")[1].split("##")[0]


def test_the_map_names_every_data_file() -> None:
    named = set(re.findall(r"`([a-z_]+)`", MAP))

    assert {path.stem for path in DATA.glob("*.csv")} <= named


def test_the_map_names_every_module() -> None:
    named = set(re.findall(r"`([a-z_]+)`", MAP))

    assert {path.stem for path in DATA.parent.glob("*.py")} - {"__init__", "names"} <= named


def test_the_example_runs() -> None:
    code = README.split("```python\n")[1].split("```")[0]

    exec(compile(code, "README", "exec"), {})  # noqa: S102  # the example is ours


def test_the_generated_part_is_that_of_the_data() -> None:
    """`python -m scripts.catalog.readme` renews it."""
    assert renewed(README) == README


def test_a_readme_without_a_place_for_the_generated_part_is_refused() -> None:
    with pytest.raises(ValueError, match="no place for the generated part"):
        renewed("# Catalogue")


def test_the_example_of_negotiated_rates_is_a_price_file() -> None:
    example = json.loads(README.split("```json\n")[1].split("```")[0])

    figures = PriceOverlay.from_json(example).figures

    assert figures["aws", "us-east-1", "p5.48xlarge", Market.ON_DEMAND].usd == 38.5


def test_the_markets_of_a_price_file_are_those_that_the_text_names() -> None:
    sentence = re.search(r"`market` is (.+)\.", README)

    assert sentence is not None
    assert set(re.findall(r"`([a-z_]+)`", sentence[1])) == set(OVERLAY_MARKETS)


def test_the_limits_of_a_refresh_are_those_that_the_text_names() -> None:
    assert f"a factor of {JUMP['on_demand']:g} (spot: {JUMP['spot']:g})" in README
    for permission in ("pricing:GetProducts", "ec2:DescribeSpotPriceHistory", "ec2:DescribeRegions"):
        assert permission in README
    assert "A2, A3 High, A3 Mega and G2 only" in README
    assert {family.partition("-")[0] for family in PARTS} == {"a2", "a3", "g2"}


def test_the_commands_of_the_text_exist() -> None:
    known = {command.name or getattr(command.callback, "__name__", "") for command in app.registered_commands}
    named = re.search(r"gpukit catalog ([a-z|]+)`", README)

    assert named is not None
    assert set(named[1].split("|")) | {"explain", "refresh"} == known
