"""AKS clusters: control plane, the pools inside its resource, and what the rules ask of the cluster itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from components.inventory import AksCluster, AksNetwork, AksPool, ControlPlane, Lost, MachineChoice, Nat, NodePool
from components.resource import Resource, read
from components.unknown import Maybe, Unknown
from policies.readers import azure_types as types
from policies.readers.program import Program
from policies.readers.tagging import own_tags
from policies.readers.values import any_of, flag, items, text

from .agent_pool import read_default_pool, read_inline_pools
from .references import by_name, location, meant

Facts = Iterator[ControlPlane | AksCluster | NodePool | AksPool | MachineChoice | Nat | Lost]
_MANAGED_NAT = "managedNATGateway"
_KEEPERS = (types.DISK, types.STORAGE_ACCOUNT, types.LUSTRE, types.PUBLIC_ADDRESS)
"""What keeps data or an address that someone outside knows."""


def read_cluster(cluster: Resource, program: Program) -> Facts:
    region = location(program, cluster)
    tier = _tier(cluster)
    version = text(cluster.read("kubernetesVersion"), "kubernetesVersion")
    yield _control_plane(cluster, region, version, tier)
    own = _own(cluster, program)
    yield own
    yield from read_inline_pools(cluster, program, region)
    if _word(cluster, "networkProfile", "outboundType") == _MANAGED_NAT:
        yield Nat(urn=cluster.urn, cloud="azure", region=region)
    if any_of([own.node_provisioning, own.automatic]) is not False:  # AKS Automatic brings it along
        reason = "with node auto-provisioning, which starts machines without an upper bound in the program"
        yield Lost(urn=cluster.urn, type=cluster.type, reason=reason)


def _control_plane(cluster: Resource, region: Maybe[str], version: Maybe[str | None], tier: Maybe[str | None]) -> ControlPlane:
    """AKS has no deletion protection of its own."""
    protected = cluster.options.protect
    return ControlPlane(
        urn=cluster.urn,
        name=cluster.name,
        cloud="azure",
        region=region,
        version=version,
        tier=tier,
        deletion_protection=False,
        protected=protected,
        tags=own_tags(cluster, "tags"),
    )


def read_classic_cluster(cluster: Resource, program: Program) -> Facts:
    region = location(program, cluster)
    version = text(cluster.read("kubernetesVersion"), "kubernetesVersion")
    tier = _word(cluster, "skuTier")
    yield _control_plane(cluster, region, version, tier)
    yield AksCluster(
        urn=cluster.urn,
        name=cluster.name,
        identity=_word(cluster, "identity", "type"),
        identities=_identities(cluster, program, "identityIds"),
        local_accounts=_not(flag(cluster.read("localAccountDisabled"), "localAccountDisabled")),
        private=_flag(cluster, "privateClusterEnabled"),
        authorized_ranges=_ranges(cluster, "apiServerAccessProfile", "authorizedIpRanges"),
    )
    yield from read_default_pool(cluster, program, region)


def _own(cluster: Resource, program: Program) -> AksCluster:
    return AksCluster(
        urn=cluster.urn,
        name=cluster.name,
        identity=_word(cluster, "identity", "type"),
        identities=_identities(cluster, program, "userAssignedIdentities"),
        automatic=_is(_word(cluster, "sku", "name"), "Automatic"),
        node_provisioning=_is(_word(cluster, "nodeProvisioningProfile", "mode"), "Auto"),
        local_accounts=_not(flag(cluster.read("disableLocalAccounts"), "disableLocalAccounts")),
        private=_flag(cluster, "apiServerAccessProfile", "enablePrivateCluster"),
        authorized_ranges=_ranges(cluster, "apiServerAccessProfile", "authorizedIPRanges"),
        strangers=_strangers(cluster, program),
        untold=_untold(cluster, program),
        node_group=_word(cluster, "nodeResourceGroup"),
        group_taken=_taken(cluster, program),
        network=_network(cluster),
        upgrades=_word(cluster, "autoUpgradeProfile", "upgradeChannel"),
    )


def _taken(cluster: Resource, program: Program) -> bool:
    """By the very name alone: one that is not known yet may as well be made of the name of the cluster's own group."""
    named = _word(cluster, "nodeResourceGroup")
    return isinstance(named, str) and by_name(program, named, types.RESOURCE_GROUPS) is not None


def _network(cluster: Resource) -> AksNetwork:
    mode = _word(cluster, "networkProfile", "networkPluginMode")
    listed = items(cluster.read("agentPoolProfiles"), "agentPoolProfiles")
    return AksNetwork(
        overlay=_is(mode, "overlay"),
        pods=_word(cluster, "networkProfile", "podCidr"),
        services=_word(cluster, "networkProfile", "serviceCidr"),
        profiles=listed if isinstance(listed, Unknown) else len(listed),
    )


