"""AKS clusters: what they need, the node resource group that they make, their pools inside and beside them, what goes with them."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scripts.arm_paths import group_of, name_of, subscription_of
from scripts.sandbox import api_server
from scripts.sandbox.kinds.azure import agent_pool
from scripts.sandbox.kinds.azure import tokens as t
from scripts.sandbox.kinds.azure.arm import (
    drop_nested,
    find,
    group_path,
    identities_by_path,
    location_of,
    path_of,
    refuse_locked,
    require,
    resource,
)
from scripts.sandbox.kinds.azure.cluster_rules import refuse_cluster
from scripts.sandbox.kinds.azure.identity import TENANT, guid
from scripts.sandbox.kinds.azure.nodes import place_of_cluster
from scripts.sandbox.kinds.azure.pool_rules import PoolOrder, refuse
from scripts.sandbox.kinds.kind import Order
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

DEFAULT_VERSION = "1.35"
_SHAPES = {
    "identity.type": "ResourceIdentityType", "networkProfile.networkPlugin": "NetworkPlugin", "networkProfile.networkPluginMode": "NetworkPluginMode",
    "networkProfile.networkDataplane": "NetworkDataplane", "networkProfile.networkPolicy": "NetworkPolicy", "networkProfile.outboundType": "OutboundType",
    "networkProfile.loadBalancerSku": "LoadBalancerSku", "autoUpgradeProfile.upgradeChannel": "UpgradeChannel",
    "autoUpgradeProfile.nodeOSUpgradeChannel": "NodeOSUpgradeChannel", "sku.tier": "ManagedClusterSKUTier",
}  # fmt: skip
NO_CERTIFICATE = base64.b64encode(b"simulated: this API server answers in plain HTTP on the loopback, it has no certificate").decode()


def node_group(order: Order) -> str:
    """Name of the node resource group: given, else Azure's own."""
    own = f"MC_{order.text('resourceGroupName')}_{order.text('resourceName')}_{location_of(order)}"
    return order.text("nodeResourceGroup") or own


def _admit(order: Order) -> None:
    refuse_cluster(order, node_group=node_group(order))
    before = order.before
    for profile in order.inputs.get("agentPoolProfiles") or ():
        refuse(_pool_order(order, profile, before))


def _pool_order(order: Order, profile: Mapping[str, Any], before: Record | None) -> PoolOrder:
    path = f"{path_of(order)}/agentPools/{profile.get('name', '')}"
    pool = find(order.world, path) if before is not None else None
    cluster = {**order.inputs, "location": location_of(order)}
    return PoolOrder(
        world=order.world,
        order=order,
        name=str(profile.get("name", "")),
        wanted=profile,
        location=location_of(order),
        cluster=cluster,
        path=path,
        before=pool,
    )


def endpoint(world: Simulation, path: str) -> str:
    """Where the cluster's API server answers. Outputs tell it as the cluster's name; the names of real ones have no scheme."""
    return f"{world.address}/aks/{subscription_of(path)}/{group_of(path)}/{name_of(path)}"


