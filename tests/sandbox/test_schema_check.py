from __future__ import annotations

from typing import Any

import pytest

from scripts.sandbox import sdk_schema, wire
from scripts.sandbox.schema_check import check

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "aws:eks/nodeGroup:NodeGroup"
DEPLOYMENT = "kubernetes:apps/v1:Deployment"


def found(token: str, inputs: dict[str, Any]) -> dict[str, str]:
    schema = sdk_schema.resource(token)
    assert schema is not None
    return {failure.path: failure.reason for failure in check(schema.inputs, inputs)}


def group(**changes: Any) -> dict[str, Any]:
    return {
        "clusterName": "c",
        "nodeRoleArn": "arn",
        "subnetIds": ["subnet-1"],
        "scalingConfig": {"minSize": 0, "desiredSize": 0, "maxSize": 2},
        "taints": [{"key": "nvidia.com/gpu", "effect": "NO_SCHEDULE"}],
        "labels": {"a": "b"},
    } | changes


def test_valid_inputs_of_every_depth_pass():
    assert found(GROUP, group()) == {}


def test_a_missing_property_is_named():
    inputs = group()
    del inputs["subnetIds"]
    assert found(GROUP, inputs) == {"subnetIds": "missing required property 'subnetIds'"}


def test_a_missing_property_inside_an_object_is_named_by_its_path():
    assert found(GROUP, group(scalingConfig={"minSize": 0, "maxSize": 1})) == {
        "scalingConfig.desiredSize": "missing required property 'desiredSize'"
    }


def test_an_unknown_property_names_the_nearest_one():
    assert found(GROUP, group(amiTyp="x")) == {"amiTyp": "unknown property 'amiTyp': did you mean 'amiType'?"}


def test_an_unknown_property_in_a_list_of_objects_is_named_by_index():
    inputs = {"networkInterfaces": [{"deviceIndex": 0}, {"deviceIndx": 1}]}
    assert found(TEMPLATE, inputs) == {"networkInterfaces[1].deviceIndx": "unknown property 'deviceIndx': did you mean 'deviceIndex'?"}


@pytest.mark.parametrize(
    ("changes", "path", "words"),
    [
        ({"clusterName": 1}, "clusterName", "a number where a string belongs"),
        ({"diskSize": "20"}, "diskSize", "a string where a whole number belongs"),
        ({"forceUpdateVersion": "yes"}, "forceUpdateVersion", "a string where true or false belongs"),
        ({"subnetIds": "subnet-1"}, "subnetIds", "a string where a list belongs"),
        ({"scalingConfig": []}, "scalingConfig", "a list where an object belongs"),
        ({"labels": {"a": True}}, "labels.a", "true or false where a string belongs"),
        ({"subnetIds": ["a", 2]}, "subnetIds[1]", "a number where a string belongs"),
    ],
)
def test_a_value_of_the_wrong_type_is_named_with_what_belongs_there(changes: dict[str, Any], path: str, words: str):
    assert found(GROUP, group(**changes)) == {path: words}


def test_unknown_values_pass_and_secrets_are_looked_into():
    assert found(GROUP, group(clusterName=wire.UNKNOWN, scalingConfig={wire.SIGNATURE: wire.OUTPUT})) == {}
    assert found(GROUP, group(clusterName=wire.secret("c"))) == {}
    assert found(GROUP, group(clusterName=wire.secret(1))) == {"clusterName": "a number where a string belongs"}


def test_kubernetes_objects_are_checked_down_to_their_containers():
    spec = {
        "selector": {"matchLabels": {"a": "b"}},
        "template": {"metadata": {}, "spec": {"containers": [{"name": "c", "imag": "x", "resources": {"limits": {"nvidia.com/gpu": 1}}}]}},
    }
    assert found(DEPLOYMENT, {"metadata": {"labls": {}}, "spec": spec}) == {
        "metadata.labls": "unknown property 'labls': did you mean 'labels'?",
        "spec.template.spec.containers[0].imag": "unknown property 'imag': did you mean 'image'?",
    }


def test_a_type_that_the_sdk_does_not_have_has_no_schema():
    assert sdk_schema.resource("aws:ec2/vpcc:Vpcc") is None
    assert sdk_schema.resource("aws:nosuch/thing:Thing") is None


@pytest.mark.parametrize(
    "token", ["aws:ec2/vpc:Vpc", "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule", "kubernetes:helm.sh/v3:Release"]
)
def test_outputs_are_known_beside_inputs(token: str):
    schema = sdk_schema.resource(token)
    assert schema is not None
    assert schema.outputs
    assert not {"id", "urn"} & schema.outputs


def test_provider_settings_have_a_schema_too():
    assert check(sdk_schema.provider("aws"), {"region": "us-east-1", "allowedAccountIds": ["1"]}) == []
    assert [f.path for f in check(sdk_schema.provider("aws"), {"profle": "x"})] == ["profle"]
