from __future__ import annotations

import json
from typing import Any

import pytest

from components.gcp.cluster import Cluster, ClusterArgs
from components.gcp.cluster_access import identified
from components.gcp.cluster_features import Features
from components.gcp.kubeconfig import exec_kubeconfig
from components.gcp.upkeep import Upkeep, upkeep
from components.naming import Identity
from components.resource import Resource, ResourceSet, Secret

from .specs import CLUSTER, INFERENCE, POOL, PROJECT, TRAINING, built, only, recorded, spec, training


def cluster(patch: dict[str, Any] | None = None, base: dict[str, Any] = TRAINING) -> Resource:
    return only(built(spec(base, patch)), CLUSTER)


@pytest.fixture(scope="module")
def made() -> ResourceSet:
    return built(training({"access": {"admins": ["group:platform@example.com"], "viewers": ["look@example.com"]}}))


@pytest.fixture(scope="module")
def plane(made: ResourceSet) -> Resource:
    return only(made, CLUSTER)


@pytest.mark.failure("D2")
def test_multi_networking_is_settled_at_creation_where_a_pool_has_a_fabric(plane: Resource) -> None:
    assert plane.inputs["enableMultiNetworking"] is True
    assert plane.inputs["datapathProvider"] == "ADVANCED_DATAPATH"
    assert plane.inputs["networkingMode"] == "VPC_NATIVE"


def test_without_a_fabric_there_is_nothing_to_settle() -> None:
    assert "enableMultiNetworking" not in cluster(base=INFERENCE).inputs


@pytest.mark.failure("D15")
def test_the_cluster_is_no_autopilot(plane: Resource) -> None:
    assert "enableAutopilot" not in plane.inputs


@pytest.mark.parametrize(
    ("zones", "location", "nodes"),
    [(["us-central1-a"], "us-central1-a", None), (["us-central1-a", "us-central1-b"], "us-central1", ["us-central1-a", "us-central1-b"])],
)
def test_one_zone_makes_a_zonal_cluster_and_several_a_regional_one(zones: list[str], location: str, nodes: list[str] | None) -> None:
    inputs = cluster({"network": {"zones": zones}}).inputs
    assert (inputs["location"], inputs.get("nodeLocations")) == (location, nodes)


@pytest.mark.failure("H14")
@pytest.mark.parametrize(("environment", "protected"), [("dev", False), ("staging", True), ("prod", True)])
def test_deletion_protection_is_always_written(environment: str, protected: bool) -> None:
    assert cluster({"environment": environment}).inputs["deletionProtection"] is protected


@pytest.mark.failure("D11")
def test_the_default_pool_goes_and_is_never_a_difference(plane: Resource) -> None:
    assert (plane.inputs["removeDefaultNodePool"], plane.inputs["initialNodeCount"]) == (True, 1)
    assert {"nodeConfig", "initialNodeCount"} <= set(plane.options.ignore_changes)


@pytest.mark.failure("D13")
def test_training_keeps_its_nodes_and_its_minor_version(plane: Resource) -> None:
    [exclusion] = plane.inputs["maintenancePolicy"]["maintenanceExclusions"]
    assert exclusion["exclusionOptions"] == {"scope": "NO_MINOR_OR_NODE_UPGRADES", "endTimeBehavior": "UNTIL_END_OF_SUPPORT"}


def test_inference_is_upgraded_in_its_window() -> None:
    policy = cluster(base=INFERENCE).inputs["maintenancePolicy"]
    assert set(policy) == {"recurringWindow"}


