"""What AKS refuses about a node pool before it makes one, wherever the pool is written: alone or inside its cluster."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_network
from typing import TYPE_CHECKING, Any

from scripts.sandbox.kinds.azure import quota, sizes
from scripts.sandbox.kinds.azure import tokens as t
from scripts.sandbox.kinds.azure.arm import find, require, require_known
from scripts.sandbox.kinds.azure.identity import may_contribute
from scripts.sandbox.kinds.azure.sizes import DEFAULT_OS_DISK_GIB, Wanted
from scripts.sandbox.kinds.kind import Order
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_NAMING = "Please see https://aka.ms/aks-naming-rules for more details."
_AKS = "AKS documentation, node pools: limitations"
_NAME = re.compile(r"[a-z][a-z0-9]{0,11}")
DEFAULT_COUNT = 1
"""Nodes of a pool that says nothing (pulumi-azure-native 3.29.0, `AgentPool.count`)."""
_ADDRESSES_PER_NODE = 256
"""Overlay networks give each node a /24 of the pod range (Azure CNI Overlay documentation)."""
FIXED = ("gpuProfile", "gpuInstanceProfile", "vmSize", "scaleSetPriority", "scaleSetEvictionPolicy", "spotMaxPrice", "osDiskType", "osDiskSizeGB",
         "kubeletDiskType", "vnetSubnetID", "podSubnetID", "availabilityZones", "maxPods", "osType", "proximityPlacementGroupID", "enableNodePublicIP",
         "enableFIPS")  # fmt: skip
"""Properties that a pool keeps for life.

Sources: AKS pages on GPU and spot node pools; the properties that the azurerm provider changes only by rotating a pool
(kubernetes_cluster_node_pool, temporary_name_for_rotation).
"""


@dataclass(frozen=True, kw_only=True)
class PoolOrder:
    """A pool that somebody wants in a cluster. `before`: the pool that it changes."""

    world: Simulation
    order: Order
    """The create or update, of the pool or of its cluster."""
    name: str
    wanted: Mapping[str, Any]
    location: str
    cluster: Mapping[str, Any]
    """The cluster's properties."""
    path: str
    before: Record | None = None

    @property
    def spot(self) -> bool:
        return self.wanted.get("scaleSetPriority") == "Spot"

    @property
    def machines(self) -> Wanted:
        return Wanted(
            resource=self.path,
            location=self.location,
            size=str(self.wanted.get("vmSize") or ""),
            zones=[str(zone) for zone in self.wanted.get("availabilityZones") or ()],
            spot=self.spot,
            ephemeral=self.wanted.get("osDiskType") == "Ephemeral",
        )


def invalid(parameter: str, why: str, *, source: str) -> Refusal:
    """AKS's form of a wrong parameter."""
    return Refusal(
        "InvalidParameter", f"The value of parameter agentPoolProfile.{parameter} is invalid. Error details: {why} {_NAMING}", source=source
    )


def refuse(pool: PoolOrder) -> None:
    """Raises the Refusal that AKS would give, if any."""
    if not _NAME.fullmatch(pool.name):
        raise invalid(
            "name", f"{pool.name!r}: 1 to 12 of a-z and 0-9, starting with a letter.", source="AKS naming rules, aka.ms/aks-naming-rules"
        )
    _refuse_change(pool)
    _refuse_counts(pool)
    _refuse_spot(pool)
    _refuse_size(pool)
    _refuse_disk(pool)
    _refuse_network(pool)
    _refuse_reservation(pool)


def _refuse_change(pool: PoolOrder) -> None:
    """E10: what is fixed at creation is never changed silently."""
    if pool.before is None:
        return
    if pool.before.status == "Creating":
        raise Refusal(
            "OperationNotAllowed",
            f"Operation is not allowed: Another agentpool operation ({pool.name} - Creating) is in progress, please wait for it to finish before "
            "starting a new operation. See https://aka.ms/aks-pending-operation for more details",
            source="cilium/cilium#25944",
            status=409,
        )
    for name in FIXED:
        if name in pool.wanted and pool.wanted[name] != pool.before.state.get(name):
            raise Refusal(
                "PropertyChangeNotAllowed",
                f"Changing property 'properties.{name}' is not allowed.",
                source="E10: pulumi-azure-native#959, hashicorp/terraform-provider-azurerm#10951",
            )


def _refuse_counts(pool: PoolOrder) -> None:
    count, system = int(pool.wanted.get("count", DEFAULT_COUNT) or 0), pool.wanted.get("mode") == "System"
    if system and count < 1 and not pool.wanted.get("enableAutoScaling"):
        raise invalid("count", "a system pool needs at least one node.", source="AKS documentation, system node pools")
    if not pool.wanted.get("enableAutoScaling"):
        if pool.wanted.get("minCount") is not None or pool.wanted.get("maxCount") is not None:
            raise invalid("minCount", "minCount and maxCount need enableAutoScaling.", source="AKS documentation, cluster autoscaler")
        return
    low, high = int(pool.wanted.get("minCount") or 0), int(pool.wanted.get("maxCount") or 0)
    if low > high or high < 1 or (system and low < 1):
        raise invalid("minCount", f"{low} to {high} is no range of nodes.", source="AKS documentation, cluster autoscaler")
    if "count" in pool.wanted and not low <= count <= high and pool.before is None:
        raise invalid(
            "count",
            f"node count {count} is not in the range of minCount {low} and maxCount {high}.",
            source="MicrosoftDocs/azure-docs#56294",
        )


