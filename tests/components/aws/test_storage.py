"""Storage as a cluster's program registers it: what is closed, who may use what, and what a destroy leaves."""

from __future__ import annotations

import json
from typing import Any

import pytest

from components.aws.assembly import refusals
from components.aws.kept_types import KEPT_TYPES
from components.resource import Resource, ResourceSet

from .specs import REGION, built, only, training

BUCKET = "aws:s3/bucket:Bucket"
LUSTRE = "aws:fsx/lustreFileSystem:LustreFileSystem"
RULES = ("aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule")
CLAIM = "kubernetes:core/v1:PersistentVolumeClaim"
VOLUME = "kubernetes:core/v1:PersistentVolume"
P5 = {"machine": "p5.48xlarge", "zone": "us-east-1d", "capacity": {"mode": "spot"}}
BUCKETS = {"buckets": [{"name": "checkpoints", "use": "checkpoint"}, {"name": "scrap", "use": "scratch"}]}
SHARED = {"tib": 4.8, "mb_s_per_tib": 125, "mount": "/data"}
BOTH = {"storage": {**BUCKETS, "shared_filesystem": {**SHARED, "bucket": "checkpoints"}}}


@pytest.fixture(scope="module")
def made() -> ResourceSet:
    return built(training(BOTH))


def with_lustre(**patch: Any) -> dict[str, Any]:
    return {"storage": {"shared_filesystem": {**SHARED, **patch}}}


def of_bucket(made: ResourceSet, kind: str, bucket: str) -> Resource:
    return only(made, f"aws:s3/{kind[0].lower()}{kind[1:]}:{kind}", bucket)