@pytest.mark.parametrize(("minor", "channel"), [("1.35", "REGULAR"), ("1.33", "EXTENDED")])
def test_a_version_past_its_standard_support_is_kept_in_the_extended_channel(
    minor: str, channel: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPUKIT_WORLD", "sandbox")
    monkeypatch.delenv("GPUKIT_NOW", raising=False)
    assert upkeep(training({"kubernetes_version": minor})).channel == channel


def test_nodes_are_private_and_only_named_networks_reach_a_public_api(plane: Resource) -> None:
    assert plane.inputs["privateClusterConfig"] == {"enablePrivateNodes": True, "enablePrivateEndpoint": False}
    assert plane.inputs["masterAuthorizedNetworksConfig"] == {"cidrBlocks": [{"cidrBlock": "203.0.113.0/24"}]}


def test_a_private_api_is_reached_by_nodes_alone() -> None:
    inputs = cluster({"access": {"api": "private", "api_cidrs": []}}).inputs
    assert inputs["privateClusterConfig"]["enablePrivateEndpoint"] is True
    assert inputs["masterAuthorizedNetworksConfig"] == {}


def test_pods_get_identities_of_their_own(plane: Resource) -> None:
    assert plane.inputs["workloadIdentityConfig"] == {"workloadPool": f"{PROJECT}.svc.id.goog"}


@pytest.mark.parametrize(("metrics", "components"), [("none", ["SYSTEM_COMPONENTS"]), ("cloud", ["SYSTEM_COMPONENTS", "DCGM", "JOBSET"])])
def test_metrics_of_gpus_are_collected_where_the_file_asks(metrics: str, components: list[str]) -> None:
    config = cluster({"monitoring": {"metrics": metrics}}).inputs["monitoringConfig"]
    assert config == {"enableComponents": components, "managedPrometheus": {"enabled": metrics == "cloud"}}


def test_storage_drivers_follow_the_storage() -> None:
    plain = cluster().inputs["addonsConfig"]
    assert "lustreCsiDriverConfig" not in plain
    assert plain["gcpFilestoreCsiDriverConfig"] == {"enabled": True}
    stored = cluster({"storage": {"buckets": [{"name": "sets"}], "shared_filesystem": {"tib": 17.578125, "mb_s_per_tib": 500}}}).inputs[
        "addonsConfig"
    ]
    assert stored["gcsFuseCsiDriverConfig"] == {"enabled": True}
    assert stored["lustreCsiDriverConfig"]["enabled"] is True


def test_a_key_of_ones_own_encrypts_secrets() -> None:
    key = "projects/p/locations/us-central1/keyRings/r/cryptoKeys/k"
    assert cluster({"encryption_key": key}).inputs["databaseEncryption"] == {"state": "ENCRYPTED", "keyName": key}


def test_owner_and_lease_stand_on_the_cluster_alone() -> None:
    made = built(training({"lease": {"expires": "2027-03-01"}}))
    labels = only(made, CLUSTER).inputs["resourceLabels"]
    assert (labels["gpukit-owner"], labels["gpukit-expires"]) == ("ml-platform", "2027-03-01")
    assert "gpukit-expires" not in only(made, POOL, "lab-h100").inputs["nodeConfig"]["resourceLabels"]


def test_iam_lets_people_find_the_cluster_and_bindings_say_what_they_may_do(made: ResourceSet) -> None:
    members = {r.inputs["member"]: r.inputs["role"] for r in made.of_type("gcp:projects/iAMMember:IAMMember") if "-at-" in r.name}
    assert members == dict.fromkeys(("group:platform@example.com", "user:look@example.com"), "roles/container.clusterViewer")
    bindings = made.of_type("kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding")
    assert {(b.inputs["subjects"][0]["kind"], b.inputs["roleRef"]["name"]) for b in bindings} == {
        ("Group", "cluster-admin"),
        ("User", "view"),
    }


def test_groups_are_found_through_the_group_of_their_domain(plane: Resource) -> None:
    assert plane.inputs["authenticatorGroupsConfig"] == {"securityGroup": "gke-security-groups@example.com"}
    assert "authenticatorGroupsConfig" not in cluster().inputs


@pytest.mark.parametrize(
    ("written", "kind", "member"),
    [
        ("a@example.com", "User", "user:a@example.com"),
        ("group:a@example.com", "Group", "group:a@example.com"),
        ("ci@p.iam.gserviceaccount.com", "User", "serviceAccount:ci@p.iam.gserviceaccount.com"),
    ],
)
def test_an_identity_is_known_to_kubernetes_and_to_iam(written: str, kind: str, member: str) -> None:
    assert (identified(written).kind, identified(written).member) == (kind, member)


@pytest.mark.failure("H7")
def test_a_new_kubeconfig_never_replaces_the_provider(made: ResourceSet) -> None:
    provider = only(made, "pulumi:providers:kubernetes")
    assert "clusterIdentifier" in provider.inputs


@pytest.mark.failure("H8")
def test_the_kubeconfig_is_secret_and_asks_googles_plugin(made: ResourceSet) -> None:
    assert isinstance(only(made, "pulumi:providers:kubernetes").inputs["kubeconfig"], Secret)
    text = json.dumps(exec_kubeconfig(name="lab", endpoint="192.0.2.1", authority="Y2E="))
    assert "gke-gcloud-auth-plugin" in text
    assert "token" not in text


@pytest.mark.parametrize(
    ("endpoint", "server"), [("192.0.2.1", "https://192.0.2.1"), ("http://127.0.0.1:1/gke/p/l/c", "http://127.0.0.1:1/gke/p/l/c")]
)
def test_an_address_gets_its_scheme_and_a_whole_one_keeps_its_own(endpoint: str, server: str) -> None:
    [entry] = exec_kubeconfig(name="lab", endpoint=endpoint, authority="")["clusters"]  # type: ignore[misc]
    assert entry["cluster"]["server"] == server


FIELDS: dict[str, Any] = {
    "cluster_name": "lab",
    "project": PROJECT,
    "location": "us-central1-a",
    "node_zones": ("us-central1-a",),
    "kubernetes_version": "1.35",
    "network": "n",
    "subnetwork": "s",
    "pod_range": "pods",
    "service_range": "services",
    "api": "public",
    "api_cidrs": (),
    "admins": (),
    "viewers": (),
    "deletion_protection": False,
    "upkeep": Upkeep(channel="REGULAR", spared=False),
    "features": Features(multi_networking=False, managed_metrics=False, jobs=False, buckets=False, lustre=False),
    "encryption_key": None,
    "owner": "o",
    "expires": None,
    "identity": Identity(cloud="gcp", stack="s", cluster="lab"),
}


def test_a_public_api_that_nobody_is_named_for_is_refused_before_the_first_resource() -> None:
    with pytest.raises(ValueError, match="api_cidrs"):
        ClusterArgs(**FIELDS)


def test_a_private_api_needs_no_names() -> None:
    private: dict[str, Any] = {**FIELDS, "api": "private"}
    resources = recorded(lambda: Cluster("lab", ClusterArgs(**private)) and None)
    assert only(resources, CLUSTER).inputs["location"] == "us-central1-a"
