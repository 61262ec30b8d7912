"""Numbers and nesting beyond every bound, which yaml.v3 reads as text or refuses."""

from __future__ import annotations

import pytest

from scripts.plan import engine_yaml, go_json
from scripts.plan.engine_yaml import YamlError


@pytest.mark.parametrize("digits", ["9" * 20, "9" * 400, "9" * 6000, "0x" + "f" * 6000, "0b" + "1" * 6000])
def test_a_number_that_64_bits_cannot_hold_is_text_or_a_float(digits: str) -> None:
    read = engine_yaml.load(f"a: {digits}\n")
    assert read in ({"a": digits}, {"a": float(digits) if digits.isdecimal() else None})
    assert go_json.dumps(read)


def test_the_widest_integers_are_read_in_every_base() -> None:
    widest = 2**64 - 1
    for written in (f"{widest}", f"{widest:#x}", f"{widest:#b}", f"{widest:#o}", "0x" + "0" * 6000 + "f"):
        expected = 15 if written.endswith("00f") else widest
        assert engine_yaml.load(f"a: {written}\n") == {"a": expected}


@pytest.mark.parametrize("tag", ["int", "float"])
def test_a_tag_on_thousands_of_digits_is_refused_briefly(tag: str) -> None:
    with pytest.raises(YamlError) as told:
        engine_yaml.load(f"a: !!{tag} {'9' * 6000}\n")
    assert len(str(told.value)) < 120


def test_endless_nesting_is_refused() -> None:
    with pytest.raises(YamlError, match="nest"):
        engine_yaml.load("a: " + "[" * 200_000)


def test_an_integer_that_no_float_holds_is_refused_as_json() -> None:
    with pytest.raises(ValueError, match="hundreds of digits"):
        go_json.dumps(10**400)
