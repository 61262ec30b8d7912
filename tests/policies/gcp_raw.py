"""Programs as raw pulumi-gcp resources, written as other teams write them: the tests take a good one and break one thing."""

from __future__ import annotations

from typing import Any

from components.inventory import Inventory, NodePool
from policies import Finding, Settings, evaluate
from policies.readers import gcp_types as gcp
from policies.readers import inventory, types
from tests.policies.raw import SETTINGS, Raw, said

ZONE = "us-central1-a"
CRITICAL = ["system-node-critical", "system-cluster-critical"]


def judged(program: Raw, rule: str, settings: Settings = SETTINGS) -> list[Finding]:
    return said(evaluate(program.built(), settings), rule)


def facts(program: Raw) -> Inventory:
    return inventory(program.built())


def pool(program: Raw, name: str) -> NodePool:
    (found,) = (p for p in facts(program).pools if p.name == name)
    return found


def accelerator(kind: str, count: int, driver: str | None = "LATEST") -> dict[str, Any]:
    installation = {"gpuDriverInstallationConfig": {"gpuDriverVersion": driver}} if driver else {}
    return {"type": kind, "count": count, **installation}


def network() -> Raw:
    """A VPC with a subnetwork that reaches Google's services privately, and a Cloud NAT for everything else."""
    program = Raw(config={"gcp:project": "research", "gcp:region": "us-central1"})
    program.add(gcp.NETWORK, "vpc", autoCreateSubnetworks=False)
    program.add(gcp.SUBNETWORK, "nodes", network="@vpc", ipCidrRange="10.0.0.0/20", region="us-central1", privateIpGoogleAccess=True)
    program.add(gcp.ROUTER, "router", network="@vpc", region="us-central1")
    return program.add(
        gcp.ROUTER_NAT,
        "nat",
        router="@router",
        region="us-central1",
        natIpAllocateOption="AUTO_ONLY",
        sourceSubnetworkIpRangesToNat="ALL_SUBNETWORKS_ALL_IP_RANGES",
    )


def cluster() -> Raw:
    """A regional cluster with private nodes and a system pool in one zone. Nothing is wrong with it."""
    program = network().add(
        gcp.CLUSTER,
        "gke",
        name="gke",
        location="us-central1",
        network="@vpc",
        subnetwork="@nodes",
        ipAllocationPolicy={"stackType": "IPV4"},
        datapathProvider="ADVANCED_DATAPATH",
        enableMultiNetworking=True,
        privateClusterConfig={"enablePrivateNodes": True},
        removeDefaultNodePool=True,
        initialNodeCount=1,
        deletionProtection=False,
        releaseChannel={"channel": "REGULAR"},
        maintenancePolicy={
            "maintenanceExclusions": [
                {
                    "exclusionName": "runs",
                    "startTime": "2026-11-01T00:00:00Z",
                    "endTime": "2027-04-01T00:00:00Z",
                    "exclusionOptions": {"scope": "NO_MINOR_OR_NODE_UPGRADES"},
                }
            ]
        },
    )
    return program.add(
        gcp.NODE_POOL,
        "system",
        cluster="gke",
        location="us-central1",
        nodeLocations=[ZONE],
        autoscaling={"totalMinNodeCount": 2, "totalMaxNodeCount": 4},
        nodeConfig={"machineType": "e2-standard-4", "diskSizeGb": 100},
    )


def gpu_networks(program: Raw, count: int, mtu: int = 8244) -> list[dict[str, str]]:
    """One VPC with subnetwork and inside firewall for each GPU interface, and the entries for the pool."""
    for i in range(count):
        program.add(gcp.NETWORK, f"gpu-{i}", autoCreateSubnetworks=False, mtu=mtu)
        program.add(gcp.SUBNETWORK, f"gpu-{i}-sub", network=f"@gpu-{i}", ipCidrRange=f"10.{64 + i}.0.0/20", region="us-central1")
        program.add(gcp.FIREWALL, f"gpu-{i}-in", network=f"@gpu-{i}", sourceRanges=["10.0.0.0/8"], allows=[{"protocol": "all"}])
        spec = {"vpc": f"@gpu-{i}", "vpcSubnet": f"@gpu-{i}-sub", "deviceMode": "NetDevice"}
        program.add(gcp.PARAM_SET, f"gpu-{i}-params", metadata={"name": f"gpu-nic-{i}"}, spec=spec)
        reference = {"group": "networking.gke.io", "kind": "GKENetworkParamSet", "name": f"gpu-nic-{i}"}
        program.add(
            gcp.POD_NETWORK, f"gpu-{i}-network", metadata={"name": f"gpu-nic-{i}"}, spec={"type": "Device", "parametersRef": reference}
        )
    return [{"network": f"@gpu-{i}", "subnetwork": f"@gpu-{i}-sub"} for i in range(count)]


