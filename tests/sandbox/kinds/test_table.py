"""The tables of types against the installed SDKs: a name that the SDK does not have is a mistake of ours."""

from __future__ import annotations

import pytest

from scripts.sandbox import kinds, sdk_schema
from scripts.sandbox.kinds.closed_sets import allowed
from scripts.sandbox.provider.packages import is_object

TOKENS = kinds.known_tokens()


@pytest.mark.parametrize("token", TOKENS)
def test_a_type_and_the_inputs_that_its_table_names_exist_in_the_sdk(token: str):
    kind, schema = kinds.kind(token), sdk_schema.resource(token)
    assert schema is not None
    named = {path.split(".")[0] for path in kind.replace} | ({kind.auto_name} if kind.auto_name else set())
    named |= {path.split(".")[0].removesuffix("[]") for path in kind.closed_sets}
    assert named <= schema.inputs.shapes.keys()
    assert kind.moving <= schema.outputs


@pytest.mark.parametrize("token", [token for token in TOKENS if kinds.kind(token).closed_sets])
def test_closed_lists_are_in_the_clouds_own_models(token: str):
    for service, shape in kinds.kind(token).closed_sets.values():
        assert allowed(token.partition(":")[0], service, shape)


def test_types_without_a_table_are_objects_of_a_cluster_or_generic():
    assert is_object("kubernetes:apps/v1:Deployment")
    assert not kinds.kind("kubernetes:apps/v1:Deployment").generic
    assert kinds.kind("aws:dynamodb/table:Table").generic
    assert not any(kinds.kind(token).generic for token in TOKENS)
