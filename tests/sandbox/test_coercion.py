from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.sandbox import sdk_schema, wire
from scripts.sandbox.coercion import coerced
from scripts.sandbox.schema_check import check

GROUP = "aws:eks/nodeGroup:NodeGroup"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"


def taken(token: str, **inputs: Any) -> dict[str, Any]:
    schema = sdk_schema.resource(token)
    assert schema is not None
    return coerced(schema.inputs, inputs)


@pytest.mark.parametrize(
    ("given_", "becomes"),
    [
        ({"launchTemplate": {"id": "lt-1", "version": 3}}, {"launchTemplate": {"id": "lt-1", "version": "3"}}),
        ({"labels": {"spot": True, "cards": 8}}, {"labels": {"spot": "true", "cards": "8"}}),
        ({"subnetIds": ["a", 2]}, {"subnetIds": ["a", "2"]}),
        ({"diskSize": "20"}, {"diskSize": 20}),
        ({"forceUpdateVersion": "false"}, {"forceUpdateVersion": False}),
        ({"clusterName": 1.5}, {"clusterName": "1.5"}),
        ({"clusterName": 1e21}, {"clusterName": "1000000000000000000000"}),
    ],
)
def test_scalars_are_taken_for_one_another_at_every_depth(given_: dict[str, Any], becomes: dict[str, Any]) -> None:
    assert taken(GROUP, **given_) == becomes


@pytest.mark.parametrize(
    "given_", [{"diskSize": "twenty"}, {"diskSize": "2.5"}, {"forceUpdateVersion": "yes"}, {"subnetIds": "s-1"}, {"scalingConfig": 1}]
)
def test_what_spells_no_value_of_the_type_stays_and_is_named_by_the_schema_check(given_: dict[str, Any]) -> None:
    schema = sdk_schema.resource(GROUP)
    assert schema is not None
    assert taken(GROUP, **given_) == given_
    assert next(iter(given_)) in {failure.path for failure in check(schema.inputs, taken(GROUP, **given_))}


def test_unknowns_unknown_properties_and_absent_values_stay_and_secrets_stay_secret() -> None:
    given_ = {"clusterName": wire.UNKNOWN, "nodeRoleArn": {wire.SIGNATURE: wire.OUTPUT}, "nosuch": 1, "version": None}
    assert taken(GROUP, **given_) == given_
    assert taken(GROUP, version=wire.secret(1)) == {"version": wire.secret("1")}


@given(st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_survives_the_way_through_a_string(number: float) -> None:
    text = taken(GROUP, clusterName=number)["clusterName"]
    assert "e" not in text
    assert math.isclose(float(text), number, rel_tol=0, abs_tol=0)