def test_every_bucket_is_closed_to_the_public(made: ResourceSet) -> None:
    for bucket in ("checkpoints", "scrap"):
        inputs = of_bucket(made, "BucketPublicAccessBlock", bucket).inputs
        assert [inputs[k] for k in ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets")] == [True] * 4


def test_the_tls_policy_denies_everything_that_is_not_over_tls() -> None:
    from components.aws.bucket import tls_only

    [statement] = tls_only("arn:aws:s3:::b")["Statement"]  # pyright: ignore[reportGeneralTypeIssues]
    assert (statement["Effect"], statement["Action"], statement["Principal"]) == ("Deny", "s3:*", "*")
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    assert statement["Resource"] == ["arn:aws:s3:::b", "arn:aws:s3:::b/*"]


def test_only_checkpoints_are_versioned(made: ResourceSet) -> None:
    versioned = [r.name for r in made.of_type("aws:s3/bucketVersioning:BucketVersioning")]
    assert versioned == [of_bucket(made, "Bucket", "checkpoints").name]


def test_scratch_ends_checkpoints_lose_old_versions_and_no_upload_stays_half_done(made: ResourceSet) -> None:
    def rules(bucket: str) -> dict[str, Any]:
        return {r["id"]: r for r in of_bucket(made, "BucketLifecycleConfiguration", bucket).inputs["rules"]}

    assert set(rules("scrap")) == {"unfinished-uploads", "scratch"}
    assert set(rules("checkpoints")) == {"unfinished-uploads", "old-versions"}
    assert "expiration" not in rules("checkpoints")["old-versions"], "the newest checkpoint never ends by itself"


def test_a_policy_allows_these_buckets_and_no_setting_of_them() -> None:
    from components.aws.storage import use_of

    document = use_of(["arn:aws:s3:::one", "arn:aws:s3:::two"])
    text = json.dumps(document)
    assert '"*"' not in text
    assert "s3:*" not in text
    assert "arn:aws:s3:::one/*" in text
    assert "Put" not in text.replace("s3:PutObject", "")


def test_two_service_accounts_may_use_the_buckets_each_with_a_role_of_its_own(made: ResourceSet) -> None:
    associated = made.of_type("aws:eks/podIdentityAssociation:PodIdentityAssociation")
    mine = {(r.inputs["namespace"], r.inputs["serviceAccount"]) for r in associated}
    assert {("training", "data"), ("kube-system", "s3-csi-driver-sa")} <= mine
    role = only(made, "aws:iam/role:Role", "s3-driver")
    [statement] = json.loads(str(role.inputs["assumeRolePolicy"]))["Statement"]
    assert statement["Condition"]["StringEquals"] == {
        "aws:RequestTag/eks-cluster-name": "lab",
        "aws:RequestTag/kubernetes-namespace": "kube-system",
        "aws:RequestTag/kubernetes-service-account": "s3-csi-driver-sa",
    }


def test_every_bucket_and_the_file_system_have_a_claim_with_its_mount(made: ResourceSet) -> None:
    mounts = {str(r.inputs["metadata"]["name"]): r.inputs["metadata"]["annotations"]["gpukit/mount"] for r in made.of_type(CLAIM)}
    assert mounts == {"checkpoints": "/buckets/checkpoints", "scrap": "/buckets/scrap", "shared": "/data"}
    assert {r.inputs["spec"]["persistentVolumeReclaimPolicy"] for r in made.of_type(VOLUME)} == {"Retain"}


def test_data_and_what_it_cannot_do_without_outlive_the_stack_and_nothing_else_does(made: ResourceSet) -> None:
    network = {f"aws:{kind}" for kind in ("ec2/securityGroup:SecurityGroup", "ec2/subnet:Subnet", "ec2/vpc:Vpc")}
    kept = {r.type for r in made if r.options.retain_on_delete}
    assert kept == KEPT_TYPES | network | set(RULES)
    loose = [r.name for r in made if r.options.retain_on_delete and "tags" in r.inputs and r.inputs["tags"].get("gpukit/kept") != "data"]
    assert loose == [], "the sweep would take it for a leftover"


def test_without_a_file_system_the_network_goes_with_the_stack() -> None:
    made = built(training({"storage": BUCKETS}))
    assert [r.name for r in made.of_type("aws:ec2/vpc:Vpc") if r.options.retain_on_delete] == []


def test_the_file_system_is_of_the_size_and_zone_that_were_asked_for(made: ResourceSet) -> None:
    inputs = only(made, LUSTRE).inputs
    assert (inputs["storageCapacity"], inputs["perUnitStorageThroughput"], inputs["deploymentType"]) == (4800, 125, "PERSISTENT_2")
    assert "efaEnabled" not in inputs


def test_a_file_system_of_an_efa_size_beside_an_efa_pool_offers_efa() -> None:
    made = built(training({"pools": P5, **with_lustre(tib=9.6, mb_s_per_tib=500)}))
    inputs = only(made, LUSTRE).inputs
    assert inputs["efaEnabled"] is True
    assert inputs["metadataConfiguration"] == {"mode": "AUTOMATIC"}


@pytest.mark.failure("A1")
def test_servers_with_efa_let_all_traffic_among_themselves_and_with_the_fabric() -> None:
    made = built(training({"pools": P5, **with_lustre(tib=9.6, mb_s_per_tib=500)}))
    mine = [r for kind in RULES for r in made.of_type(kind) if "shared" in r.name]
    everything = {r.name.partition("shared-")[2] for r in mine if r.inputs["ipProtocol"] == "-1"}
    assert {"self-in", "self-out", "fabric-in", "fabric-out", "from-fabric-in", "from-fabric-out"} == everything


def test_without_efa_the_ports_of_lustre_are_open_and_no_others(made: ResourceSet) -> None:
    mine = [r for kind in RULES for r in made.of_type(kind) if "shared" in r.name]
    assert {(r.inputs["fromPort"], r.inputs["toPort"]) for r in mine} == {(988, 988), (1018, 1023)}
    assert {r.inputs["ipProtocol"] for r in mine} == {"tcp"}


def test_without_storage_nothing_of_it_is_built() -> None:
    made = built(training())
    assert [r.name for r in made if r.type.startswith(("aws:s3/", "aws:fsx/"))] == []


@pytest.mark.parametrize(
    ("shared", "path", "words"),
    [
        ({"tib": 5.0}, "storage.shared_filesystem.tib", "4.8 or 7.2"),
        ({"mb_s_per_tib": 300}, "storage.shared_filesystem.mb_s_per_tib", "125"),
        ({"tier": "SCRATCH_2"}, "storage.shared_filesystem.tier", "PERSISTENT_2"),
    ],
)
def test_sizes_that_aws_does_not_sell_are_refused_with_those_it_does(shared: dict[str, Any], path: str, words: str) -> None:
    [refusal] = refusals(training(with_lustre(**shared)), REGION)
    assert refusal.path == path
    assert words in str(refusal)


def test_a_bucket_name_that_s3_would_refuse_is_refused() -> None:
    patch = {"name": "a" * 30, "storage": {"buckets": [{"name": "b" * 30}]}}
    [refusal] = refusals(training(patch), REGION)
    assert refusal.path == "storage.buckets[0].name"