def _tier(cluster: Resource) -> Maybe[str | None]:
    """AKS charges by tier; without one the cluster is Free."""
    return _word(cluster, "sku", "tier")


def _word(cluster: Resource, *path: str) -> Maybe[str | None]:
    return text(cluster.read(*path), ".".join(path))


def _is(word: Maybe[str | None], wanted: str) -> Maybe[bool]:
    return word if isinstance(word, Unknown) else (word or "").casefold() == wanted.casefold()


def _flag(cluster: Resource, *path: str) -> Maybe[bool]:
    found = flag(cluster.read(*path), ".".join(path))
    return False if found is None else found


def _not(off: Maybe[bool | None]) -> Maybe[bool]:
    return off if isinstance(off, Unknown) else not off


def _ranges(cluster: Resource, *path: str) -> Maybe[tuple[Maybe[str], ...]]:
    at = ".".join(path)
    listed = items(cluster.read(*path), at)
    if isinstance(listed, Unknown):
        return listed
    return tuple(found if (found := text(read(entry), f"{at}[{i}]")) is not None else Unknown(at) for i, entry in enumerate(listed))


def _strangers(cluster: Resource, program: Program) -> tuple[str, ...]:
    """What stands in the nodes' group by its name; what the cluster's output names is told by the dependency."""
    named = text(cluster.read("nodeResourceGroup"), "nodeResourceGroup")
    group = named.casefold() if isinstance(named, str) else None
    found = program.once(_by_group).get(group, ()) if group is not None else ()
    return (*found, *program.once(_by_cluster).get(cluster.urn, ()))


def _untold(cluster: Resource, program: Program) -> Unknown | None:
    """Of a group that the program names itself: the first doubt whether something that keeps data stands in it."""
    group = text(cluster.read("nodeResourceGroup"), "nodeResourceGroup")
    if group is None:
        return None
    of_cluster = set(cluster.property_dependencies.get("resourceGroupName", ()))
    elsewhere = program.once(_kept_elsewhere)
    for keeper, place in elsewhere[:1] if isinstance(group, Unknown) else program.once(_hidden):
        if isinstance(place, Unknown) and of_cluster.isdisjoint(keeper.property_dependencies.get("resourceGroupName", ())):
            return Unknown("nodeResourceGroup", f"perhaps that of {keeper.name}, whose own is {place.reason}")
    return group if isinstance(group, Unknown) and elsewhere else None


def _kept_elsewhere(program: Program) -> Sequence[tuple[Resource, Maybe[str | None]]]:
    """What keeps data, with its group, where that is none of this program's."""
    keepers = program.resources.of_type(*_KEEPERS)
    placed = ((k, meant(program, k, "resourceGroupName", k.read("resourceGroupName"), *types.RESOURCE_GROUPS)) for k in keepers)
    return [(keeper, place) for keeper, place in placed if not (isinstance(place, str) and place in program.resources.by_urn)]


def _hidden(program: Program) -> Sequence[tuple[Resource, Maybe[str | None]]]:
    return [(keeper, place) for keeper, place in program.once(_kept_elsewhere) if isinstance(place, Unknown)]


def _by_group(program: Program) -> Mapping[str, Sequence[str]]:
    """Names of resources by the literal name of their group."""
    found: dict[str, list[str]] = {}
    for resource in program.resources:
        group = resource.inputs.get("resourceGroupName") if resource.type.startswith("azure") else None
        if isinstance(group, str) and resource.type not in types.RESOURCE_GROUPS:
            found.setdefault(group.casefold(), []).append(resource.name)
    return found


def _by_cluster(program: Program) -> Mapping[str, Sequence[str]]:
    """Names of resources whose group is an output of a cluster, which can only be that of its nodes."""
    found: dict[str, list[str]] = {}
    for resource in program.resources:
        sources = resource.property_dependencies.get("resourceGroupName", ()) if resource.type.startswith("azure") else ()
        if len(sources) == 1 and isinstance(resource.inputs.get("resourceGroupName"), Unknown):
            found.setdefault(sources[0], []).append(resource.name)
    return found


def _identities(cluster: Resource, program: Program, key: str) -> tuple[Maybe[str], ...]:
    """User-assigned identities, as a list or, as ARM has them, as the keys of an object."""
    value, path = cluster.read("identity", key), f"identity.{key}"
    if value is None:
        return ()
    planned = [r.urn for r in program.resources.referred(cluster, "identity", types.IDENTITY)]
    if planned:
        return tuple(planned)
    if isinstance(value, Unknown):
        return (value,)
    if not isinstance(value, Mapping | list | tuple):
        return (Unknown(path, "not readable: neither list nor object"),)
    named = [meant(program, cluster, "identity", read(entry), types.IDENTITY) for entry in value]
    return tuple(entry for entry in named if entry is not None)
