"""What the examples do not show of the rules: other spellings of the same fault, other repairs, and facts that are missing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from components.inventory import Owner
from components.unknown import Unknown
from policies import Finding, Status, evaluate
from policies.judge import judge
from policies.readers import inventory, types
from policies.rules.pods import closed_by, tolerates
from policies.rules.pools import version
from tests.policies.raw import SETTINGS, Raw, said, training

JOB = "kubernetes:batch/v1:Job"
GPU = {"nvidia.com/gpu": "8"}
NEVER = Unknown("x")


def of(program: Raw, rule: str) -> list[Finding]:
    return said(evaluate(program.built(), SETTINGS), rule)


def statuses(program: Raw, rule: str) -> list[Status]:
    return [f.status for f in of(program, rule)]


def job(container: dict[str, Any], spec: dict[str, Any] | None = None, **more: Any) -> Raw:
    pod = {"containers": [{"name": "main", **container}], **(spec or {})}
    return training().plus(JOB, "train", metadata={"name": "train"}, spec={"template": {"spec": pod}, **more})


@pytest.mark.parametrize(
    ("said_", "numbers"), [("v0.5.10", (0, 5, 10)), ("1.35.0-gke.1", (1, 35, 0)), ("1.34", (1, 34)), ("", ()), (None, ()), ("next", ())]
)
def test_versions_are_read_up_to_what_is_no_number(said_: str | None, numbers: tuple[int, ...]) -> None:
    assert version(said_) == numbers


@pytest.mark.parametrize(
    ("toleration", "covered"),
    [
        ({"operator": "Exists"}, True),
        ({"key": "gpu", "operator": "Exists"}, True),
        ({"key": "gpu", "value": "yes"}, True),
        ({"key": "gpu", "value": "no"}, False),
        ({"key": "gpu", "operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "other", "operator": "Exists"}, False),
    ],
)
def test_a_toleration_covers_a_taint_by_key_value_and_effect(toleration: dict[str, str], covered: bool) -> None:
    assert tolerates((toleration,), "gpu=yes:NO_SCHEDULE") is covered
    assert closed_by(("gpu=yes:NO_SCHEDULE",), (toleration,)) == (() if covered else ("gpu=yes:NO_SCHEDULE",))


def test_a_soft_taint_keeps_nobody_away_and_a_hidden_toleration_may_cover() -> None:
    assert tolerates((), "a=b:PREFER_NO_SCHEDULE") is True
    assert isinstance(closed_by(("a=b:NO_SCHEDULE",), ({"key": NEVER},)), Unknown)


@pytest.mark.parametrize(
    ("container", "spec"),
    [
        ({"resources": NEVER}, {}),
        ({"resources": {"limits": {"nvidia.com/gpu": NEVER}}}, {}),
        ({"resources": {"requests": NEVER}}, {}),
        ({"resources": {"limits": GPU}}, {"tolerations": NEVER}),
        ({"resources": {"limits": GPU}}, {"tolerations": [{"key": NEVER}]}),
        ({"resources": {"limits": GPU}}, {"nodeSelector": NEVER}),
        ({}, {"containers": NEVER}),
    ],
)
def test_a_pod_of_which_something_is_missing_is_no_pass(container: dict[str, Any], spec: dict[str, Any]) -> None:
    assert statuses(job(container, spec), "GPU-READ-01") == [Status.UNKNOWN]


def test_a_number_of_gpu_pods_that_is_missing_is_no_pass() -> None:
    assert statuses(job({"resources": {"limits": GPU}}, parallelism=NEVER), "GPU-READ-01") == [Status.UNKNOWN]


@pytest.mark.parametrize("spec", [{"type": NEVER}, NEVER])
def test_a_service_that_may_make_a_load_balancer_is_no_pass(spec: Any) -> None:
    program = training().plus("kubernetes:core/v1:Service", "web", metadata={"name": "web"}, spec=spec)
    assert statuses(program, "GPU-READ-01") == [Status.UNKNOWN]


def test_an_add_on_without_a_known_name_is_no_pass() -> None:
    assert statuses(training().plus(types.ADD_ON, "x", addonName=NEVER, clusterName="@eks"), "GPU-READ-01") == [Status.UNKNOWN]


@pytest.mark.failure("K3")
@pytest.mark.parametrize(("spec", "fails"), [({}, True), ({"volumeName": "v"}, False), ({"storageClassName": ""}, False)])
def test_a_claim_on_a_new_disk_is_deleted_and_one_on_an_old_volume_may_be_forgotten(spec: dict[str, Any], fails: bool) -> None:
    program = training().plus("kubernetes:core/v1:PersistentVolumeClaim", "data", metadata={"name": "data"}, spec=spec)
    assert bool(of(program.with_options("data", deleted_with=program.urn("eks")), "GPU-KUBE-05")) is fails


@pytest.mark.failure("F3")
@pytest.mark.parametrize(("tolerations", "fails"), [(None, True), ([{"operator": "Exists"}], False)])
def test_the_efa_plugin_tolerates_nothing_by_itself(tolerations: Any, fails: bool) -> None:
    program = training().set("gpu", [{"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}], "taints")
    values = {} if tolerations is None else {"tolerations": tolerations}
    assert bool(of(program.plus(types.RELEASE, "efa", chart="aws-efa-k8s-device-plugin", values=values), "GPU-SCALE-03")) is fails


def test_a_pool_that_never_falls_to_no_node_needs_no_hint_and_a_neuron_pool_no_label() -> None:
    program = training().plus(types.RELEASE, "ca", chart="cluster-autoscaler")
    assert of(program, "GPU-SCALE-01")
    assert of(program.set("gpu", 1, "scalingConfig", "minSize"), "GPU-SCALE-01") == []
    assert of(program.set("p4d", "trn1.32xlarge", "instanceType"), "GPU-SCALE-02") == []


@pytest.mark.failure("G2")
@pytest.mark.parametrize(
    ("resources", "status"),
    [
        ([{"name": "nvidia.com/gpu", "nominalQuota": 33}], [Status.VIOLATED]),
        ([{"name": "cpu", "nominalQuota": 900}, {"name": "nvidia.com/gpu", "nominalQuota": "32"}], []),
        (NEVER, [Status.UNKNOWN]),
    ],
)
def test_queues_are_held_against_the_pools(resources: Any, status: list[Status]) -> None:
    spec = {"resourceGroups": [{"flavors": [{"resources": resources}]}]}
    program = training().plus("kubernetes:kueue.x-k8s.io/v1beta2:ClusterQueue", "q", metadata={"name": "q"}, spec=spec)
    assert statuses(program, "GPU-SCALE-07") == status
    hidden = program.set("gpu", NEVER, "launchTemplate").set("gpu", NEVER, "instanceTypes")
    assert statuses(hidden, "GPU-SCALE-07") == [Status.UNKNOWN]


@pytest.mark.failure("A6")
@pytest.mark.parametrize("cidr", [None, "10.0.0.0/99", NEVER])
def test_a_subnet_whose_size_is_not_known_is_no_pass(cidr: Any) -> None:
    assert statuses(training().set("private", cidr, "cidrBlock"), "GPU-NET-02") == [Status.UNKNOWN]


def test_subnets_outside_the_program_say_nothing() -> None:
    program = training().set("gpu", ["subnet-0123"], "subnetIds")
    assert of(program, "GPU-NET-02") == of(program, "GPU-NET-03") == []


@pytest.mark.failure("B7")
def test_a_groups_own_version_decides_about_its_image() -> None:
    program = training().set("gpu", "AL2_x86_64_GPU", "amiType")
    assert statuses(program.set("gpu", "1.32", "version"), "GPU-IMG-01") == []
    assert statuses(program.set("gpu", "1.33", "version"), "GPU-IMG-01") == [Status.VIOLATED]
    assert statuses(program.set("gpu", "elsewhere", "clusterName"), "GPU-IMG-01") == [Status.UNKNOWN]
    assert "default version" in of(program.set("eks", None, "version"), "GPU-IMG-01")[0].message


@pytest.mark.failure("C11")
def test_the_operators_driver_on_ones_own_image_for_b200_is_pointed_out() -> None:
    program = training().set("p4d", "p6-b200.48xlarge", "instanceType").set("p4d", "ami-1", "imageId").set("gpu", None, "amiType")
    resources = program.built()
    facts = inventory(resources)
    pools = tuple(replace(pool, driver_owners=(Owner.GPU_OPERATOR,)) if pool.name == "gpu" else pool for pool in facts.pools)
    assert any("nvlsm" in f.message for f in said(judge(replace(facts, pools=pools), SETTINGS), "GPU-IMG-05"))


@pytest.mark.failure("A8")
def test_two_subnets_of_unknown_zones_may_share_one() -> None:
    program = (
        training()
        .plus(types.SUBNET, "other", cidrBlock="10.0.16.0/20", availabilityZone=NEVER)
        .set("gpu", ["@private", "@other"], "subnetIds")
    )
    assert statuses(program, "GPU-ZONE-03") == [Status.UNKNOWN]


@pytest.mark.failure("I1")
@pytest.mark.parametrize(("driver", "fails"), [("550.54.15", True), ("580.95.05", False), ("latest", False)])
def test_the_operators_driver_decides_where_it_installs_it(driver: str, fails: bool) -> None:
    program = job({"image": "nvcr.io/nvidia/tritonserver:25.10-py3", "resources": {"limits": GPU}})
    program = program.set("gpu", "AL2023_x86_64_STANDARD", "amiType").set("operator", {"driver": {"version": driver}}, "values")
    assert bool(of(program, "GPU-SERVE-01")) is fails


def test_images_that_are_none_of_nvidias_and_pools_out_of_reach_are_not_judged() -> None:
    program = job({"image": "train:1", "resources": {"limits": GPU}})
    assert of(program, "GPU-SERVE-01") == []
    away = job({"image": "nvcr.io/nvidia/tritonserver:25.10-py3", "resources": {"limits": GPU}}, {"nodeSelector": {"pool": "b"}})
    assert of(away.set("gpu", {"pool": "a"}, "labels"), "GPU-SERVE-01") == []


SLICED = "sharing: {timeSlicing: {renameByDefault: true, failRequestsGreaterThanOne: true, resources: []}}"


@pytest.mark.failure("I6")
@pytest.mark.parametrize(
    ("config", "labels", "status"),
    [
        ({"data": {"a": SLICED}, "default": "a"}, {}, [Status.VIOLATED]),
        ({"data": {"a": SLICED}}, {"nvidia.com/device-plugin.config": "a"}, [Status.VIOLATED]),
        ({"data": {"a": SLICED, "b": "version: v1"}, "default": "b"}, {}, []),
        ({"data": {"a": "sharing: {mps: {}}"}, "default": "a"}, {}, []),
        ({"data": {"a": 3}, "default": "a"}, {}, [Status.UNKNOWN, Status.UNKNOWN]),
        ({"data": NEVER}, {}, [Status.UNKNOWN, Status.UNKNOWN]),
    ],
)
def test_slices_on_a_pool_with_a_fabric_are_refused(config: Any, labels: Any, status: list[Status]) -> None:
    program = training().set("operator", {"devicePlugin": {"config": config}}, "values").set("gpu", labels, "labels")
    assert statuses(program, "GPU-SERVE-02") == status


@pytest.mark.failure("J9")
def test_a_chart_of_the_ebs_driver_and_its_storage_class_count_like_the_add_on() -> None:
    chart = training().plus(types.RELEASE, "ebs", chart="aws-ebs-csi-driver", values={})
    assert statuses(chart, "GPU-TAG-01") == [Status.VIOLATED]
    tagged = {"tagSpecification_1": "team=research"}
    storage = chart.plus("kubernetes:storage.k8s.io/v1:StorageClass", "gp3", provisioner="ebs.csi.aws.com", parameters=tagged)
    assert statuses(storage, "GPU-TAG-01") == []
    other = training().plus(types.ADD_ON, "dns", addonName="coredns", clusterName="@eks")
    assert statuses(other, "GPU-TAG-01") == []


@pytest.mark.failure("G6")
def test_a_pod_that_takes_part_of_a_node_may_be_small() -> None:
    assert of(job({"resources": {"limits": {"nvidia.com/gpu": "1", "memory": "8Gi"}}}), "GPU-JOB-06") == []
    assert of(job({"resources": {"limits": {"nvidia.com/gpu": "8", "memory": "8Gi"}}}), "GPU-JOB-06")


def test_a_pod_that_asks_for_more_gpus_than_a_node_has_never_starts() -> None:
    assert "which is 8" in of(job({"resources": {"limits": {"nvidia.com/gpu": "16"}}}), "GPU-JOB-08")[0].message


def two_clusters() -> Raw:
    """The operator belongs to another cluster than the pool."""
    program = training().plus(types.CLUSTER, "other", version="1.35").plus(types.KUBERNETES_PROVIDER, "k8s", kubeconfig="@other")
    program.written["operator"].provider = "k8s"
    return program.set("operator", {"devicePlugin": {"config": {"data": {"a": SLICED}, "default": "a"}}}, "values")


def test_a_chart_of_another_cluster_is_not_held_against_the_pool() -> None:
    program = two_clusters().set("gpu", [{"key": "team", "value": "a", "effect": "NO_SCHEDULE"}], "taints")
    assert of(program, "GPU-SERVE-02") == of(program, "GPU-SCALE-03") == []


def test_an_image_that_is_not_known_is_no_pass() -> None:
    assert statuses(job({"image": NEVER, "resources": {"limits": GPU}}), "GPU-SERVE-01") == [Status.UNKNOWN]


def test_a_pool_whose_driver_nobody_knows_is_not_judged_by_its_driver() -> None:
    program = job({"image": "nvcr.io/nvidia/tritonserver:25.10-py3", "resources": {"limits": GPU}})
    assert of(program.set("p4d", "ami-1", "imageId").set("gpu", None, "amiType"), "GPU-SERVE-01") == []


@pytest.mark.failure("A9")
def test_a_reservation_whose_placement_group_is_hidden_is_no_pass() -> None:
    target = {"capacityReservationTarget": {"capacityReservationId": "@kept"}}
    program = (
        training().plus(types.CAPACITY_RESERVATION, "kept", placementGroupArn=NEVER).plus(types.PLACEMENT_GROUP, "mine", strategy="cluster")
    )
    program = program.set("p4d", target, "capacityReservationSpecification").set("p4d", {"groupName": "@mine"}, "placement")
    assert statuses(program, "GPU-CAP-03") == [Status.UNKNOWN]
