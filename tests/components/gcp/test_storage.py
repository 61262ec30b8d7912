from __future__ import annotations

from typing import Any

import pytest

from components.gcp.kept_types import KEPT_TYPES
from components.resource import ResourceSet

from .specs import NETWORK, built, only, training

BUCKET, LUSTRE = "gcp:storage/bucket:Bucket", "gcp:lustre/instance:Instance"
VOLUME = "kubernetes:core/v1:PersistentVolume"
USES = ("checkpoint", "dataset", "model", "scratch")
STORED: dict[str, Any] = {
    "storage": {
        "buckets": [{"name": use, "use": use} for use in USES],
        "shared_filesystem": {"tib": 17.578125, "mb_s_per_tib": 500},
    }
}


@pytest.fixture(scope="module")
def made() -> ResourceSet:
    return built(training(STORED))


@pytest.mark.parametrize("use", USES)
def test_a_bucket_is_private_has_folders_and_ends_what_never_finished(made: ResourceSet, use: str) -> None:
    bucket = only(made, BUCKET, use).inputs
    assert bucket["hierarchicalNamespace"] == {"enabled": True}
    assert (bucket["publicAccessPrevention"], bucket["uniformBucketLevelAccess"]) == ("enforced", True)
    assert bucket["forceDestroy"] is False
    assert "AbortIncompleteMultipartUpload" in {rule["action"]["type"] for rule in bucket["lifecycleRules"]}


@pytest.mark.parametrize(("use", "days"), [("checkpoint", 30), ("dataset", 7), ("scratch", 0)])
def test_what_was_overwritten_comes_back_for_as_long_as_it_is_worth(made: ResourceSet, use: str, days: int) -> None:
    assert only(made, BUCKET, use).inputs["softDeletePolicy"] == {"retentionDurationSeconds": days * 86_400}


def test_scratch_ends_by_itself_and_nothing_else_does(made: ResourceSet) -> None:
    deleting = {b.name for b in made.of_type(BUCKET) if "Delete" in {r["action"]["type"] for r in b.inputs["lifecycleRules"]}}
    assert deleting == {"lab-scratch"}


def test_a_destroy_leaves_data_and_what_it_cannot_do_without(made: ResourceSet) -> None:
    kept = {r.name for r in made if r.options.retain_on_delete}
    assert kept == {"lab-vpc", "lab-shared", *(f"lab-{use}" for use in USES)}
    assert {r.type for r in made if r.options.retain_on_delete} == KEPT_TYPES | {NETWORK}
    assert only(made, BUCKET, "model").inputs["labels"]["gpukit-kept"] == "data"


def test_without_a_file_system_nothing_of_the_network_is_kept() -> None:
    assert only(built(training()), NETWORK, "lab-vpc").options.retain_on_delete is False


def test_pods_under_one_account_use_these_buckets_and_no_setting_of_them(made: ResourceSet) -> None:
    grants = made.of_type("gcp:storage/bucketIAMMember:BucketIAMMember")
    assert {grant.inputs["role"] for grant in grants} == {"roles/storage.objectUser"}
    assert len(grants) == len(USES)
    identity = only(made, "gcp:serviceaccount/iAMMember:IAMMember").inputs
    assert identity["member"] == "serviceAccount:ml-platform-dev.svc.id.goog[training/data]"


def test_buckets_and_file_system_are_mounted_by_googles_drivers(made: ResourceSet) -> None:
    drivers = {volume.name: volume.inputs["spec"]["csi"]["driver"] for volume in made.of_type(VOLUME)}
    assert drivers == {"lab-shared": "lustre.csi.storage.gke.io", **{f"lab-{use}": "gcsfuse.csi.storage.gke.io" for use in USES}}


def test_the_file_system_stands_beside_the_pool_with_the_fabric(made: ResourceSet) -> None:
    lustre = only(made, LUSTRE).inputs
    assert (lustre["location"], lustre["capacityGib"], lustre["perUnitStorageThroughput"]) == ("us-central1-a", "18000", "500")
    assert lustre["gkeSupportEnabled"] is True


def test_googles_network_gets_a_range_of_the_plan_and_may_answer_on_lustres_ports(made: ResourceSet) -> None:
    lent = only(made, "gcp:compute/globalAddress:GlobalAddress").inputs
    assert (lent["address"], lent["prefixLength"], lent["purpose"]) == ("10.64.32.0", 20, "VPC_PEERING")
    rule = only(made, "gcp:compute/firewall:Firewall", "lab-shared").inputs
    assert rule["sourceRanges"] == ["10.64.32.0/20"]
    assert rule["allows"] == [{"protocol": "tcp", "ports": ["988", "6988"]}]


def test_an_existing_network_is_expected_to_reach_googles_already() -> None:
    existing = {
        "network": "n",
        "node_subnets": {"us-central1-a": "s"},
        "pod_range": "p",
        "service_range": "v",
        "fabric_cidr": "10.9.0.0/18",
    }
    resources = built(training({**STORED, "network": {"existing": existing}}))
    assert resources.of_type("gcp:compute/globalAddress:GlobalAddress") == ()
    assert only(resources, LUSTRE).inputs["network"] == "projects/ml-platform-dev/global/networks/n"