def kubeconfig(world: Simulation, path: str) -> dict[str, Any]:
    """A kubeconfig in exec form, as AKS lists it for users of a cluster with Entra. Raises Refusal when the cluster is not there."""
    cluster = require(world, path, by="listClusterUserCredential")
    name = name_of(cluster.id)
    server = {"server": endpoint(world, cluster.id), "certificate-authority-data": NO_CERTIFICATE}
    command = {"apiVersion": "client.authentication.k8s.io/v1beta1", "command": "kubelogin", "args": ["get-token"]}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": server}],
        "users": [{"name": name, "user": {"exec": command}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        "current-context": name,
    }


def _outputs(order: Order, id_: str) -> dict[str, Any]:
    before = order.before.state if order.before else {}
    version = order.text("kubernetesVersion") or str(before.get("kubernetesVersion") or DEFAULT_VERSION)
    host = endpoint(order.world, id_)
    private = bool((order.inputs.get("apiServerAccessProfile") or {}).get("enablePrivateCluster"))
    kubelet = f"/subscriptions/{order.account}/resourceGroups/{node_group(order)}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/{name_of(id_)}-agentpool"
    return {
        "nodeResourceGroup": node_group(order),
        "kubernetesVersion": version,
        "currentKubernetesVersion": before.get("currentKubernetesVersion", version) if order.before is None else version,
        "fqdn": "" if private else before.get("fqdn") or host,
        "privateFQDN": (before.get("privateFQDN") or host) if private else "",
        "azurePortalFQDN": before.get("azurePortalFQDN") or host,
        "resourceUID": before.get("resourceUID") or order.world.new_id("", 24),
        "maxAgentPools": 100,
        "powerState": before.get("powerState", {"code": "Running"}),
        "identity": _identity(order, before),
        "identityProfile": before.get("identityProfile")
        or {"kubeletidentity": {"clientId": guid(order.world), "objectId": guid(order.world), "resourceId": kubelet}},
        "oidcIssuerProfile": _issuer(order, before),
        "networkProfile": _network(order),
        "enableRBAC": order.inputs.get("enableRBAC", True),
        "disableLocalAccounts": order.inputs.get("disableLocalAccounts", False),
        "managedSubnet": before.get("managedSubnet", ""),
        "agentPoolProfiles": before.get("agentPoolProfiles", []),
        "eTag": order.world.new_id("", 32),
    }  # fmt: skip


def _identity(order: Order, before: Mapping[str, Any]) -> dict[str, Any]:
    given = dict(identities_by_path(order.inputs.get("identity") or {}))
    old = before.get("identity") or {}
    if given.get("type") == "SystemAssigned":
        return {**given, "principalId": old.get("principalId") or guid(order.world), "tenantId": TENANT}
    return given


def _issuer(order: Order, before: Mapping[str, Any]) -> dict[str, Any]:
    given = dict(order.inputs.get("oidcIssuerProfile") or {"enabled": False})
    if not given.get("enabled"):
        return given
    old = (before.get("oidcIssuerProfile") or {}).get("issuerURL")
    return {**given, "issuerURL": old or f"https://{location_of(order)}.oic.simulated.invalid/{TENANT}/{guid(order.world)}/"}


def _network(order: Order) -> dict[str, Any]:
    defaults = {"networkPlugin": "kubenet", "loadBalancerSku": "standard", "outboundType": "loadBalancer", "serviceCidr": "10.0.0.0/16"}
    return {**defaults, "dnsServiceIP": "10.0.0.10", **(order.inputs.get("networkProfile") or {})}


def _with_parts(order: Order, cluster: Record) -> None:
    """The node resource group with what AKS puts there, and the pools that are written inline."""
    world, group = order.world, str(cluster.state["nodeResourceGroup"])
    path = f"/subscriptions/{order.account}/resourceGroups/{group}"
    managed = {"aks-managed-cluster-name": name_of(cluster.id), "aks-managed-cluster-rg": group_of(cluster.id)}
    location, tags = cluster.state["location"], {k: str(v) for k, v in (cluster.state.get("tags") or {}).items()}
    _made(
        world, cluster, t.RESOURCE_GROUP, path, {"name": group, "location": location, "managedBy": cluster.id, "tags": {**tags, **managed}}
    )
    kubelet = cluster.state["identityProfile"]["kubeletidentity"]
    identity = {"clientId": kubelet["clientId"], "principalId": kubelet["objectId"], "tenantId": TENANT}
    _made(
        world,
        cluster,
        t.IDENTITY,
        kubelet["resourceId"],
        {"name": name_of(kubelet["resourceId"]), "location": location, **identity, "tags": tags},
    )
    if cluster.state["networkProfile"]["outboundType"] == "loadBalancer":
        name = guid(world)
        address = {"name": name, "location": location, "ipAddress": "198.51.100.1", "sku": {"name": "Standard"}, "tags": tags}
        _made(world, cluster, t.PUBLIC_IP, f"{path}/providers/Microsoft.Network/publicIPAddresses/{name}", address)
    if any(not profile.get("vnetSubnetID") for profile in order.inputs.get("agentPoolProfiles") or ()):
        cluster = _with_network(world, cluster, path)
    for profile in order.inputs.get("agentPoolProfiles") or ():
        _inline_pool(order, cluster, profile)


def _made(world: Simulation, cluster: Record, kind: str, path: str, state: Mapping[str, Any]) -> Record:
    """Something that AKS makes and deletes with the cluster."""
    tags = {k: str(v) for k, v in (state.get("tags") or {}).items()}
    return world.store.put(
        Record(
            kind=kind, key=cluster.key, id=path, created=world.tick(), status="Succeeded", parent=cluster.ref, tags=tags,
            state={**state, "provisioningState": "Succeeded", "id": path},
        )
    )  # fmt: skip


def _with_network(world: Simulation, cluster: Record, group: str) -> Record:
    """The network that AKS makes for pools without a subnet."""
    vnet = f"{group}/providers/Microsoft.Network/virtualNetworks/aks-vnet-{world.new_id('', 8)}"
    location, subnet = cluster.state["location"], f"{vnet}/subnets/aks-subnet"
    _made(
        world, cluster, t.VNET, vnet, {"name": name_of(vnet), "location": location, "addressSpace": {"addressPrefixes": ["10.224.0.0/12"]}}
    )
    _made(world, cluster, t.SUBNET, subnet, {"name": "aks-subnet", "addressPrefix": "10.224.0.0/16"})
    return world.store.put((world.store.by_ref(cluster.ref) or cluster).with_state(managedSubnet=subnet))


def _inline_pool(order: Order, cluster: Record, profile: Mapping[str, Any]) -> None:
    """A pool inside the cluster is the same thing as one beside it."""
    world, path = order.world, f"{cluster.id}/agentPools/{profile['name']}"
    inputs = {
        **{k: v for k, v in profile.items() if k != "name"},
        "resourceGroupName": order.text("resourceGroupName"),
        "resourceName": name_of(cluster.id),
        "agentPoolName": profile["name"],
    }
    state = {**inputs, "name": profile["name"], **agent_pool.properties(world, profile, cluster.state, {})}
    tags = {k: str(v) for k, v in (profile.get("tags") or {}).items()}
    pool = world.store.put(
        Record(
            kind=t.AGENT_POOL, key=cluster.key, id=path, inputs=inputs, state=state, created=world.tick(), status="Creating", tags=tags
        )
    )  # fmt: skip
    agent_pool.with_scale_set(order, pool)


def _open(world: Simulation, cluster: Record) -> None:
    """The API server starts, and the first nodes join. Raises NotReady when they cannot be had."""
    api_server.start(world, place_of_cluster(cluster.id).key)
    for pool in agent_pool.pools_of(world, cluster):
        if pool.status == "Creating":
            agent_pool.start_nodes(world, pool)
            world.store.put(replace(world.store.by_ref(pool.ref) or pool, status="Succeeded"))


def _change_pools(order: Order, cluster: Record) -> None:
    """H9: Azure merges the list: a pool that the list drops stays, one that it changes is changed."""
    world = order.world
    for profile in order.inputs.get("agentPoolProfiles") or ():
        pool = find(world, f"{cluster.id}/agentPools/{profile['name']}")
        if pool is None:
            continue
        wanted = {k: v for k, v in profile.items() if k != "name"}
        changed = {**pool.state, **wanted, **agent_pool.properties(world, {**pool.inputs, **wanted}, cluster.state, pool.state)}
        present = world.store.put(replace(pool, inputs={**pool.inputs, **wanted}, state=changed))
        agent_pool.change_nodes(replace(order, before=pool), present)
        agent_pool.start_nodes(world, present)
    agent_pool.mirror(world, cluster)


def _releases(world: Simulation, cluster: Record) -> None:
    refuse_locked(world, f"/subscriptions/{subscription_of(cluster.id)}/resourceGroups/{cluster.state['nodeResourceGroup']}", "delete")


def _close(world: Simulation, cluster: Record) -> None:
    """The API server goes with all objects in it, all pools, and the node resource group with whatever anybody put there."""
    api_server.stop(world, place_of_cluster(cluster.id).key)
    for pool in agent_pool.pools_of(world, cluster):
        agent_pool.drain(world, pool)
        world.store.drop(pool)
    group = find(world, f"{group_path(cluster.id).rpartition('/')[0]}/{cluster.state['nodeResourceGroup']}")
    if group is not None:
        drop_nested(world, group)


KINDS = (
    resource(
        t.CLUSTER,
        admit=_admit,
        outputs=_outputs,
        created=_with_parts,
        settle=_open,
        updated=_change_pools,
        releases=_releases,
        deleted=_close,
        replace={
            "diskEncryptionSetID", "dnsPrefix", "fqdnSubdomain", "linuxProfile", "nodeResourceGroup", "windowsProfile",
            *(f"networkProfile.{name}" for name in (
                "serviceCidr", "serviceCidrs", "dnsServiceIP", "networkMode", "networkPlugin", "networkPluginMode", "podCidr", "networkDataplane",
                "networkPolicy", "outboundType",
            )),
        },
        moving={"currentKubernetesVersion", "eTag", "agentPoolProfiles", "oidcIssuerProfile", "networkProfile", "identity"},
        closed_sets={
            **{path: ("containerservice", shape) for path, shape in _SHAPES.items()},
            **{f"agentPoolProfiles[].{path}": shape for path, shape in agent_pool.CLOSED.items()},
        },
        create_seconds=300,
        delete_seconds=240,
    ),
)  # fmt: skip