def _refuse_spot(pool: PoolOrder) -> None:
    surge = (pool.wanted.get("upgradeSettings") or {}).get("maxSurge")
    if not pool.spot:
        for name in ("scaleSetEvictionPolicy", "spotMaxPrice"):
            if pool.wanted.get(name) is not None:
                raise invalid(name, "it can only be set for spot pools.", source="bcochofel/terraform-azurerm-aks#13")
        return
    if pool.wanted.get("mode") == "System":
        raise invalid("mode", "a spot pool can't be a system pool.", source="E3: Azure/AKS#982, adamrushuk/devops-lab#56")
    if surge:
        raise invalid(
            "upgrade.maxSurge", "Spot pools can't set max surge.", source="E4: Azure/bicep-types-az#2217, XenitAB/terraform-modules#755"
        )
    price = pool.wanted.get("spotMaxPrice")
    if price is not None and price != -1 and (price <= 0 or round(float(price), 5) != float(price)):
        raise invalid(
            "spotMaxPrice", f"{price}: -1 or a positive number with at most five decimals.", source="AKS documentation, spot node pools"
        )


def _refuse_size(pool: PoolOrder) -> None:
    wanted = pool.machines
    found = sizes.find(wanted.size)
    if found is None or not sizes.offered(found, pool.location):
        raise Refusal(
            "BadRequest",
            f"The VM size of AgentPoolProfile:{pool.name} is not allowed in your subscription in location '{pool.location}'. For more details, "
            "please visit https://aka.ms/cpu-quota",
            source="E7: MicrosoftDocs/azure-docs#51062, #94262",
        )
    known = sizes.zones(pool.world, found, pool.location)
    unknown = [zone for zone in wanted.zones if zone not in known]
    if unknown:
        raise Refusal(
            "AvailabilityZoneNotSupported",
            f"The zone(s) '{','.join(unknown)}' for resource '{pool.name}' is not supported. The supported zones for location '{pool.location}' are "
            f"'{','.join(known)}'",
            source="E7: MicrosoftDocs/azure-aks-docs#416",
        )
    if pool.before is None and int(pool.wanted.get("count") or 0):
        quota.refuse_over_at_aks(pool.world, wanted, found, int(pool.wanted["count"]))


def _refuse_disk(pool: PoolOrder) -> None:
    if pool.wanted.get("osDiskType") == "Ephemeral":
        sizes.refuse_small_cache(str(pool.wanted["vmSize"]), int(pool.wanted.get("osDiskSizeGB") or DEFAULT_OS_DISK_GIB))


def _refuse_network(pool: PoolOrder) -> None:
    subnet = pool.wanted.get("vnetSubnetID")
    if subnet:
        require(pool.world, subnet, by=pool.path)
    profile = pool.cluster.get("networkProfile") or {}
    pods = profile.get("podCidr")
    if profile.get("networkPluginMode") != "overlay" or not pods:
        return
    others = [
        p for p in pool.world.store.of_kind(t.AGENT_POOL, pool.order.place.key) if _same_cluster(p.id, pool.path) and p.id != pool.path
    ]
    addresses = sum(_ADDRESSES_PER_NODE * _most(p.state) for p in others) + _ADDRESSES_PER_NODE * _most(pool.wanted)
    available = ip_network(str(pods)).num_addresses
    if addresses > available:
        raise Refusal(
            "InsufficientSubnetSize",
            f"Pre-allocated IPs {addresses} exceeds IPs available {available} in Subnet Cidr {pods}, Subnet Name networkProfile.podCIDR. If "
            "Autoscaler is enabled, the max-count from each nodepool is counted towards this total. http://aka.ms/aks/insufficientsubnetsize",
            source="A6: Azure/AKS-Construction#701",
        )


def _same_cluster(one: str, other: str) -> bool:
    return one.lower().rpartition("/agentpools/")[0] == other.lower().rpartition("/agentpools/")[0]


def _most(pool: Mapping[str, Any]) -> int:
    return int((pool.get("maxCount") if pool.get("enableAutoScaling") else pool.get("count")) or 0)


def _refuse_reservation(pool: PoolOrder) -> None:
    """A reservation group wants a user-assigned identity that may use it (AKS documentation, capacity reservation groups)."""
    group = str(pool.wanted.get("capacityReservationGroupID") or "")
    if not group or pool.before is not None:
        return
    require_known(pool.world, group, by=pool.path)
    principals = identities(pool.world, pool.cluster)
    if any(may_contribute(pool.world, pool.order, principal, group) for principal in principals):
        return
    raise Refusal(
        "LinkedAuthorizationFailed",
        f"The client '{principals[0] if principals else 'system assigned'}' has permission to perform action "
        f"'Microsoft.Compute/virtualMachineScaleSets/write' on scope '{pool.path}'; however, it does not have permission to perform action "
        f"'Microsoft.Compute/capacityReservationGroups/deploy/action' on the linked scope(s) '{group}' or the linked scope(s) are invalid.",
        source="AKS documentation, capacity reservation groups: user-assigned identity with Contributor; form: Azure/aad-pod-identity#550",
        status=403,
    )


def identities(world: Simulation, cluster: Mapping[str, Any]) -> list[str]:
    """Principals of a cluster's user-assigned identities."""
    listed = (cluster.get("identity") or {}).get("userAssignedIdentities") or ()
    found = [find(world, path) for path in listed]
    return [str(each.state["principalId"]) for each in found if each is not None]