def a3_mega() -> Raw:
    """Eight H100 Mega with GPUDirect-TCPXO on spot, GKE's own driver, GPU Operator for metrics only. Nothing is wrong with it."""
    program = cluster()
    extra = gpu_networks(program, 8)
    program.add(
        gcp.NODE_POOL,
        "h100",
        cluster="@gke",
        location="us-central1",
        nodeLocations=[ZONE],
        autoscaling={"totalMinNodeCount": 0, "totalMaxNodeCount": 4, "locationPolicy": "ANY"},
        management={"autoRepair": True, "autoUpgrade": True},
        networkConfig={"additionalNodeNetworkConfigs": extra},
        upgradeSettings={"maxSurge": 0, "maxUnavailable": 1},
        nodeConfig={
            "machineType": "a3-megagpu-8g",
            "spot": True,
            "diskSizeGb": 500,
            "gvnic": {"enabled": True},
            "guestAccelerators": [accelerator("nvidia-h100-mega-80gb", 8)],
            "taints": [{"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}],
        },
    )
    return operator(program)


def operator(program: Raw) -> Raw:
    quota = {"scopeSelector": {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "In", "values": CRITICAL}]}}
    program.add(gcp.RESOURCE_QUOTA, "critical", metadata={"namespace": "gpu-operator"}, spec=quota | {"hard": {"pods": "100"}})
    values = {"driver": {"enabled": False}, "devicePlugin": {"enabled": False}}
    return program.add(types.RELEASE, "operator", chart="gpu-operator", namespace="gpu-operator", values=values)


def rdma() -> Raw:
    """Eight H200 with RDMA in a specific reservation that exists already. Nothing is wrong with it."""
    program = cluster()
    program.add(gcp.NETWORK, "gvnic", autoCreateSubnetworks=False, mtu=8896)
    program.add(gcp.SUBNETWORK, "gvnic-sub", network="@gvnic", ipCidrRange="10.60.0.0/20", region="us-central1")
    program.add(gcp.FIREWALL, "gvnic-in", network="@gvnic", sourceRanges=["10.0.0.0/8"], allows=[{"protocol": "all"}])
    profile = f"projects/research/global/networkProfiles/{ZONE}-vpc-roce"
    program.add(gcp.NETWORK, "roce", autoCreateSubnetworks=False, mtu=8896, networkProfile=profile)
    for i in range(8):
        program.add(gcp.SUBNETWORK, f"rdma-{i}", network="@roce", ipCidrRange=f"10.{70 + i}.0.0/20", region="us-central1")
    extra = [{"network": "@gvnic", "subnetwork": "@gvnic-sub"}] + [{"network": "@roce", "subnetwork": f"@rdma-{i}"} for i in range(8)]
    return program.add(
        gcp.NODE_POOL,
        "h200",
        cluster="@gke",
        location="us-central1",
        nodeLocations=[ZONE],
        autoscaling={"totalMinNodeCount": 2, "totalMaxNodeCount": 2},
        upgradeSettings={"maxSurge": 0, "maxUnavailable": 1},
        networkConfig={"additionalNodeNetworkConfigs": extra},
        nodeConfig={
            "machineType": "a3-ultragpu-8g",
            "diskType": "hyperdisk-balanced",
            "guestAccelerators": [accelerator("nvidia-h200-141gb", 8)],
            "taints": [{"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}],
            "reservationAffinity": {
                "consumeReservationType": "SPECIFIC_RESERVATION",
                "key": "compute.googleapis.com/reservation-name",
                "values": ["ours"],
            },
        },
    )


def inference() -> Raw:
    """L4 machines, autoscaled from zero over one zone. Nothing is wrong with it."""
    return cluster().add(
        gcp.NODE_POOL,
        "l4",
        cluster="@gke",
        location="us-central1",
        nodeLocations=[ZONE],
        autoscaling={"totalMinNodeCount": 0, "totalMaxNodeCount": 6},
        nodeConfig={
            "machineType": "g2-standard-8",
            "diskSizeGb": 200,
            "guestAccelerators": [accelerator("nvidia-l4", 1)],
            "taints": [{"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}],
        },
    )
