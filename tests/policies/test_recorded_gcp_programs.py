"""Real pulumi-gcp programs of another team, run by the recorder: the readers see what the SDK registers, through evaluate and the pack."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pulumi_gcp as gcp
import pulumi_kubernetes as k8s
import pytest
from pulumi import ResourceOptions
from pulumi_gcp import compute, container
from pulumi_kubernetes.core.v1 import ResourceQuota
from pulumi_kubernetes.helm.v3 import Release

from policies import evaluate
from policies.pack import text
from scripts.plan.recorder import record
from tests.policies import pack_runner
from tests.policies.test_recorded_programs import SETTINGS

ZONE = "us-central1-a"
CRITICAL = ["system-node-critical", "system-cluster-critical"]


@dataclass(frozen=True)
class Wiring:
    """An A3 High training cluster with its own idea of structure; each field is one thing to get wrong."""

    networks: int = 4
    mtu: int | None = 8244
    firewall: bool = True
    multi_networking: bool = True
    protection: bool | None = False
    private_access: bool = True
    zones: tuple[str, ...] = (ZONE,)
    per_zone: bool = False
    driver: str | None = "LATEST"
    flex_start: bool = False
    operator_plugin: bool = False
    operator_driver: bool = False
    quota: bool = True
    maximum: int = 2


def program(wiring: Wiring) -> Callable[[], None]:
    def build() -> None:
        mine = ResourceOptions(provider=gcp.Provider("iowa", project="research", region="us-central1"))
        vpc = compute.Network("net", auto_create_subnetworks=False, opts=mine)
        nodes = compute.Subnetwork(
            "nodes", network=vpc.id, ip_cidr_range="10.0.0.0/20", private_ip_google_access=wiring.private_access, opts=mine
        )
        cluster = _cluster(wiring, vpc, nodes, mine)
        _system(cluster, mine)
        _gpus(wiring, cluster, [_gpu_network(wiring, i, mine) for i in range(wiring.networks)], mine)
        _operator(wiring, cluster)

    return build


def _cluster(wiring: Wiring, vpc: compute.Network, nodes: compute.Subnetwork, opts: ResourceOptions) -> container.Cluster:
    return container.Cluster(
        "train",
        location="us-central1",
        network=vpc.self_link,
        subnetwork=nodes.self_link,
        ip_allocation_policy={},
        private_cluster_config={"enable_private_nodes": True},
        remove_default_node_pool=True,
        initial_node_count=1,
        deletion_protection=wiring.protection,
        enable_multi_networking=wiring.multi_networking,
        datapath_provider="ADVANCED_DATAPATH",
        opts=opts,
    )


def _system(cluster: container.Cluster, opts: ResourceOptions) -> None:
    container.NodePool(
        "system",
        cluster=cluster.id,
        node_locations=[ZONE],
        node_count=2,
        node_config={"machine_type": "e2-standard-4", "disk_size_gb": 100},
        opts=opts,
    )


def _gpu_network(wiring: Wiring, index: int, opts: ResourceOptions) -> tuple[compute.Network, compute.Subnetwork]:
    network = compute.Network(f"gpu-{index}", auto_create_subnetworks=False, mtu=wiring.mtu, opts=opts)
    subnet = compute.Subnetwork(f"gpu-{index}", network=network.id, ip_cidr_range=f"10.{index + 1}.0.0/20", opts=opts)
    if wiring.firewall:
        compute.Firewall(f"gpu-{index}", network=network.name, source_ranges=["10.0.0.0/8"], allows=[{"protocol": "all"}], opts=opts)
    return network, subnet


def _gpus(
    wiring: Wiring, cluster: container.Cluster, wires: list[tuple[compute.Network, compute.Subnetwork]], opts: ResourceOptions
) -> None:
    sizes = ("min_node_count", "max_node_count") if wiring.per_zone else ("total_min_node_count", "total_max_node_count")
    driver = {"gpu_driver_installation_config": {"gpu_driver_version": wiring.driver}} if wiring.driver else {}
    container.NodePool(
        "workers",
        cluster=cluster.name,
        node_locations=list(wiring.zones),
        autoscaling=dict(zip(sizes, (0, wiring.maximum), strict=True)),
        management={"auto_repair": True, "auto_upgrade": False},
        network_config={"additional_node_network_configs": [{"network": n.name, "subnetwork": s.name} for n, s in wires]},
        node_config={
            "machine_type": "a3-highgpu-8g",
            "spot": True,
            "flex_start": wiring.flex_start,
            "disk_size_gb": 300,
            "guest_accelerators": [{"type": "nvidia-h100-80gb", "count": 8, **driver}],
        },
        opts=opts,
    )


def _operator(wiring: Wiring, cluster: container.Cluster) -> None:
    kubeconfig = cluster.endpoint.apply(lambda endpoint: f"server: {endpoint}")
    provider = k8s.Provider("in-cluster", kubeconfig=kubeconfig, cluster_identifier=cluster.endpoint)
    inside = ResourceOptions(provider=provider, deleted_with=cluster)
    if wiring.quota:
        selector = {"match_expressions": [{"scope_name": "PriorityClass", "operator": "In", "values": CRITICAL}]}
        ResourceQuota("critical", metadata={"namespace": "gpu"}, spec={"hard": {"pods": "100"}, "scope_selector": selector}, opts=inside)
    values = {"driver": {"enabled": wiring.operator_driver}, "devicePlugin": {"enabled": wiring.operator_plugin}}
    Release("operator", chart="gpu-operator", namespace="gpu", values=values, opts=inside)


def failing(wiring: Wiring, directory: Path) -> set[str]:
    """Rules that fail, by both doors."""
    recorded = record(program(wiring), project="research", stack="dev", config={}, directory=directory)
    assert recorded.error is None
    findings = evaluate(recorded.resources, SETTINGS)
    said = sorted((d.level, d.urn, d.message) for d in pack_runner.judge_here(recorded.resources))
    assert said == sorted(("mandatory" if f.fails else "advisory", f.urn, text(f)) for f in findings)
    return {f.rule for f in findings if f.fails}


@pytest.mark.parametrize(
    ("wiring", "rules"),
    [
        pytest.param(Wiring(networks=3), {"GPU-GKE-01"}, marks=pytest.mark.failure("D2")),
        pytest.param(Wiring(networks=5), {"GPU-GKE-01"}, marks=pytest.mark.failure("D1")),
        pytest.param(Wiring(multi_networking=False), {"GPU-GKE-02"}, marks=pytest.mark.failure("D2")),
        pytest.param(Wiring(mtu=None), {"GPU-GKE-05"}, marks=pytest.mark.failure("D2")),
        (Wiring(firewall=False), {"GPU-GKE-08"}),
        pytest.param(Wiring(flex_start=True), {"GPU-GKE-11"}, marks=pytest.mark.failure("D4")),
        pytest.param(Wiring(zones=(ZONE, "us-central1-b"), per_zone=True, maximum=1), {"GPU-GKE-20"}, marks=pytest.mark.failure("D7")),
        pytest.param(Wiring(driver=None), {"GPU-GKE-30"}, marks=pytest.mark.failure("D10")),
        pytest.param(Wiring(protection=None), {"GPU-GKE-40"}, marks=pytest.mark.failure("H14")),
        pytest.param(Wiring(private_access=False), {"GPU-GKE-46"}, marks=pytest.mark.failure("J4")),
        pytest.param(Wiring(operator_plugin=True), {"GPU-STACK-04"}, marks=pytest.mark.failure("C7")),
        pytest.param(Wiring(quota=False), {"GPU-GKE-51"}, marks=pytest.mark.failure("C4")),
        pytest.param(Wiring(driver="INSTALLATION_DISABLED", operator_driver=True), {"GPU-DRV-01"}, marks=pytest.mark.failure("C5")),
        pytest.param(Wiring(maximum=40), {"GPU-COST-01"}, marks=pytest.mark.failure("J8")),
    ],
)
def test_a_real_program_with_one_fault_fails_by_its_rule(wiring: Wiring, rules: set[str], tmp_path: Path) -> None:
    assert failing(wiring, tmp_path) == rules


@pytest.mark.failure("D1")
@pytest.mark.failure("D2")
@pytest.mark.failure("D4")
@pytest.mark.failure("D7")
@pytest.mark.failure("D10")
@pytest.mark.failure("H14")
@pytest.mark.failure("J4")
@pytest.mark.failure("C7")
@pytest.mark.failure("C4")
@pytest.mark.failure("C5")
@pytest.mark.failure("J8")
def test_the_same_program_without_a_fault_passes(tmp_path: Path) -> None:
    assert failing(Wiring(), tmp_path) == set()
