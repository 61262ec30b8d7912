"""Nothing hides behind something else: shape, words, and meaning are all told in one go."""

from __future__ import annotations

import re
import typing

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from components import spec as spec_module
from components.refusals import SpecError, SpecErrors
from components.spec import capacity as spec_capacity
from components.spec import fields as spec_fields
from components.spec import pools as spec_pools
from components.spec.reading import _PLACEHOLDERS, SECRET, read
from tests.spec.documents import MAKERS, Document, aws_inference, aws_training, changed, errors, spec_errors

Json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=12,
)


def paths(document: Document | list[object] | object, prefix: str = "") -> list[str]:
    """Every dotted path of a document, lists by index."""
    items = document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    found: list[str] = []
    for key, value in items:
        found += [f"{prefix}{key}", *paths(value, f"{prefix}{key}.")]
    return found


AWS_PATHS = paths(aws_training())


def test_errors_of_shape_words_and_meaning_come_together():
    document = aws_training()
    for path, value in (
        ("kubernetes_version", 1.30),
        ("lease.expires", "2027-03-01 00:00:00 +0000 UTC"),
        ("quee", {}),
        ("account", "1234"),
        ("access.api_cidrs", ["0.0.0.0/0", 4]),
        ("pools.0.nodes", {"min": 3, "max": 1}),
        ("pools.0.machine", "p4d.24xlrge"),
        ("pools.0.capacity.mode", "sopt"),
        ("pools.0.sharing", {"time_slices": 4}),
    ):
        document = changed(document, path, value)
    assert set(errors(document)) == {
        "kubernetes_version",
        "lease.expires",
        "quee",
        "account",
        "access.api_cidrs[0]",
        "access.api_cidrs[1]",
        "pools[0].nodes",
        "pools[0].machine",
        "pools[0].capacity.mode",
        "pools[0].sharing.time_slices",
    }


def test_a_wrong_workload_does_not_hide_the_rest():
    document = changed(changed(aws_training(), "workload", "trainin"), "pools.0.machine", "p4d.24xlrge")
    assert set(errors(document)) == {"workload", "pools[0].machine"}


def test_an_entry_that_is_no_mapping_does_not_hide_its_neighbours():
    document = aws_training()
    wrong = changed(document, "pools", ["a100", {**document["pools"][0], "zone": "us-east-1a"}])
    assert set(errors(wrong)) == {"pools[0]", "pools[1].zone"}


def test_an_empty_document_names_every_key_that_is_needed():
    assert set(errors({})) == {"workload", "cloud", "account", "owner", "pools", "access.api_cidrs"}


def test_nothing_is_said_about_values_that_nobody_wrote():
    """A pool whose capacity cannot be read is not judged as the on-demand pool that the default would make of it."""
    pool = {"name": "g", "machines": ["g5.2xlarge", "g5.4xlarge"], "zone": "us-east-1d", "capacity": {"mode": "sopt"}}
    assert set(errors(changed(aws_training(), "pools", [pool]))) == {"pools[0].capacity.mode"}


@pytest.mark.parametrize("maker", MAKERS)
def test_each_field_may_be_wrong_without_hiding_an_error_elsewhere(maker: str):
    document = changed(MAKERS[maker](), "access.api_cidrs", ["0.0.0.0/0"])
    for path in paths(document):
        if not path.startswith("access"):
            for junk in (5.5, {"x": "y"}, [[]], "\n", None):
                found = errors(changed(document, path, junk))
                assert "access.api_cidrs[0]" in found, (path, junk, found)


def test_every_field_without_a_default_has_a_placeholder():
    models = {
        model
        for module in (spec_module, spec_pools, spec_capacity, spec_fields)
        for model in vars(module).values()
        if isinstance(model, type) and issubclass(model, BaseModel)
    }
    needed = {name for model in models for name, field in model.model_fields.items() if field.is_required()}
    assert needed == set(_PLACEHOLDERS)


@given(Json)
def test_no_json_value_ends_in_anything_but_refusals(value: object):
    spec, found = read(value)
    assert (spec is None) == bool(found)
    assert all(isinstance(error, SpecError) and error.message for error in found)


@given(st.sampled_from(AWS_PATHS), Json)
def test_no_value_at_any_place_ends_in_anything_but_refusals(path: str, value: object):
    spec, found = read(changed(aws_training(), path, value), region="us-east-1")
    assert (spec is None) == bool(found)
    for error in found:
        assert len(str(error)) < 1000
        assert str(error).isprintable()


ALONE = ("access", "lease", "owner", "environment", "account")
"""Parts of the document that no other part rests on."""


@given(st.sampled_from([p for p in AWS_PATHS if p.startswith(ALONE)]), Json)
def test_an_error_stays_where_its_value_is(path: str, value: object):
    part = path.partition(".")[0]
    assert {re.split(r"[.\[]", error.path)[0] for error in spec_errors(changed(aws_training(), path, value))} <= {part}


@pytest.mark.parametrize("path", [p for p in AWS_PATHS if p not in ("network", "access", "lease")])
def test_a_secret_is_refused_wherever_it_stands_and_named_once(path: str):
    found = [str(error) for error in spec_errors(changed(aws_training(), path, SECRET)) if "Pulumi secret" in str(error)]
    assert len(found) == 1
    assert "no field of this file takes one" in found[0]


