"""Objects of the policy SDK as plain resources: unknown stays unknown."""

from __future__ import annotations

import pulumi
import pytest
from pulumi_policy import PolicyCustomTimeouts, PolicyResource, PolicyResourceOptions, ResourceValidationArgs
from pulumi_policy.proxy import (
    UNKNOWN_ARRAY_VALUE,
    UNKNOWN_BOOLEAN_VALUE,
    UNKNOWN_NUMBER_VALUE,
    UNKNOWN_OBJECT_VALUE,
    UNKNOWN_STRING_VALUE,
    unknown_checking_proxy,
)

from components.unknown import Unknown
from policies import adapter

OPTIONS = PolicyResourceOptions(False, [], None, [], PolicyCustomTimeouts(0, 0, 0), [])


@pytest.mark.parametrize(
    "sentinel", [UNKNOWN_ARRAY_VALUE, UNKNOWN_BOOLEAN_VALUE, UNKNOWN_NUMBER_VALUE, UNKNOWN_OBJECT_VALUE, UNKNOWN_STRING_VALUE]
)
def test_every_unknown_keeps_its_path_and_hides_nothing_beside_it(sentinel: str) -> None:
    props = unknown_checking_proxy({"size": {"max": sentinel, "min": 2.0}, "list": [1.5, sentinel, "x"]})
    assert adapter.value(props) == {"size": {"max": Unknown("size.max"), "min": 2}, "list": [1.5, Unknown("list[1]"), "x"]}


def test_whole_numbers_are_whole_again() -> None:
    read = adapter.value({"n": 4.0, "f": 4.5, "b": True, "none": None})
    assert read == {"n": 4, "f": 4.5, "b": True, "none": None}
    assert isinstance(read["n"], int)


def test_what_is_no_json_is_unknown() -> None:
    assert adapter.value({"file": pulumi.StringAsset("x")}) == {"file": Unknown("file", "not readable: StringAsset")}


@pytest.mark.parametrize("text", ["", "{", "[]", "null"])
def test_configuration_that_is_not_there_is_empty(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULUMI_CONFIG", text)
    assert adapter.stack_config() == {}


def test_configuration_is_text_as_pulumi_config_gives_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULUMI_CONFIG", '{"aws:region": "us-east-1", "gpukit:cluster": {"cloud": "aws"}}')
    assert adapter.stack_config() == {"aws:region": "us-east-1", "gpukit:cluster": '{"cloud": "aws"}'}


def test_no_resources_make_an_empty_program() -> None:
    assert adapter.of_stack([], adapter.Inputs()).resources == ()


def test_a_stack_is_read_by_the_inputs_that_were_shown_before() -> None:
    resource = PolicyResource("t", {"size": 2.0, "region": "computed"}, "urn:pulumi:s::p::t::r", "r", OPTIONS, None, None, [], {})
    inputs = adapter.Inputs()
    inputs.remember(ResourceValidationArgs("t", {"size": 2.0}, resource.urn, "r", OPTIONS, None))
    (shown,) = adapter.of_stack([resource], inputs)
    assert (shown.inputs, shown.outputs) == ({"size": 2}, {"size": 2, "region": "computed"})
    (unseen,) = adapter.of_stack([resource], adapter.Inputs())
    assert unseen.inputs == unseen.outputs


@pytest.mark.failure("H8")
def test_outputs_of_the_stack_which_come_without_their_secrecy_are_left_to_the_plan() -> None:
    stack = PolicyResource(adapter.STACK, {"kubeconfig": "…"}, f"urn:pulumi:s::p::{adapter.STACK}::p-s", "p-s", OPTIONS, None, None, [], {})
    (shown,) = adapter.of_stack([stack], adapter.Inputs()).resources
    assert shown.outputs == {}
