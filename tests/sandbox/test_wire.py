from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pulumi_policy import proxy

from scripts.sandbox import wire

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=10,
)


@given(value=st.dictionaries(st.text(max_size=4), JSON, max_size=4))
def test_values_come_through_the_wire_as_they_were(value: dict[str, object]):
    assert wire.decode(wire.encode(value)) == value


def test_whole_numbers_come_out_as_int():
    assert [type(v) for v in wire.decode(wire.encode({"a": 3.0, "b": 2.5, "c": True})).values()] == [int, float, bool]


@pytest.mark.parametrize("name", [n for n in dir(proxy) if n.startswith("UNKNOWN_") and n.endswith("_VALUE")])
def test_every_sentinel_of_the_policy_sdk_is_an_unknown(name: str):
    assert wire.is_unknown(getattr(proxy, name))


def test_an_unknown_is_found_at_any_depth():
    assert wire.has_unknown({"a": [{"b": wire.UNKNOWN}]})
    assert wire.has_unknown({"a": {wire.SIGNATURE: wire.OUTPUT}})
    assert not wire.has_unknown({"a": [{"b": wire.secret("known")}]})


def test_plain_strips_wrappers_and_keeps_the_rest():
    assert wire.plain({"a": [wire.secret({"b": wire.secret(1)})], "c": {wire.SIGNATURE: wire.OUTPUT, "value": 2}}) == {
        "a": [{"b": 1}],
        "c": 2,
    }
