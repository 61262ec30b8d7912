from __future__ import annotations

from typing import Any

import pytest

from components import catalog
from components.resource import ResourceSet
from tests.components.gcp.specs import POOL, built, only, training

DAEMON_SET = "kubernetes:apps/v1:DaemonSet"
NETWORK, PARAMETERS = "kubernetes:networking.gke.io/v1:Network", "kubernetes:networking.gke.io/v1:GKENetworkParamSet"


@pytest.fixture(scope="module")
def mega() -> ResourceSet:
    return built(training())


@pytest.fixture(scope="module")
def ultra() -> ResourceSet:
    return built(training({"pools": {"machine": "a3-ultragpu-8g"}}))


def pod(resources: ResourceSet, name: str) -> dict[str, Any]:
    return only(resources, DAEMON_SET, name).inputs["spec"]["template"]["spec"]


@pytest.mark.failure("D2")
def test_every_interface_of_a_node_is_a_network_that_pods_may_ask_for(mega: ResourceSet) -> None:
    names = [n.inputs["metadata"]["name"] for n in mega.of_type(NETWORK)]
    assert sorted(names) == [f"gpu-nic-{at}" for at in range(8)]
    assert len(names) == len(only(mega, POOL, "h100").inputs["networkConfig"]["additionalNodeNetworkConfigs"])


@pytest.mark.failure("D2")
def test_a_network_comes_after_its_parameters_and_refers_to_them(mega: ResourceSet) -> None:
    for network in mega.of_type(NETWORK):
        reference = network.inputs["spec"]["parametersRef"]
        parameters = next(p for p in mega.of_type(PARAMETERS) if p.inputs["metadata"]["name"] == reference["name"])
        assert parameters.urn in network.dependencies
        assert reference["kind"] == "GKENetworkParamSet"


@pytest.mark.failure("D3")
def test_rdma_interfaces_are_handed_out_as_such(ultra: ResourceSet) -> None:
    modes = {p.inputs["metadata"]["name"]: p.inputs["spec"]["deviceMode"] for p in ultra.of_type(PARAMETERS)}
    assert modes == {"gvnic-1": "NetDevice", **{f"rdma-{at}": "RDMA" for at in range(8)}}


def test_objects_are_of_versions_that_gke_serves(mega: ResourceSet) -> None:
    for made in (*mega.of_type(NETWORK), *mega.of_type(PARAMETERS)):
        kind = made.type.rpartition(":")[2]
        [served] = catalog.crds.served("networking.gke.io", kind)
        assert set(made.inputs["spec"]) <= set(served.fields)


@pytest.mark.parametrize(
    ("machine", "transport"), [("a3-highgpu-8g", "tcpx"), ("a3-megagpu-8g", "tcpxo"), ("a3-ultragpu-8g", "gib"), ("a4-highgpu-8g", "gib")]
)
def test_the_plugin_of_the_catalogues_version_goes_to_the_nodes_of_the_pool(machine: str, transport: str) -> None:
    resources = built(training({"pools": {"machine": machine}}))
    made = pod(resources, f"{transport}-installer")
    accelerator = only(resources, POOL, "h100").inputs["nodeConfig"]["guestAccelerators"][0]["type"]
    version = next(t.plugin.split()[-1] for t in catalog.transports.transports("gcp") if t.transport == transport and t.plugin)
    assert selector(made) == {"key": "cloud.google.com/gke-accelerator", "operator": "In", "values": [accelerator]}
    assert made["initContainers"][-1]["image"].endswith(f":{version}")


def selector(made: dict[str, Any]) -> dict[str, Any]:
    """The one requirement of a pod on its node."""
    [term] = made["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    [requirement] = term["matchExpressions"]
    return requirement


def test_tcpxo_nodes_get_plugin_and_device_injector(mega: ResourceSet) -> None:
    assert {d.name for d in mega.of_type(DAEMON_SET)} == {"lab-fabric-tcpxo-installer", "lab-fabric-device-injector"}
    first, second = pod(mega, "installer")["initContainers"]
    assert "aperture_devices" in first["command"][-1]
    assert "container_entry.sh" in second["command"][-1]


def test_rdma_nodes_need_no_device_injector(ultra: ResourceSet) -> None:
    assert {d.name for d in ultra.of_type(DAEMON_SET)} == {"lab-fabric-gib-installer"}


def test_installers_run_before_anything_else_may_whatever_the_taints(mega: ResourceSet) -> None:
    made = pod(mega, "installer")
    assert made["tolerations"] == [{"operator": "Exists"}]
    assert made["priorityClassName"] == "system-node-critical"
    assert only(mega, DAEMON_SET, "installer").inputs["metadata"]["namespace"] == "kube-system"  # C4: needs no quota of its own there


def test_the_injector_goes_to_every_gpu_node(mega: ResourceSet) -> None:
    assert selector(pod(mega, "injector")) == {"key": "cloud.google.com/gke-gpu", "operator": "Exists"}


def test_networks_that_gke_manages_are_not_ours_and_its_nodes_get_their_plugin() -> None:
    resources = built(training({"pools": {"machine": "a4-highgpu-8g", "fabric": "dranet"}}))
    assert resources.of_type(NETWORK) == ()
    assert [d.name for d in resources.of_type(DAEMON_SET)] == ["lab-fabric-gib-installer"]


def test_without_a_fabric_there_is_nothing_of_it() -> None:
    resources = built(training({"pools": {"fabric": "none"}}))
    assert resources.of_type(DAEMON_SET) == resources.of_type(NETWORK) == ()
