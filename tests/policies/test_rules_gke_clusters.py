"""GPU-GKE-40 to 47: the cluster around the pools."""

from __future__ import annotations

from typing import Any

import pytest

from components.unknown import Unknown
from policies import Level, Status
from policies.readers import gcp_types as gcp
from tests.policies.gcp_raw import a3_mega, accelerator, cluster, inference, judged, network, rdma
from tests.policies.raw import Raw

SCOPE = ("maintenancePolicy", "maintenanceExclusions", 0, "exclusionOptions", "scope")


@pytest.mark.parametrize("program", [a3_mega(), rdma(), inference(), cluster()])
@pytest.mark.parametrize("rule", [f"GPU-GKE-{n}" for n in range(40, 48)])
def test_good_programs_are_silent(program: Raw, rule: str) -> None:
    assert judged(program, rule) == []


@pytest.mark.failure("H14")
def test_deletion_protection_left_out_is_refused() -> None:
    (finding,) = judged(cluster().set("gke", None, "deletionProtection"), "GPU-GKE-40")
    assert (finding.status, finding.fails, finding.path) == (Status.VIOLATED, True, "deletionProtection")
    assert finding.message == (
        "gke: deletionProtection is not given, which means true: a destroy fails at the cluster, after its pools are gone. "
        "Write it out: true for what must stay, false for a stack that ends."
    )


@pytest.mark.failure("H14")
@pytest.mark.parametrize("value", [True, False, "true"])
def test_either_word_repairs_it(value: object) -> None:
    assert judged(cluster().set("gke", value, "deletionProtection"), "GPU-GKE-40") == []


def test_unknown_protection_is_unknown() -> None:
    (finding,) = judged(cluster().hide("gke", "deletionProtection"), "GPU-GKE-40")
    assert finding.status is Status.UNKNOWN


@pytest.mark.failure("D13")
@pytest.mark.parametrize("path", [("maintenancePolicy",), (*SCOPE[:3], "exclusionOptions")])
def test_upgrades_of_nodes_that_work_together_need_an_exclusion(path: tuple[str | int, ...]) -> None:
    program = a3_mega().set("gke", "NO_MINOR_UPGRADES", *SCOPE) if len(path) > 1 else a3_mega().set("gke", None, *path)
    (finding,) = judged(program, "GPU-GKE-41")
    assert (finding.status, finding.level, finding.urn) == (Status.VIOLATED, Level.ADVISORY, program.urn("h100"))


@pytest.mark.failure("D13")
@pytest.mark.parametrize(
    "program",
    [
        a3_mega().set("gke", "NO_UPGRADES", *SCOPE),
        a3_mega().set("gke", None, "maintenancePolicy").set("h100", False, "management", "autoUpgrade"),
        inference().set("gke", None, "maintenancePolicy"),
    ],
)
def test_an_exclusion_or_no_upgrades_repairs_it(program: Raw) -> None:
    assert judged(program, "GPU-GKE-41") == []


@pytest.mark.parametrize("path", [("maintenancePolicy",), SCOPE])
def test_exclusions_that_cannot_be_read_are_unknown(path: tuple[str | int, ...]) -> None:
    (finding,) = judged(a3_mega().hide("gke", *path), "GPU-GKE-41")
    assert finding.status is Status.UNKNOWN


def test_a_cluster_made_elsewhere_leaves_upgrades_unchecked() -> None:
    program = a3_mega().without("gke", "system", "operator").set("h100", "shared", "cluster")
    (finding,) = judged(program, "GPU-GKE-41")
    assert finding.status is Status.UNCHECKED


@pytest.mark.failure("B14")
@pytest.mark.parametrize("settings", [None, {"maxSurge": 1}, {"strategy": "BLUE_GREEN"}])
def test_a_reserved_pool_that_surges_is_told(settings: dict[str, Any] | None) -> None:
    (finding,) = judged(rdma().set("h200", settings, "upgradeSettings"), "GPU-GKE-42")
    assert (finding.status, finding.level) == (Status.VIOLATED, Level.ADVISORY)


@pytest.mark.failure("B14")
def test_taking_a_node_away_first_repairs_it() -> None:
    assert judged(rdma().set("h200", {"maxUnavailable": 1}, "upgradeSettings"), "GPU-GKE-42") == []


def test_an_unknown_surge_is_unknown() -> None:
    (finding,) = judged(rdma().hide("h200", "upgradeSettings"), "GPU-GKE-42")
    assert finding.status is Status.UNKNOWN


def test_upgrades_that_may_do_nothing_are_refused() -> None:
    (finding,) = judged(inference().set("l4", {"maxSurge": 0, "maxUnavailable": 0}, "upgradeSettings"), "GPU-GKE-42")
    assert "GKE refuses" in finding.message


def provisioned(*limits: tuple[str, int]) -> Raw:
    written = [{"resourceType": kind, "maximum": most} for kind, most in limits]
    return cluster().set("gke", {"enabled": True, "resourceLimits": written}, "clusterAutoscaling")


@pytest.mark.failure("D9")
def test_gpus_by_auto_provisioning_are_told() -> None:
    (finding,) = judged(provisioned(("cpu", 100), ("memory", 400), ("nvidia-l4", 8)), "GPU-GKE-43")
    assert (finding.level, "may make pools of nvidia-l4" in finding.message) == (Level.ADVISORY, True)


