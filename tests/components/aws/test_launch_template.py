from __future__ import annotations

import base64
import email
from typing import Any

import pytest
import yaml

from components.resource import ResourceSet

from .specs import built, inference, only, training

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"


def template(patch: dict[str, Any] | None = None) -> dict[str, Any]:
    return dict(only(built(training({"pools": patch or {}})), TEMPLATE, "a100").inputs)


@pytest.fixture(scope="module")
def p4d() -> dict[str, Any]:
    return template()


@pytest.mark.failure("A3")
def test_every_interface_names_its_card_and_device(p4d: dict[str, Any]) -> None:
    places = [(i["networkCardIndex"], i["deviceIndex"], i["interfaceType"]) for i in p4d["networkInterfaces"]]
    assert places == [(0, 0, "interface"), (0, 1, "efa-only"), (1, 0, "efa-only"), (2, 0, "efa-only"), (3, 0, "efa-only")]


@pytest.mark.failure("A2")
def test_p5_cards_take_two_interfaces_and_get_no_running_device_number() -> None:
    indexes = {i["deviceIndex"] for i in template({"machine": "p5.48xlarge"})["networkInterfaces"]}
    assert indexes == {0, 1}


@pytest.mark.failure("A4")
def test_card_0_of_p6_b300_carries_no_efa() -> None:
    interfaces = template({"machine": "p6-b300.48xlarge", "capacity": {"mode": "on_demand"}})["networkInterfaces"]
    assert len(interfaces) == 17
    assert [i["interfaceType"] for i in interfaces if i["networkCardIndex"] == 0] == ["interface"]


@pytest.mark.failure("A7")
def test_public_addresses_are_not_even_mentioned(p4d: dict[str, Any]) -> None:
    assert not any("associatePublicIpAddress" in i for i in p4d["networkInterfaces"])


@pytest.mark.failure("K5")
def test_every_interface_goes_with_its_instance(p4d: dict[str, Any]) -> None:
    assert {i["deleteOnTermination"] for i in p4d["networkInterfaces"]} == {"true"}


def test_nothing_that_a_managed_group_forbids_is_in_it(p4d: dict[str, Any]) -> None:
    assert not {"iamInstanceProfile", "hibernationOptions", "instanceInitiatedShutdownBehavior", "vpcSecurityGroupIds"} & set(p4d)
    assert not any("subnetId" in i for i in p4d["networkInterfaces"])


def test_metadata_is_version_2_and_in_reach_of_containers(p4d: dict[str, Any]) -> None:
    assert p4d["metadataOptions"] == {"httpEndpoint": "enabled", "httpTokens": "required", "httpPutResponseHopLimit": 2}


@pytest.mark.failure("B13")
def test_local_nvme_is_handed_to_nodeadm_as_one_volume(p4d: dict[str, Any]) -> None:
    message = email.message_from_bytes(base64.b64decode(p4d["userData"]))
    [part] = message.get_payload()  # type: ignore[misc]
    assert part.get_content_type() == "application/node.eks.aws"
    config = yaml.safe_load(part.get_payload())
    assert config["kind"] == "NodeConfig"
    assert config["spec"] == {"instance": {"localStorage": {"strategy": "RAID0"}}}


@pytest.mark.failure("B13")
@pytest.mark.parametrize("patch", [{"machine": "p3.2xlarge"}, {"image": "bottlerocket"}])
def test_nodes_without_nvme_or_without_nodeadm_get_no_user_data(patch: dict[str, Any]) -> None:
    assert "userData" not in template(patch)


@pytest.mark.parametrize(("image", "device"), [("al2023", "/dev/xvda"), ("bottlerocket", "/dev/xvdb")])
def test_the_disk_for_containers_is_the_one_that_the_image_uses(image: str, device: str) -> None:
    [disk] = template({"image": image})["blockDeviceMappings"]
    assert disk["deviceName"] == device


def test_a_node_without_fabric_has_one_plain_interface_in_the_clusters_group() -> None:
    made: ResourceSet = built(inference())
    [interface] = only(made, TEMPLATE, "a10g").inputs["networkInterfaces"]
    assert (interface["networkCardIndex"], interface["deviceIndex"], interface["interfaceType"]) == (0, 0, "interface")
    assert len(interface["securityGroups"]) == 1
