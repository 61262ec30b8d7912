"""GPU-AKS: what AKS refuses about a whole cluster: no system pool, a node group that is taken, address ranges that collide or are too small."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Iterator

from components.inventory import AksCluster, AksNetwork
from components.unknown import Maybe, Unknown, known
from policies.finding import Level, Status

from .aks_agents import Agents, agents, is_word
from .aks_surroundings import used_subnets
from .rule import Case, Rule, Scope, Verdict, cannot_tell

_LONGEST_GROUP = 80
"""Letters of a node resource group's name (AKS naming rules, aka.ms/aks-naming-rules)."""
_ADDRESSES_PER_NODE = 256
"""Overlay networks give each node a /24 of the pods' range (Azure CNI Overlay documentation)."""
_SO = "it cannot be told whether AKS makes the cluster"

_SERVICES, _PODS = "10.0.0.0/16", "10.244.0.0/16"
"""What AKS takes where the program says nothing (pulumi-azure-native 3.29.0, `ContainerServiceNetworkProfileArgs`)."""

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def _clusters(case: Case) -> Iterator[Verdict]:
    by_cluster: dict[object, list[Agents]] = {}
    for found in agents(case):
        by_cluster.setdefault(found.own.cluster, []).append(found)
    for cluster in case.inventory.azure.clusters:
        pools = by_cluster.get(cluster.urn, [])
        yield from _system(cluster, pools)
        yield from _group(cluster)
        if cluster.network is not None:
            yield from _overlaps(case, cluster, cluster.network, pools)
            yield from _room(cluster, cluster.network, pools)


def _system(cluster: AksCluster, pools: list[Agents]) -> Iterator[Verdict]:
    """A cluster of the classic provider has a default pool, which is one."""
    if cluster.network is None or cluster.automatic is not False:
        return
    inside = [is_word(found.own.mode, "System") for found in pools if found.own.inline]
    unknown = next((claim for claim in inside if isinstance(claim, Unknown)), None)
    if any(claim is True for claim in inside) or isinstance(cluster.network.profiles, Unknown):
        return  # of a list that cannot be read GPU-AKS-01 and GPU-COST-03 speak
    if unknown is not None:
        yield _untold(cluster, unknown)
    else:
        text = (
            "no entry of agentPoolProfiles has mode System, and AKS makes no cluster without one (Must define at least one system pool). "
        )
        yield _says(cluster, "agentPoolProfiles", f"{text}Write one with mode System: new pools are of mode User.")


def _group(cluster: AksCluster) -> Iterator[Verdict]:
    """A name that is made of outputs is one of the cluster's own as a rule; GPU-AKS-42 speaks of what else may stand there."""
    group = cluster.node_group
    if isinstance(group, Unknown):
        return
    if cluster.group_taken:
        text = f"its nodes are to stand in {group}, which this program makes too, and AKS makes that group itself and refuses one that is there. "
        yield _says(cluster, "nodeResourceGroup", f"{text}Leave nodeResourceGroup out, or give it a name of its own.")
    elif group is not None and len(group) > _LONGEST_GROUP:
        text = f"nodeResourceGroup has {len(group)} letters, and AKS takes at most {_LONGEST_GROUP}. Shorten it."
        yield _says(cluster, "nodeResourceGroup", text)


def _overlaps(case: Case, cluster: AksCluster, network: AksNetwork, pools: list[Agents]) -> Iterator[Verdict]:
    """Addresses of pods and services must lead nowhere else (Azure/AKS#1117). In the rest of the network they may be free."""
    nodes = used_subnets(pools)
    subnets = [subnet for subnet in case.inventory.azure.subnets if nodes.holds(subnet)]
    taken = _ranges([subnet.cidr for subnet in subnets])
    around = _ranges([space for subnet in subnets if known(subnet.spaces) for space in subnet.spaces])
    for written, path in _own_ranges(network):
        if isinstance(written, Unknown):
            yield _untold(cluster, written)
            continue
        own = _parsed(written)
        clash = _overlapping(own, taken) or _overlapping(own, around)
        if clash is not None:
            within = clash in taken
            text = (
                f"{path} {written} overlaps {clash} of the nodes' {'subnet' if within else 'network'}{_REFUSED if within else _UNREACHED} "
            )
            level = None if within else Level.ADVISORY
            yield _says(cluster, path, f"{text}Take a range outside of it, such as 192.168.0.0/16 or one of 100.64.0.0/10.", level)


_REFUSED = ", which AKS refuses (ServiceCidrOverlapExistingSubnetsCidr, NetworkProfileCIDROverlapVNET)."
_UNREACHED = ": pods reach nothing of the network that stands there, and AKS may refuse it (NetworkProfileCIDROverlapVNET)."


def _own_ranges(network: AksNetwork) -> Iterator[tuple[Maybe[str], str]]:
    yield _SERVICES if network.services is None else network.services, "networkProfile.serviceCidr"
    if network.pods is not None:
        yield network.pods, "networkProfile.podCidr"
    elif network.overlay is True:
        yield _PODS, "networkProfile.podCidr"


def _ranges(written: Iterable[Maybe[str | None]]) -> list[Network]:
    return [space for text in written if (space := _parsed(text)) is not None]


def _overlapping(own: Network | None, others: list[Network]) -> Network | None:
    return next((other for other in others if own is not None and other.version == own.version and other.overlaps(own)), None)


def _room(cluster: AksCluster, network: AksNetwork, pools: list[Agents]) -> Iterator[Verdict]:
    """A6: InsufficientSubnetSize counts every pool at its maximum."""
    range_ = _parsed(network.pods) if known(network.pods) else None
    if network.overlay is not True or range_ is None:
        return
    most = sum(count for found in pools if known(count := found.pool.nodes.maximum))
    if most * _ADDRESSES_PER_NODE > range_.num_addresses:
        text = f"up to {most} nodes take {most * _ADDRESSES_PER_NODE:,} addresses of networkProfile.podCidr, a /24 each, and {range_} has "
        text += f"{range_.num_addresses:,}: AKS refuses the pool that goes beyond (InsufficientSubnetSize). Take a larger range; it is fixed at creation."
        yield _says(cluster, "networkProfile.podCidr", text)


def _parsed(written: Maybe[str | None]) -> Network | None:
    try:
        return ipaddress.ip_network(written, strict=False) if isinstance(written, str) else None
    except ValueError:
        return None


def _says(cluster: AksCluster, path: str, text: str, level: Level | None = None) -> Verdict:
    return Verdict(status=Status.VIOLATED, urn=cluster.urn, path=path, message=f"{cluster.name}: {text}", level=level)


def _untold(cluster: AksCluster, hidden: Unknown) -> Verdict:
    """AKS refuses it at creation and nothing is lost, so that what cannot be told is advice."""
    told = cannot_tell(cluster.urn, hidden, subject=cluster.name, so=_SO)
    return Verdict(status=told.status, urn=told.urn, path=told.path, message=told.message, level=Level.ADVISORY)


RULES = (
    Rule(
        id="GPU-AKS-18",
        title="AKS can make the cluster: a system pool, a node group of its own, ranges that are apart and large enough",
        failures=("A6",),
        scope=Scope.STACK,
        check=_clusters,
        fix="agentPoolProfiles with a pool of mode System; podCidr 192.168.0.0/16 beside a network of 10.64.0.0/16",
    ),
)
