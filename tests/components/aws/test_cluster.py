from __future__ import annotations

from ipaddress import IPv4Network
from typing import Any

import pytest

from components.aws.cluster import ClusterArgs
from components.aws.kubeconfig import TokenCommand
from components.naming import Identity
from components.resource import ResourceSet, Secret

from .specs import built, inference, only, training

CLUSTER = "aws:eks/cluster:Cluster"
PROVIDER = "pulumi:providers:kubernetes"
ADMIN = "arn:aws:iam::123456789012:role/platform"


@pytest.fixture(scope="module")
def made() -> ResourceSet:
    return built(training())


def args(**changes: Any) -> ClusterArgs:
    valid: dict[str, Any] = {
        "cluster_name": "lab",
        "region": "us-east-1",
        "kubernetes_version": "1.35",
        "subnet_ids": ["subnet-1", "subnet-2"],
        "api": "public",
        "api_cidrs": (IPv4Network("203.0.113.0/24"),),
        "admins": (ADMIN,),
        "viewers": (),
        "deletion_protection": False,
        "support": "STANDARD",
        "log_types": ("audit",),
        "log_retention_days": 7,
        "owner": "ml-platform",
        "expires": None,
        "identity": Identity(cloud="aws", stack="s", cluster="lab"),
        "token": TokenCommand(region="us-east-1"),
        "addon_versions": {},
    }
    return ClusterArgs(**{**valid, **changes})


def test_the_api_is_open_to_the_named_networks_only(made: ResourceSet) -> None:
    config = only(made, CLUSTER).inputs["vpcConfig"]
    assert (config["endpointPublicAccess"], config["publicAccessCidrs"]) == (True, ["203.0.113.0/24"])
    assert config["endpointPrivateAccess"] is True


