"""AKS programs as raw resources, written as other teams write them: nothing is wrong with them until a test breaks one thing."""

from __future__ import annotations

from typing import Any

from policies import Finding, evaluate
from policies.readers import azure_types as types
from policies.readers import types as every
from tests.policies.raw import SETTINGS, Raw, said

POOL = "azure-native:containerservice/v20250101:AgentPool"
CLUSTER = "azure-native:containerservice/v20250101:ManagedCluster"
SPOT_KEY = "kubernetes.azure.com/scalesetpriority"
IB_ONLY = '{"resourceList": [{"resourceName": "ib", "selectors": {"vendors": ["15b3"], "linkTypes": ["infiniband"], "isRdma": true}}]}'


def system() -> dict[str, Any]:
    return {"name": "system", "mode": "System", "vmSize": "Standard_D4s_v5", "count": 2, "osDiskSizeGB": 128, "osType": "Linux"}


def _around(program: Raw) -> Raw:
    """Group, network, identity and cluster, each found by what depends on it, as none has an id yet."""
    program.add("azure-native:resources:ResourceGroup", "group", location="East US")
    program.add("azure-native:network/v20240101:NatGateway", "nat", resourceGroupName="@group", sku={"name": "Standard"})
    program.add(
        "azure-native:network/v20240101:VirtualNetwork",
        "net",
        resourceGroupName="@group",
        addressSpace={"addressPrefixes": ["10.64.0.0/16"]},
    )
    program.add(
        "azure-native:network/v20240101:Subnet",
        "nodes",
        virtualNetworkName="@net",
        addressPrefix="10.64.0.0/20",
        natGateway={"id": "@nat"},
        serviceEndpoints=[{"service": "Microsoft.Storage"}],
    )
    program.add("azure-native:managedidentity:UserAssignedIdentity", "identity", resourceGroupName="@group")
    program.add(
        CLUSTER,
        "aks",
        resourceGroupName="@group",
        kubernetesVersion="1.35",
        sku={"name": "Base", "tier": "Standard"},
        identity={"type": "UserAssigned", "userAssignedIdentities": ["@identity"]},
        disableLocalAccounts=True,
        apiServerAccessProfile={"authorizedIPRanges": ["203.0.113.0/24"]},
        nodeResourceGroupProfile={"restrictionLevel": "ReadOnly"},
        networkProfile={"outboundType": "userAssignedNATGateway"},
        agentPoolProfiles=[system()],
    )
    return program


def infiniband() -> Raw:
    """H100 nodes with InfiniBand in reserved capacity, GPU Operator and Network Operator with its policy."""
    program = _around(Raw())
    program.add(types.RESERVATION_GROUP, "crg", resourceGroupName="@group")
    program.add(
        types.RESERVATION,
        "reserved",
        resourceGroupName="@group",
        capacityReservationGroupName="@crg",
        sku={"name": "Standard_ND96isr_H100_v5", "capacity": 5},
    )
    program.add(types.ROLE_ASSIGNMENT, "contributor", scope="@group", principalId="@identity", roleDefinitionId="contributor")
    program.add(
        POOL,
        "h100",
        resourceGroupName="@group",
        resourceName="@aks",
        agentPoolName="h100",
        vmSize="Standard_ND96isr_H100_v5",
        mode="User",
        enableAutoScaling=True,
        minCount=0,
        maxCount=4,
        osSKU="Ubuntu",
        osDiskSizeGB=512,
        osDiskType="Managed",
        gpuProfile={"driver": "None"},
        capacityReservationGroupID="@crg",
        vnetSubnetID="@nodes",
        upgradeSettings={"maxSurge": "1"},
    )
    program.written["h100"].depends["tags"] = (program.urn("contributor"),)
    program.add("pulumi:providers:kubernetes", "k8s", kubeconfig="@aks")
    program.add(
        every.RELEASE,
        "operator",
        chart="gpu-operator",
        values={"driver": {"enabled": True}, "toolkit": {"enabled": True}, "nfd": {"enabled": False}},
    )
    program.add(every.RELEASE, "net-operator", chart="network-operator", values={"nfd": {"enabled": True, "deployNodeFeatureRules": False}})
    program.add(types.NIC_POLICY, "policy", metadata={"name": "nic-cluster-policy"}, spec={"sriovDevicePlugin": {"config": IB_ONLY}})
    for name in ("operator", "net-operator", "policy"):
        program.written[name].provider = "k8s"
    return program


def inference() -> Raw:
    """Shared A10s on spot, with the GRID driver from AKS."""
    program = _around(Raw())
    program.add(
        "azure-native_containerservice_v20250801:containerservice:AgentPool",
        "a10",
        resourceGroupName="@group",
        resourceName="@aks",
        vmSize="Standard_NV36ads_A10_v5",
        mode="User",
        scaleSetPriority="Spot",
        scaleSetEvictionPolicy="Delete",
        spotMaxPrice=-1,
        enableAutoScaling=True,
        minCount=0,
        maxCount=8,
        osDiskSizeGB=256,
        osDiskType="Managed",
        vnetSubnetID="@nodes",
    )
    program.add("pulumi:providers:kubernetes", "k8s", kubeconfig="@aks")
    program.add(
        every.RELEASE,
        "operator",
        chart="gpu-operator",
        values={
            "driver": {"enabled": False},
            "toolkit": {"enabled": False},
            "operator": {"runtimeClass": "nvidia-container-runtime"},
            "daemonsets": {"tolerations": [{"key": SPOT_KEY, "operator": "Exists"}, {"key": "nvidia.com/gpu", "operator": "Exists"}]},
        },
    )
    program.written["operator"].provider = "k8s"
    return program


def judged(program: Raw, rule: str) -> list[Finding]:
    return said(evaluate(program.built(), SETTINGS), rule)
