"""Rules on GKE and AKS, on facts as their readers give them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from components.inventory import Chart, ControlPlane, GpuPool, Image, Inventory, Manifest, Market, NodeCount
from components.unknown import Maybe, Unknown
from policies import Finding, Level, Status
from policies.judge import judge
from tests.policies.raw import SETTINGS, said

POOL = GpuPool(
    urn="urn:pulumi:dev::p::gcp:container/nodePool:NodePool::gpu",
    name="gpu",
    cloud="gcp",
    region="us-central1",
    machines=("a2-highgpu-8g",),
    market=Market.ON_DEMAND,
    nodes=NodeCount(minimum=0, desired=0, maximum=1),
    zones=("us-central1-a",),
    image=Image(kind="COS_CONTAINERD", driver=True, path="nodeConfig.imageType"),
    cluster="gke",
)
PLANE = ControlPlane(urn="gke", name="gke", cloud="gcp", region="us-central1", version="1.34.1-gke.100", deletion_protection=False)


def operator(**values: object) -> Chart:
    return Chart(urn="operator", name="operator", chart="gpu-operator", version=None, namespace="gpu", values=values)


def quota(namespace: Maybe[str | None] = "gpu", classes: object = ("system-node-critical",)) -> Manifest:
    entry = {"scopeName": "PriorityClass", "operator": "In", "values": list(classes) if isinstance(classes, tuple) else classes}
    body = {"spec": {"scopeSelector": {"matchExpressions": [entry]}}}
    return Manifest(urn="quota", group="", kind="ResourceQuota", name="critical", namespace=namespace, body=body)


def judged(rule: str, pool: GpuPool = POOL, *, charts: tuple[Chart, ...] = (), manifests: tuple[Manifest, ...] = ()) -> list[Finding]:
    facts = Inventory(project="p", stack="dev", pools=(pool,), control_planes=(PLANE,), charts=charts, manifests=manifests)
    return said(judge(facts, SETTINGS), rule)


@pytest.mark.failure("C4")
@pytest.mark.parametrize("manifests", [(), (quota("other"),), (quota(classes=("gold",)),), (replace(quota(), kind="LimitRange"),)])
def test_critical_pods_without_their_quota_are_refused_on_gke(manifests: tuple[Manifest, ...]) -> None:
    (finding,) = judged("GPU-STACK-01", charts=(operator(),), manifests=manifests)
    assert (finding.status, finding.level, finding.path) == (Status.VIOLATED, Level.MANDATORY, "namespace")


@pytest.mark.failure("C4")
def test_a_quota_in_the_operators_namespace_repairs_it() -> None:
    assert judged("GPU-STACK-01", charts=(operator(),), manifests=(quota(),)) == []


@pytest.mark.parametrize("found", [quota(Unknown("namespace")), quota(classes=Unknown("values"))])
def test_a_quota_of_which_something_is_unknown_is_no_pass(found: Manifest) -> None:
    (finding,) = judged("GPU-STACK-01", charts=(operator(),), manifests=(found,))
    assert (finding.status, finding.fails) == (Status.UNKNOWN, True)


def test_aws_admits_critical_pods_everywhere() -> None:
    assert judged("GPU-STACK-01", replace(POOL, cloud="aws"), charts=(operator(),)) == []


@pytest.mark.failure("C5")
def test_the_operators_driver_on_cos_is_refused_and_switched_off_it_is_not() -> None:
    (finding,) = judged("GPU-STACK-02", charts=(operator(driver={"enabled": True}),))
    assert "Container-Optimized OS" in finding.message
    assert judged("GPU-STACK-02", charts=(operator(driver={"enabled": False}),)) == []
    assert judged("GPU-STACK-02", replace(POOL, image=None), charts=(operator(),)) == []


@pytest.mark.failure("C6")
def test_the_toolkit_on_gke_1_33_needs_its_variable() -> None:
    (finding,) = judged("GPU-STACK-03", charts=(operator(),))
    assert finding.level is Level.ADVISORY
    variable = {"env": [{"name": "RUNTIME_CONFIG_SOURCE", "value": "file"}]}
    assert judged("GPU-STACK-03", charts=(operator(toolkit=variable),)) == []


@pytest.mark.failure("C7")
def test_gkes_device_plugin_and_the_operators_are_two() -> None:
    (finding,) = judged("GPU-STACK-04", charts=(operator(),))
    assert "2 owners of the device plugin (GKE, the GPU Operator)" in finding.message
    alone = replace(POOL, labels={"gke-no-default-nvidia-gpu-device-plugin": "true"})
    assert judged("GPU-STACK-04", alone, charts=(operator(),)) == []
    (finding,) = judged("GPU-STACK-04", alone, charts=(operator(devicePlugin={"enabled": False}),))
    assert "nobody advertises the GPUs" in finding.message


@pytest.mark.failure("H9")
@pytest.mark.failure("K10")
def test_a_gpu_pool_inside_an_aks_cluster_is_refused_and_beside_it_is_not() -> None:
    inline = replace(POOL, cloud="azure", urn="aks", cluster="aks", machines=("Standard_ND96isr_H100_v5",))
    (finding,) = judged("GPU-NODE-09", inline)
    assert finding.level is Level.MANDATORY
    assert judged("GPU-NODE-09", replace(inline, urn="pool")) == []


@pytest.mark.failure("C2")
def test_two_drivers_on_aks_are_refused_and_one_is_not() -> None:
    two = replace(POOL, cloud="azure", driver_owners=("image", "gpu_operator"))
    (finding,) = judged("GPU-DRV-01", two)
    assert finding.status is Status.VIOLATED
    assert judged("GPU-DRV-01", replace(two, driver_owners=("image",))) == []


@pytest.mark.failure("H14")
def test_a_gke_cluster_says_whether_it_may_be_deleted() -> None:
    facts = Inventory(project="p", stack="dev", control_planes=(replace(PLANE, deletion_protection=None),))
    (finding,) = said(judge(facts, SETTINGS), "GPU-TAG-03")
    assert "deletionProtection" in finding.message
    assert said(judge(replace(facts, control_planes=(PLANE,)), SETTINGS), "GPU-TAG-03") == []