def test_a_private_api_has_no_public_end() -> None:
    config = only(built(training({"access": {"api": "private", "api_cidrs": []}})), CLUSTER).inputs["vpcConfig"]
    assert config["endpointPublicAccess"] is False
    assert "publicAccessCidrs" not in config


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"api_cidrs": ()}, "access.api_cidrs: is empty"),
        ({"api_cidrs": (IPv4Network("0.0.0.0/0"),)}, "is everyone"),
        ({"admins": ()}, "access.admins: is empty"),
        ({"admins": ("me",)}, "'me' is no IAM role or user"),
        ({"viewers": (ADMIN,)}, "named twice"),
    ],
)
def test_an_api_that_nobody_or_everybody_could_use_is_refused_before_any_resource(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        args(**changes)


def test_sound_arguments_are_taken() -> None:
    assert args().admins == (ADMIN,)


def test_rights_are_access_entries_and_never_the_creators_secret_privilege(made: ResourceSet) -> None:
    access = only(made, CLUSTER).inputs["accessConfig"]
    assert access == {"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": False}
    grant = only(made, "aws:eks/accessPolicyAssociation:AccessPolicyAssociation")
    assert grant.inputs["policyArn"] == "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"
    assert grant.inputs["principalArn"] == ADMIN


def test_viewers_may_look_only() -> None:
    viewer = "arn:aws:iam::123456789012:role/team/look"
    grants = built(training({"access": {"viewers": [viewer]}})).of_type("aws:eks/accessPolicyAssociation:AccessPolicyAssociation")
    policies = {g.inputs["principalArn"]: g.inputs["policyArn"].rpartition("/")[2] for g in grants}
    assert policies == {ADMIN: "AmazonEKSClusterAdminPolicy", viewer: "AmazonEKSAdminViewPolicy"}


@pytest.mark.parametrize(("environment", "protected"), [("dev", False), ("staging", True), ("prod", True)])
def test_staging_and_production_are_protected_from_deletion(environment: str, protected: bool) -> None:
    assert only(built(inference({"environment": environment})), CLUSTER).inputs["deletionProtection"] is protected


def test_owner_and_lease_are_tags_of_the_cluster_and_of_nothing_else() -> None:
    leased = built(training({"lease": {"expires": "2027-03-01"}}))
    carrying = [r.type for r in leased if {"gpukit/owner", "gpukit/expires"} & set(r.inputs.get("tags") or {})]
    assert carrying == [CLUSTER]
    assert only(leased, CLUSTER).inputs["tags"]["gpukit/expires"] == "2027-03-01"


@pytest.mark.failure("H7")
def test_a_new_cluster_replaces_the_kubernetes_provider_and_a_new_kubeconfig_text_does_not(made: ResourceSet) -> None:
    provider = only(made, PROVIDER)
    assert provider.property_dependencies["clusterIdentifier"] == (only(made, CLUSTER).urn,)


@pytest.mark.failure("H8")
def test_the_kubeconfig_is_secret_wherever_it_goes(made: ResourceSet) -> None:
    assert isinstance(only(made, PROVIDER).inputs["kubeconfig"], Secret)


def test_in_cluster_objects_wait_for_the_rights_to_make_them(made: ResourceSet) -> None:
    types = {made.by_urn[u].type for u in only(made, PROVIDER).dependencies}
    assert "aws:eks/accessPolicyAssociation:AccessPolicyAssociation" in types


def test_nodes_and_control_plane_wait_for_every_policy_of_their_roles(made: ResourceSet) -> None:
    def attached(type_: str, name: str, prop: str) -> set[str]:
        resource = only(made, type_, name)
        return {made.by_urn[u].name for u in resource.property_dependencies[prop]}

    assert attached(CLUSTER, "lab", "roleArn") >= {"lab-cluster", "lab-cluster-AmazonEKSClusterPolicy"}
    roles_policy = only(made, "aws:iam/rolePolicy:RolePolicy", "lab-cluster")
    assert roles_policy.urn in only(made, CLUSTER).property_dependencies["roleArn"]
    assert attached("aws:eks/nodeGroup:NodeGroup", "a100", "nodeRoleArn") == {
        "lab-nodes",
        "lab-nodes-AmazonEKSWorkerNodePolicy",
        "lab-nodes-AmazonEC2ContainerRegistryPullOnly",
        "lab-nodes-AmazonEKS_CNI_Policy",
    }


# Production depth -------------------------------------------------------------------------------------------------------------------------

LOGS = "aws:cloudwatch/logGroup:LogGroup"
KEY = "aws:kms/key:Key"


def test_secrets_are_encrypted_with_a_key_of_the_cluster_that_rotates(made: ResourceSet) -> None:
    cluster, key = only(made, CLUSTER), only(made, KEY)
    assert cluster.inputs["encryptionConfig"]["resources"] == ["secrets"]
    assert cluster.property_dependencies["encryptionConfig"] == (key.urn,)
    assert key.inputs["enableKeyRotation"] is True


@pytest.mark.parametrize(("environment", "days"), [("dev", 7), ("prod", 30)])
def test_a_deleted_key_can_be_taken_back_for_longest_where_it_matters(environment: str, days: int) -> None:
    assert only(built(inference({"environment": environment})), KEY).inputs["deletionWindowInDays"] == days


@pytest.mark.parametrize(
    ("environment", "days", "types"),
    [("dev", 7, 2), ("staging", 30, 5), ("prod", 90, 5)],
)
def test_logs_of_the_control_plane_are_kept_for_as_long_as_the_environment_needs(environment: str, days: int, types: int) -> None:
    made = built(inference({"environment": environment}))
    logs, cluster = only(made, LOGS), only(made, CLUSTER)
    assert (logs.inputs["name"], logs.inputs["retentionInDays"]) == ("/aws/eks/lab/cluster", days)
    assert {"audit", "authenticator"} <= set(cluster.inputs["enabledClusterLogTypes"])
    assert len(cluster.inputs["enabledClusterLogTypes"]) == types
    assert logs.urn in cluster.dependencies


def test_a_file_may_keep_logs_for_another_time() -> None:
    assert only(built(inference({"monitoring": {"log_retention_days": 365}})), LOGS).inputs["retentionInDays"] == 365


@pytest.mark.parametrize(
    ("patch", "today", "policy"),
    [
        ({}, "2026-12-01", "STANDARD"),
        ({"environment": "prod"}, "2026-12-01", "EXTENDED"),
        ({"kubernetes_version": "1.33"}, "2026-12-01", "EXTENDED"),
        ({"kubernetes_version": "1.33"}, "2026-07-01", "STANDARD"),
    ],
)
def test_extended_support_is_paid_where_an_unasked_upgrade_would_hurt_or_is_all_there_is(
    patch: dict[str, Any], today: str, policy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPUKIT_WORLD", "sandbox")
    monkeypatch.setenv("GPUKIT_NOW", f"{today}T00:00:00Z")
    assert only(built(training(patch)), CLUSTER).inputs["upgradePolicy"] == {"supportType": policy}