def test_what_stands_under_an_unknown_key_is_never_repeated():
    text = "\n".join(str(error) for error in spec_errors(changed(aws_training(), "password", "canary-7f3a")))
    assert "password: unknown key" in text
    assert "canary" not in text


def test_keys_of_the_other_workload_say_where_they_belong():
    assert "belongs to inference clusters" in errors(changed(aws_training(), "serving", {}))["serving"]
    assert "belongs to training clusters" in errors(changed(aws_inference(), "queue", {}))["queue"]


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("account", 123456789012, "write it in quotes: YAML reads the bare value as a number"),
        ("account", 12345678901, "drops the zeros in front of it (an AWS account id has 12 digits)"),
        ("kubernetes_version", 1.35, "write it in quotes"),
        ("pools.0.zone", True, "write it in quotes"),
        ("tags", {"cost-center": 4711}, "write it in quotes"),
        ("lease.expires", "2027-03-01 00:00:00 +0000 UTC", "YAML reads the bare value as a date"),
        ("lease.expires", "March", 'write a day in quotes, such as "2027-03-01"'),
        ("lease.expires", "2027-02-30", "no such day in the calendar"),
        ("pools.0.nodes.max", "4", "a whole number is expected, without quotes"),
        ("pools.0.nodes.max", 2.5, "a whole number is expected"),
        ("pools.0.nodes.max", 0, "must be at least 1"),
        ("pools.0.nodes.max", True, "a whole number is expected"),
        ("pools.0.nodes", 4, "a mapping from key to value is expected, such as {min: 0, max: 4}"),
        ("pools.0.nodes", {"min": 5, "max": 4}, "min is 5, above max 4: give min <= max"),
        ("pools", {}, "a list is expected"),
        ("pools", [], "is empty: at least one is needed"),
        ("network.flow_logs", "yes", "true or false is expected, without quotes"),
        ("network.nat", "sinle", "allowed: single, per_zone, none; did you mean single?"),
        ("network.cidr", "10.64.0.1/16", "write 10.64.0.0/16"),
        ("network.cidr", "10.64.0.0", "write an IPv4 range such as 10.64.0.0/16"),
        ("pools.0.sharing", {"mig": "1g.5gb", "time_slices": 2}, "write none, {mig: PROFILE} or {time_slices: NUMBER}"),
        ("pools.0.name", "GPU", "use at most 40 of a-z, 0-9 and -"),
        ("owner", "", "is empty: give a value, or remove the key"),
        ("tags", ["a"], 'a mapping from key to value is expected, such as {cost-center: "4711"}'),
        ("pools.0.labels", 4, "a mapping from key to value is expected, such as {tier: gold}"),
        ("pools.0.sharing", "mig", "allowed: none, {mig: PROFILE} or {time_slices: NUMBER}"),
        ("pools.0.placement", "rack", "allowed: auto, none, own, {group: NAME}"),
        (
            "pools.0.capacity",
            {"mode": "capacity_block", "id": "cr-0123456789abcdef0", "starts": "0001-01-01T00:00+14:00", "ends": "9999-12-31T23:59-14:00"},
            "write a time between 2000-01-01 and 9999-12-01",
        ),
        ("region", "us-east-1", "stands beside gpukit:cluster"),
        ("pools.0.machine", "p5", "did you mean p5.48xlarge or p5.4xlarge"),
        ("pools.0.machine", "H100", "did you mean p5.48xlarge or p5.4xlarge?"),
        ("pools.0.machine", "zzzz", "`gpukit catalog machines --cloud aws` lists them"),
        ("owner", "x" * 3000, "the text is too long"),
        ("owner", None, "is empty: give a value, or remove the key"),
        ("owner", "a\x1b[31m", "holds line breaks or control characters"),
        ("budget.hourly_usd", -1, "must be above 0"),
        ("budget.hourly_usd", float("nan"), "a finite number is expected"),
        ("budget.alert_emails", ["ml-platform"], "write an e-mail address"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_wrong_value_is_told_in_plain_words(path: str, value: object, words: str):
    found = list(errors(changed(aws_training(), path, value)).values())
    assert any(words in text for text in found), found
    assert not any(jargon in text for text in found for jargon in ("Input should", "pydantic", "https://", "Literal", "union"))


def test_the_whole_text_names_the_file_and_gives_a_line_to_each_error():
    error = SpecErrors("stacks/Pulumi.dev.yaml", spec_errors(changed(changed(aws_training(), "acount", "1"), "owner", 5)))
    assert str(error).splitlines() == [
        "stacks/Pulumi.dev.yaml: 2 errors to correct.",
        "  - owner = 5: write it in quotes: YAML reads the bare value as a number or as true/false",
        "  - acount: unknown key; did you mean account?",
    ]


def test_a_spec_cannot_change():
    spec, _ = read(aws_training())
    assert spec is not None
    with pytest.raises(Exception, match="frozen"):
        spec.owner = "someone"
    with pytest.raises(TypeError, match="a spec cannot change"):
        typing.cast("dict[str, str]", spec.tags)["a"] = "b"
    with pytest.raises(TypeError, match="a spec cannot change"):
        typing.cast("dict[str, str]", spec.tags).update(a="b")
