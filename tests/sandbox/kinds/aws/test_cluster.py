from __future__ import annotations

from typing import Any

import pytest

from scripts.sandbox.kinds import tokens as k8s
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.kinds.aws.cluster_parts import PARTS
from tests.sandbox.cloud import Cloud
from tests.sandbox.kinds.aws.test_network import refused

ENTRY, POLICY = PARTS[1], PARTS[2]
ADMIN = "arn:aws:iam::123456789012:role/platform"


def test_a_cluster_makes_its_security_group_two_interfaces_and_an_api_server(cloud: Cloud):
    cluster = cloud.cluster()
    group = cloud.world.store.get(t.SECURITY_GROUP, cluster.key, cluster.state["vpcConfig"]["clusterSecurityGroupId"])
    assert group is not None
    assert group.tags["aws:eks:cluster-name"] == "lab"
    assert len(cloud.all(t.NETWORK_INTERFACE)) == 2
    assert cluster.state["endpoint"] == "http://127.0.0.1:1/eks/us-east-1/lab"
    assert cluster.status == cluster.state["status"] == "ACTIVE"
    assert "kube-system" in {n.id for n in cloud.world.store.of_kind(k8s.NAMESPACE, f"k8s/{cluster.key}/lab")}


def test_what_belongs_to_a_cluster_goes_with_it(cloud: Cloud):
    cluster = cloud.cluster(accessConfig={"authenticationMode": "API"})
    cloud.make(t.ADDON, clusterName="lab", addonName="vpc-cni")
    cloud.make(ENTRY, clusterName="lab", principalArn=ADMIN)
    cloud.delete(cluster)
    assert not [r for r in cloud.world.store if r.key.startswith("k8s/")]
    assert not cloud.all(t.NETWORK_INTERFACE) + cloud.all(t.ADDON) + cloud.all(ENTRY)
    assert {g.state["name"] for g in cloud.all(t.SECURITY_GROUP)} == {"default"}


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"roleArn": "arn:aws:iam::123456789012:role/none"}, "InvalidParameterException"),
        ({"vpcConfig": {"subnetIds": ["subnet-none"]}}, "InvalidSubnetID.NotFound"),
        ({"vpcConfig": {"subnetIds": []}}, "InvalidParameterException"),
    ],
)
def test_a_cluster_without_what_it_needs_is_refused(cloud: Cloud, changes: dict[str, Any], code: str):
    with refused(code):
        cloud.cluster(**changes)


def test_one_zone_is_not_enough_and_neither_endpoint_is_too_few(cloud: Cloud):
    vpc = cloud.vpc()
    one = [cloud.subnet(vpc, "a").id]
    two = [*one, cloud.subnet(vpc, "b").id]
    with refused("InvalidParameterException"):
        cloud.cluster(vpcConfig={"subnetIds": one})
    with refused("InvalidParameterException"):
        cloud.cluster(vpcConfig={"subnetIds": two, "endpointPublicAccess": False})
    assert cloud.cluster(vpcConfig={"subnetIds": two, "endpointPublicAccess": False, "endpointPrivateAccess": True})


def test_the_zone_without_control_planes_is_refused(cloud: Cloud):
    vpc = cloud.vpc()
    with refused("UnsupportedAvailabilityZoneException"):
        cloud.cluster(vpcConfig={"subnetIds": [cloud.subnet(vpc, zone).id for zone in "ae"]})


def test_a_name_is_taken_in_its_region_only(cloud: Cloud):
    cluster = cloud.cluster()
    with refused("ResourceInUseException"):
        cloud.cluster()
    vpc = cloud.vpc(region="eu-west-1")
    subnets = [
        cloud.make(t.SUBNET, region="eu-west-1", vpcId=vpc.id, cidrBlock=f"10.0.{i * 16}.0/20", availabilityZone=f"eu-west-1{zone}").id
        for i, zone in enumerate("ab")
    ]
    assert cloud.make(t.CLUSTER, region="eu-west-1", name="lab", roleArn=cluster.state["roleArn"], vpcConfig={"subnetIds": subnets})


def test_versions_go_up_one_minor_at_a_time(cloud: Cloud):
    cluster = cloud.cluster(version="1.33")
    with refused("InvalidParameterException"):
        cloud.change(cluster, version="1.35")
    with refused("InvalidParameterException"):
        cloud.change(cluster, version="1.32")
    assert cloud.change(cluster, version="1.34").state["version"] == "1.34"


def test_a_cluster_with_node_groups_or_protection_cannot_be_deleted(cloud: Cloud):
    cluster = cloud.cluster(deletionProtection=True)
    group = cloud.group(cluster)
    with refused("InvalidRequestException"):
        cloud.delete(cluster)
    cluster = cloud.change(cluster, deletionProtection=False)
    with refused("ResourceInUseException"):
        cloud.delete(cluster)
    cloud.delete(group)
    cloud.delete(cluster)
    assert not cloud.there(cluster)


def test_access_entries_need_the_api_authentication_mode(cloud: Cloud):
    cloud.cluster()
    with refused("InvalidRequestException"):
        cloud.make(ENTRY, clusterName="lab", principalArn=ADMIN)


def test_a_policy_needs_the_entry_that_it_is_for_and_an_access_policy(cloud: Cloud):
    cloud.cluster(accessConfig={"authenticationMode": "API"})
    given = {"clusterName": "lab", "principalArn": ADMIN, "accessScope": {"type": "cluster"}}
    arn = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"
    with refused("ResourceNotFoundException"):
        cloud.make(POLICY, policyArn=arn, **given)
    cloud.make(ENTRY, clusterName="lab", principalArn=ADMIN)
    with refused("InvalidParameterException"):
        cloud.make(POLICY, policyArn="arn:aws:iam::aws:policy/AdministratorAccess", **given)
    assert cloud.make(POLICY, policyArn=arn, **given)


def test_an_addon_needs_an_active_cluster_and_json_settings(cloud: Cloud):
    with refused("ResourceNotFoundException"):
        cloud.make(t.ADDON, clusterName="lab", addonName="vpc-cni")
    cloud.cluster()
    with refused("InvalidParameterException"):
        cloud.make(t.ADDON, clusterName="lab", addonName="vpc-cni", configurationValues="a: b")
    cloud.make(t.ADDON, clusterName="lab", addonName="vpc-cni", configurationValues='{"a": 1}')
    with refused("ResourceInUseException"):
        cloud.make(t.ADDON, clusterName="lab", addonName="vpc-cni")


def test_a_cluster_that_was_coming_up_when_the_server_was_killed_is_up_after_the_restart(cloud: Cloud, monkeypatch: pytest.MonkeyPatch):
    def killed(_: float) -> None:
        raise SystemExit

    vpc = cloud.vpc()
    subnets = [cloud.subnet(vpc, zone).id for zone in "ab"]
    role = cloud.role().state["arn"]
    monkeypatch.setattr(cloud.world.clock, "spend", killed)
    with pytest.raises(SystemExit):
        cloud.make(t.CLUSTER, name="lab", roleArn=role, vpcConfig={"subnetIds": subnets})
    assert [c.status for c in cloud.all(t.CLUSTER)] == ["CREATING"]
    again = cloud.restarted()
    assert [c.status for c in again.all(t.CLUSTER)] == ["ACTIVE"]
    assert again.world.store.of_kind(k8s.NAMESPACE, f"k8s/{vpc.key}/lab")