@pytest.mark.failure("D9")
def test_auto_provisioning_of_cpus_alone_passes() -> None:
    assert judged(provisioned(("cpu", 100), ("memory", 400)), "GPU-GKE-43") == []


def test_limits_that_cannot_be_read_are_unknown() -> None:
    (finding,) = judged(provisioned().set("gke", Unknown("x"), "clusterAutoscaling", "resourceLimits"), "GPU-GKE-43")
    assert finding.status is Status.UNKNOWN


def asking(program: Raw, provisioning_class: str = "queued-provisioning.gke.io") -> Raw:
    return program.add(gcp.PROVISIONING_CONFIGS[0], "dws", metadata={"name": "dws"}, spec={"provisioningClassName": provisioning_class})


@pytest.mark.failure("D14")
def test_queued_jobs_without_a_pool_made_for_them_are_told() -> None:
    (finding,) = judged(asking(inference()), "GPU-GKE-44")
    assert (finding.status, finding.level) == (Status.VIOLATED, Level.ADVISORY)


@pytest.mark.failure("D14")
def test_a_pool_for_queued_provisioning_repairs_it() -> None:
    assert judged(asking(inference().set("l4", {"enabled": True}, "queuedProvisioning")), "GPU-GKE-44") == []
    assert judged(asking(inference(), "check-capacity.autoscaling.x-k8s.io"), "GPU-GKE-44") == []


@pytest.mark.failure("F10")
@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("nodeConfig", "spot"), True),
        (("nodeConfig", "flexStart"), True),
        (("nodeConfig", "taints"), [{"key": "only", "value": "gpu", "effect": "NO_EXECUTE"}]),
        (("autoscaling", "totalMinNodeCount"), 0),
    ],
)
def test_a_cluster_without_nodes_for_its_own_pods_is_refused(path: tuple[str, ...], value: object) -> None:
    program = inference().set("system", value, *path)
    (finding,) = judged(program, "GPU-GKE-45")
    assert (finding.urn, finding.fails) == (program.urn("gke"), True)


@pytest.mark.failure("F10")
@pytest.mark.parametrize("taint", [[], [{"key": "slow", "value": "", "effect": "PREFER_NO_SCHEDULE"}]])
def test_a_pool_of_cpus_repairs_it(taint: list[dict[str, str]]) -> None:
    assert judged(inference().set("system", taint, "nodeConfig", "taints"), "GPU-GKE-45") == []


@pytest.mark.parametrize("path", [("nodeConfig", "taints"), ("nodeConfig", "spot"), ("autoscaling",)])
def test_nodes_that_cannot_be_told_are_unknown(path: tuple[str, ...]) -> None:
    (finding,) = judged(inference().hide("system", *path), "GPU-GKE-45")
    assert (finding.status, finding.fails) == (Status.UNKNOWN, True)


def test_the_clusters_own_default_pool_counts() -> None:
    program = inference().without("system").set("gke", False, "removeDefaultNodePool")
    assert judged(program, "GPU-GKE-45") == []


@pytest.mark.failure("J4")
@pytest.mark.parametrize("nat", [True, False])
def test_private_nodes_without_private_google_access_are_refused(nat: bool) -> None:
    program = cluster().set("nodes", None, "privateIpGoogleAccess")
    program = program if nat else program.without("nat")
    (finding,) = judged(program, "GPU-GKE-46")
    assert (finding.urn, finding.fails) == (program.urn("nodes"), True)
    assert ("passes the NAT" in finding.message) is nat


@pytest.mark.failure("J4")
def test_private_google_access_repairs_it() -> None:
    assert judged(cluster(), "GPU-GKE-46") == []
    assert judged(cluster().set("nodes", None, "privateIpGoogleAccess").set("gke", None, "privateClusterConfig"), "GPU-GKE-46") == []


@pytest.mark.parametrize(
    ("program", "status"),
    [
        (cluster().hide("gke", "privateClusterConfig"), Status.UNKNOWN),
        (cluster().hide("nodes", "privateIpGoogleAccess"), Status.UNKNOWN),
        (cluster().set("gke", "projects/host/regions/us-central1/subnetworks/shared", "subnetwork"), Status.UNCHECKED),
    ],
)
def test_access_that_cannot_be_told_is_no_pass(program: Raw, status: Status) -> None:
    assert [f.status for f in judged(program, "GPU-GKE-46")] == [status]


def test_a_program_without_a_cluster_has_nothing_to_say() -> None:
    assert [judged(network(), f"GPU-GKE-{n}") for n in range(40, 48)] == [[]] * 8


def test_gpu_pools_inside_the_cluster_are_advised_against_and_others_not() -> None:
    gpu = {"machineType": "g2-standard-8", "guestAccelerators": [accelerator("nvidia-l4", 1)]}
    pools = [{"name": "cpu", "nodeConfig": {"machineType": "e2-standard-4"}}, {"name": "gpu", "nodeConfig": gpu}]
    (finding,) = judged(cluster().set("gke", pools, "nodePools"), "GPU-GKE-47")
    assert (finding.level, finding.path) == (Level.ADVISORY, "nodePools[1].nodeConfig")
    assert judged(inference(), "GPU-GKE-47") == []
