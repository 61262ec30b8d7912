"""The engine's property encoding as plain values."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.resource import Resource, Secret, read
from components.unknown import MASKED_SECRET, SECRET, Unknown
from scripts.plan import values
from scripts.plan.values import SIGNATURE, SIGNED_OUTPUT, SIGNED_REFERENCE, SIGNED_SECRET, UNKNOWN, Unread, value

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text().filter(lambda t: t != MASKED_SECRET),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text().filter(lambda k: k != SIGNATURE), inner, max_size=4),
    max_leaves=12,
)


def with_unknowns(raw: Any) -> list[str]:
    """Paths of all unknowns in a converted value, as found by walking it."""
    found: list[str] = []

    def walk(node: Any, path: str) -> None:
        if isinstance(node, Unknown):
            found.append(path)
        elif isinstance(node, dict):
            for key, inner in node.items():
                walk(inner, f"{path}.{key}" if path else key)
        elif isinstance(node, list):
            for i, inner in enumerate(node):
                walk(inner, f"{path}[{i}]")

    walk(raw, "")
    return found


@given(plain)
def test_plain_json_stays_as_it_is(raw: Any) -> None:
    assert value(raw) == raw


@given(plain)
def test_numbers_come_back_whole_from_protobufs_floats(raw: Any) -> None:
    floats = json.loads(json.dumps(raw), parse_int=float)
    assert value(floats) == raw
    assert json.dumps(value(floats)) == json.dumps(raw)


@given(
    st.recursive(
        st.just(UNKNOWN) | st.just("known"), lambda i: st.lists(i, max_size=3) | st.dictionaries(st.sampled_from("abc"), i, max_size=3)
    )
)
def test_every_unknown_carries_the_path_at_which_it_is_found(raw: Any) -> None:
    def check(node: Any, path: str) -> None:
        if isinstance(node, Unknown):
            assert node.path == path
        elif isinstance(node, dict):
            for key, inner in node.items():
                check(inner, f"{path}.{key}" if path else key)
        elif isinstance(node, list):
            for i, inner in enumerate(node):
                check(inner, f"{path}[{i}]")

    converted = value(raw, "top")
    check(converted, "top")
    assert len(with_unknowns(converted)) == json.dumps(raw).count(UNKNOWN)


def test_the_path_is_the_one_that_read_gives() -> None:
    inputs = values.properties({"a": {"b": [{"c": UNKNOWN}]}})
    assert inputs["a"]["b"][0]["c"] == read(inputs, "a", "b", 0, "c") == Unknown("a.b[0].c")


@pytest.mark.parametrize("sentinel", [UNKNOWN, *values.OTHER_UNKNOWNS])
def test_every_sentinel_of_the_engine_is_unknown(sentinel: str) -> None:
    assert value(sentinel, "x") == Unknown("x")


def test_a_text_around_an_unknown_is_unknown() -> None:
    assert value(f"arn:{UNKNOWN}/x", "role") == Unknown("role")


@pytest.mark.parametrize(
    "raw",
    [
        {SIGNATURE: SIGNED_SECRET},
        {SIGNATURE: SIGNED_SECRET, "ciphertext": "v1:abc"},
        {SIGNATURE: SIGNED_SECRET, "plaintext": "no json"},
        MASKED_SECRET,
    ],
)
def test_a_secret_is_a_secret_in_every_spelling(raw: Any) -> None:
    assert value(raw, "key") == Secret(Unknown("key", SECRET))


def test_a_secret_that_is_shown_keeps_its_value_out_of_sight() -> None:
    found = value({SIGNATURE: SIGNED_SECRET, "plaintext": '"canary"'}, "key")
    assert found == Secret("canary")
    assert "canary" not in repr({"key": found})


def test_an_output_value_is_its_value_unknown_or_secret() -> None:
    assert value({SIGNATURE: SIGNED_OUTPUT, "value": 3.0}, "n") == 3
    assert value({SIGNATURE: SIGNED_OUTPUT, "dependencies": []}, "n") == Unknown("n")
    assert value({SIGNATURE: SIGNED_OUTPUT, "value": "x", "secret": True}, "n") == Secret("x")


def test_a_resource_reference_is_its_id_if_known() -> None:
    reference = {SIGNATURE: SIGNED_REFERENCE, "urn": "urn:pulumi:s::p::t::n"}
    assert value({**reference, "id": "vpc-1"}, "v") == "vpc-1"
    assert value({**reference, "id": UNKNOWN}, "v") == Unknown("v")
    assert value({**reference, "id": ""}, "v") == Unknown("v")
    assert value(reference, "v") == "urn:pulumi:s::p::t::n"


def test_an_asset_keeps_its_contents_without_its_signature() -> None:
    assert value({SIGNATURE: "c44067f5952c0a294b673a41bacd8c17", "text": "hello"}, "f") == {"text": "hello"}


def test_bookkeeping_of_providers_is_left_out() -> None:
    assert values.properties({"__defaults": ["a"], "a": {"__defaults": [], "b": 1}}) == {"a": {"b": 1}}


def test_nothing_of_an_existing_resource_passes_as_absent() -> None:
    found = Resource(urn="u", type="t", name="n", inputs=Unread({"name": "given"}))
    assert found.read("name") == "given"
    assert isinstance(found.read("egress", 0, "cidrBlocks"), Unknown)
    assert dict(found.inputs) == {"name": "given"}


def test_a_value_of_hundreds_of_levels_is_unknown() -> None:
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    assert values.properties({"tags": deep, "size": 4}) == {"tags": Unknown("tags", "not readable: nested too deeply"), "size": 4}
