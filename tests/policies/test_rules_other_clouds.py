"""Rules on GKE and AKS, on facts as their readers give them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from components.inventory import Chart, ControlPlane, GpuPool, Image, Inventory, Market, NodeCount
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
PLANE = ControlPlane(urn="gke", name="gke", cloud="gcp", region="us-central1", version="1.34.1-gke.100")


def operator(**values: object) -> Chart:
    return Chart(urn="operator", name="operator", chart="gpu-operator", version=None, namespace="gpu", values=values)


def judged(rule: str, pool: GpuPool = POOL, *, charts: tuple[Chart, ...] = ()) -> list[Finding]:
    facts = Inventory(project="p", stack="dev", pools=(pool,), control_planes=(PLANE,), charts=charts)
    return said(judge(facts, SETTINGS), rule)


@pytest.mark.failure("C6")
def test_the_toolkit_on_gke_1_33_needs_its_variable() -> None:
    (finding,) = judged("GPU-GKE-53", charts=(operator(),))
    assert finding.level is Level.ADVISORY
    variable = {"env": [{"name": "RUNTIME_CONFIG_SOURCE", "value": "file"}]}
    assert judged("GPU-GKE-53", charts=(operator(toolkit=variable),)) == []


@pytest.mark.failure("C7")
def test_gkes_device_plugin_and_the_operators_are_two() -> None:
    (finding,) = judged("GPU-STACK-04", charts=(operator(),))
    assert "2 owners of the device plugin (GKE, the GPU Operator)" in finding.message
    alone = replace(POOL, labels={"gke-no-default-nvidia-gpu-device-plugin": "true"})
    assert judged("GPU-STACK-04", alone, charts=(operator(),)) == []
    (finding,) = judged("GPU-STACK-04", alone, charts=(operator(devicePlugin={"enabled": False}),))
    assert "nobody advertises the GPUs: the GPU Operator's device plugin is off" in finding.message


@pytest.mark.failure("C2")
def test_two_drivers_on_aks_are_refused_and_one_is_not() -> None:
    two = replace(POOL, cloud="azure", driver_owners=("image", "gpu_operator"))
    (finding,) = judged("GPU-DRV-01", two)
    assert finding.status is Status.VIOLATED
    assert judged("GPU-DRV-01", replace(two, driver_owners=("image",))) == []
