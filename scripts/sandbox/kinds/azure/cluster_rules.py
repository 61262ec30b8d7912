"""What AKS refuses about a cluster before it makes one."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Any

from scripts.arm_paths import name_of
from scripts.sandbox.kinds.azure.arm import find, path_of, require
from scripts.sandbox.kinds.kind import Order
from scripts.sandbox.refusal import Refusal

_LONGEST_GROUP = 80


def refuse_cluster(order: Order, *, node_group: str) -> None:
    """Raises the Refusal that AKS would give, if any."""
    profiles: list[dict[str, Any]] = list(order.inputs.get("agentPoolProfiles") or ())
    _refuse_pools(order, profiles)
    _refuse_node_group(order, node_group)
    _refuse_version_step(order)
    for identity in (order.inputs.get("identity") or {}).get("userAssignedIdentities") or ():
        require(order.world, identity, by=path_of(order))
    _refuse_overlap(order, profiles)


def _refuse_pools(order: Order, profiles: list[dict[str, Any]]) -> None:
    if order.before is None:
        if not profiles:
            raise Refusal("InvalidParameter", "Required parameter agentPoolProfiles is missing (null).", source="Azure/AKS#2495")
        if not any(profile.get("mode") == "System" for profile in profiles):
            raise Refusal(
                "InvalidParameter",
                "Must define at least one system pool.",
                source="kubernetes-sigs/cluster-api-provider-azure#1355: there has to be at least one system agent pool",
            )
        return
    for profile in profiles:
        if find(order.world, f"{order.before.id}/agentPools/{profile.get('name')}") is None:
            raise Refusal(
                "BadRequest",
                "A new agent pool was introduced. Adding agent pools to an existing cluster is not allowed through managed cluster operations. For "
                "agent pool specific change, please use per agent pool operations: https://aka.ms/agent-pool-rest-api",
                source="H9: pulumi-azure-native#579, Azure/AKS#4383",
            )


def _refuse_node_group(order: Order, name: str) -> None:
    if len(name) > _LONGEST_GROUP:
        raise Refusal(
            "InvalidParameter",
            f"The length of the node resource group name is too long. The maximum length is {_LONGEST_GROUP} and the length of the value provided is "
            f"{len(name)}. Please see https://aka.ms/aks-naming-rules for more details.",
            source="AKS naming rules, aka.ms/aks-naming-rules",
        )
    existing = find(order.world, f"/subscriptions/{order.account}/resourceGroups/{name}")
    if existing is not None and order.before is None:
        raise Refusal(
            "NodeResourceGroupAlreadyExists",
            f"The node resource group {name} exists already: AKS makes its own.",
            source="AKS frequently asked questions: an existing resource group cannot be the node resource group",
            status=409,
        )


def _refuse_version_step(order: Order) -> None:
    if order.before is None or not order.text("kubernetesVersion"):
        return
    old, new = str(order.before.state.get("kubernetesVersion", "")), order.text("kubernetesVersion")
    if not minor(old) <= minor(new) <= minor(old) + 1:
        raise Refusal(
            "OperationNotAllowed",
            f"Upgrading Kubernetes version {old} to {new} is not allowed: one minor version at a time, never back.",
            source="AKS documentation, upgrade a cluster: minor versions cannot be skipped",
        )


def minor(version: str) -> int:
    parts = version.split(".")
    return int(parts[1]) if len(parts) > 1 and parts[1].isdigit() else 0


def _refuse_overlap(order: Order, profiles: list[dict[str, Any]]) -> None:
    """Pods and services must not share addresses with the network that the nodes are in."""
    network = order.inputs.get("networkProfile") or {}
    for profile in profiles:
        subnet = str(profile.get("vnetSubnetID") or "")
        vnet = find(order.world, subnet.rpartition("/subnets/")[0]) if subnet else None
        for space in ((vnet.state.get("addressSpace") or {}).get("addressPrefixes") or ()) if vnet else ():
            for field, shown in (("podCidr", "networkProfile.podCIDR"), ("serviceCidr", "networkProfile.serviceCIDR")):
                if network.get(field) and ip_network(str(network[field])).overlaps(ip_network(str(space))):
                    raise Refusal(
                        "NetworkProfileCIDROverlapVNET",
                        f"NetworkProfile CIDR {network[field]} overlaps with reserved VNET CIDR {space} of {name_of(vnet.id if vnet else '')} "
                        f"({shown})",
                        source="Azure/AKS-Construction#403",
                    )
