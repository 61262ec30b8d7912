"""JSON as Go writes it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.plan import go_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(-(2.0**53), 2.0**53) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES)
def test_what_is_written_reads_back_as_the_same_value(value: go_json.Plain):
    assert json.loads(go_json.dumps(value)) == value


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_keeps_its_value(value: float):
    assert float(go_json.dumps(value)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (1e21, "1e+21"),
        (123456789012345680000.0, "123456789012345680000"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (-0.0, "0"),
        (1.5e-5, "0.000015"),
    ],
)
def test_numbers_take_gos_shortest_form(value: float, text: str):
    assert go_json.dumps(value) == text


def test_keys_are_sorted_and_html_is_escaped():
    assert go_json.dumps({"b": "<&>", "a": [True, None]}) == '{"a":[true,null],"b":"\\u003c\\u0026\\u003e"}'


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [float("-inf")]])
def test_what_json_cannot_hold_is_refused(value: go_json.Plain):
    with pytest.raises(ValueError, match="no number that JSON can hold"):
        go_json.dumps(value)
