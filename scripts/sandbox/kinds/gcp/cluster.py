"""GKE control planes: what they need, what they make (firewall rules, a first pool, a Kubernetes API server), what goes with them."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from components import catalog
from scripts.sandbox import api_server
from scripts.sandbox.kinds.gcp import paths
from scripts.sandbox.kinds.gcp import tokens as t
from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.place import Place
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_GKE = "GKE API reference, projects.locations.clusters"
_NAME = 40
"""Characters of a cluster's or pool's name at most (GKE API reference)."""
NO_CERTIFICATE = base64.b64encode(b"simulated: this API server answers in plain HTTP on the loopback, it has no certificate").decode()
DEFAULT_PER_ZONE = 3
"""Nodes of a first pool whose size nobody gives, in each zone (gcp: GKE documentation, `--num-nodes`)."""
ADVANCED = "ADVANCED_DATAPATH"


def place_of(cluster: Record) -> Place:
    """The place inside a cluster, from `projects/P/locations/L/clusters/C`."""
    _, project, _, location, _, name = cluster.id.split("/")
    return Place("gcp", project, location, name)


def location_of(cluster: Record) -> str:
    return cluster.id.split("/")[3]


def identify(order: Order) -> str:
    return f"projects/{order.account}/locations/{paths.location(order)}/clusters/{order.text('name')}"


def _admit(order: Order) -> None:
    paths.refuse_name(order)
    if len(order.text("name")) > _NAME:
        raise paths.invalid("cluster.name", order.text("name"), f"must have at most {_NAME} characters", source=_GKE)
    if not paths.location(order):
        raise Refusal(
            "Error 400", "location: give the cluster's zone or region, badRequest", source="Terraform Google provider: GetLocation"
        )
    if order.before is None and any(other.id == identify(order) for other in order.peers()):
        raise Refusal("Error 409", f"Already exists: {identify(order)}., alreadyExists", source=_GKE, status=409)
    _refuse_network(order)
    _refuse_multi_networking(order)
    _refuse_protected_change(order)


def _refuse_network(order: Order) -> None:
    """The subnetwork and its ranges for pods and services must be there."""
    if order.inputs.get("network"):
        paths.network(order, order.inputs["network"])
    if not order.inputs.get("subnetwork"):
        return
    subnetwork = paths.subnetwork(order, order.inputs["subnetwork"], _region(order))
    policy = order.inputs.get("ipAllocationPolicy") or {}
    if subnetwork is None:
        return
    held = {each.get("rangeName") for each in subnetwork.state.get("secondaryIpRanges") or ()}
    for field in ("clusterSecondaryRangeName", "servicesSecondaryRangeName"):
        if policy.get(field) and policy[field] not in held:
            raise Refusal(
                "Error 400",
                f'Secondary range "{policy[field]}" does not exist in network "{order.text("network").rsplit("/", 1)[-1]}", '
                f'subnetwork "{subnetwork.state["name"]}"., badRequest',
                source="GKE documentation, VPC-native clusters: named secondary ranges must exist",
            )


def _refuse_multi_networking(order: Order) -> None:
    """D2: several networks need Dataplane V2 and alias addresses, from the beginning."""
    if order.inputs.get("enableMultiNetworking"):
        if order.text("datapathProvider") != ADVANCED:
            raise Refusal(
                "Error 400", "Multi-networking requires Dataplane V2 (datapath provider ADVANCED_DATAPATH), badRequest",
                source="GKE documentation, set up multi-network support for Pods: requirements",
            )  # fmt: skip
        if order.text("networkingMode") == "ROUTES":
            raise Refusal(
                "Error 400", "Multi-networking requires a VPC-native cluster, badRequest",
                source="GKE documentation, set up multi-network support for Pods: requirements",
            )  # fmt: skip


def _refuse_protected_change(order: Order) -> None:
    version, before = order.text("minMasterVersion"), order.before
    if before is not None and version and _minor(version) < _minor(str(before.state.get("masterVersion"))):
        raise Refusal(
            "Error 400", f"Master cannot be downgraded from {before.state['masterVersion']} to {version}, badRequest",
            source="GKE documentation, upgrading clusters: control planes are not downgraded by a minor",
        )  # fmt: skip


def _minor(version: str) -> int:
    parts = version.split(".")
    return int(parts[1]) if len(parts) > 1 and parts[1].isdigit() else 0


def _region(order: Order) -> str:
    location = paths.location(order)
    return paths.region_of(location) if paths.is_zone(location) else location


def default_version() -> str:
    """The newest that the catalogue has as supported on GKE."""
    known = [row.minor for row in catalog.kubernetes_versions("gcp")]
    return max(known, key=_minor) if known else "1.35"


def _version(order: Order) -> str:
    """`1.35` is answered by a full version, as GKE's aliases are."""
    asked = order.text("minMasterVersion")
    before = str(order.before.state.get("masterVersion", "")) if order.before else ""
    if before and (not asked or before.startswith(asked) or _minor(asked) == _minor(before)):
        return before
    base = asked or default_version()
    return base if "-gke." in base else f"{base if base.count('.') > 1 else f'{base}.0'}-gke.1000000"


def zones(order: Order) -> list[str]:
    """Zones of a cluster's nodes: those given, its own, or three of its region."""
    given = [str(zone) for zone in order.inputs.get("nodeLocations") or ()]
    location = paths.location(order)
    if paths.is_zone(location):
        return sorted({location, *given})
    return sorted(given) or [f"{location}-{letter}" for letter in "abc"]


def _outputs(order: Order, id_: str) -> dict[str, Any]:
    before: Mapping[str, Any] = order.before.state if order.before else {}
    version, location = _version(order), paths.location(order)
    return {
        "location": location,
        "selfLink": f"https://container.googleapis.com/v1/{id_}",
        "endpoint": f"{order.world.address}/gke/{order.account}/{location}/{order.text('name')}",
        "masterVersion": version,
        "nodeVersion": order.text("nodeVersion") or version,
        "masterAuth": {
            "clusterCaCertificate": NO_CERTIFICATE,
            "clientCertificate": "",
            "clientKey": "",
            **(order.inputs.get("masterAuth") or {}),
        },
        "network": paths.path(order, order.text("network", "default"), "global/networks"),
        "subnetwork": paths.path(order, order.text("subnetwork", "default"), f"regions/{_region(order)}/subnetworks"),
        "nodeLocations": [zone for zone in zones(order) if zone != location],
        "deletionProtection": order.inputs.get("deletionProtection", True),  # H14
        "networkingMode": order.text("networkingMode", "VPC_NATIVE"),
        "datapathProvider": order.text("datapathProvider", "LEGACY_DATAPATH"),
        "releaseChannel": order.inputs.get("releaseChannel") or {"channel": "REGULAR"},
        "clusterIpv4Cidr": before.get("clusterIpv4Cidr") or "10.248.0.0/14",
        "servicesIpv4Cidr": "34.118.224.0/20",
        "labelFingerprint": "simulated",
        "operation": "",
        "uid": before.get("uid") or order.world.new_id("", 32),
    }


def _with_parts(order: Order, cluster: Record) -> None:
    """GKE opens its network for nodes and pods (GKE documentation, automatically created firewall rules)."""
    world, name = order.world, str(cluster.state["name"])
    unique = world.new_id("", 8)
    for word in ("all", "vms", "master"):
        rule = f"gke-{name}-{unique}-{word}"
        id_ = f"projects/{order.account}/global/firewalls/{rule}"
        state = {
            "name": rule, "network": paths.self_link(str(cluster.state["network"])), "selfLink": paths.self_link(id_), "direction": "INGRESS",
            "allows": [{"protocol": "tcp"}], "sourceRanges": [str(cluster.state["clusterIpv4Cidr"])], "priority": 1000,
            "creationTimestamp": world.clock.text(),
        }  # fmt: skip
        world.store.put(
            Record(kind=t.FIREWALL, key=cluster.key, id=id_, state=state, created=world.tick(), status="available", parent=cluster.ref)
        )


def _open(world: Simulation, cluster: Record) -> None:
    """The API server starts, and the first pool unless the program lets it be removed at once."""
    from scripts.sandbox.kinds.gcp import node_pool

    api_server.start(world, place_of(cluster).key)
    if cluster.status != "RUNNING" and not cluster.inputs.get("removeDefaultNodePool"):
        node_pool.first(world, cluster)


def _releases(_: Simulation, cluster: Record) -> None:
    """H14: the provider refuses; GKE itself would not."""
    if cluster.state.get("deletionProtection"):
        raise Refusal(
            "Error",
            "Cannot destroy cluster because deletion_protection is set to true. Set it to false to proceed with cluster deletion.",
            source="pulumi-gcp#1394",
        )


def _close(world: Simulation, cluster: Record) -> None:
    """Pools, their machines, the API server and every object in it go with the cluster (GKE documentation, deleting a cluster)."""
    from scripts.sandbox.kinds.gcp import node_pool

    for pool in node_pool.of_cluster(world, cluster):
        node_pool.empty(world, pool)
        world.store.drop(pool)
    api_server.stop(world, place_of(cluster).key)


def require(order: Order) -> Record:
    """The cluster that a node pool names by name or id, in its location. Raises Refusal when it is absent or not running."""
    text = order.text("cluster")
    id_ = text if text.startswith("projects/") else f"projects/{order.account}/locations/{paths.location(order)}/clusters/{text}"
    cluster = order.get(t.CLUSTER, id_)
    if cluster is None:
        raise Refusal("Error 404", f"Not found: {id_}., notFound", source=_GKE, status=404)
    if cluster.status != "RUNNING":
        raise Refusal("Error 400", f"Cluster {cluster.id} is {cluster.status}, failedPrecondition", source=_GKE)
    return cluster


def node_zones(cluster: Record) -> list[str]:
    """Zones of a cluster's nodes, which pools that name none inherit (D7)."""
    location = location_of(cluster)
    held = [str(zone) for zone in cast("list[Any]", cluster.state.get("nodeLocations") or [])]
    return sorted({*held, *([location] if paths.is_zone(location) else [])})


KINDS = (
    Kind(
        token=t.CLUSTER,
        replace=frozenset(
            {
                "name", "location", "project", "clusterIpv4Cidr", "datapathProvider", "defaultMaxPodsPerNode", "description", "enableAutopilot",
                "enableKubernetesAlpha", "enableTpu", "enableMultiNetworking", "initialNodeCount", "network", "subnetwork", "networkingMode",
                "ipAllocationPolicy.clusterSecondaryRangeName", "ipAllocationPolicy.servicesSecondaryRangeName",
                "ipAllocationPolicy.clusterIpv4CidrBlock", "ipAllocationPolicy.servicesIpv4CidrBlock", "privateClusterConfig.masterIpv4CidrBlock",
                "nodeConfig", "confidentialNodes",
            }
        ),
        auto_name="name",
        name_limit=_NAME,
        create_seconds=420,
        delete_seconds=240,
        identify=identify,
        admit=_admit,
        outputs=_outputs,
        enriched={"masterAuth": ("clusterCaCertificate", "clientCertificate", "clientKey")},
        moving=frozenset({"masterVersion", "nodeVersion", "operation", "labelFingerprint"}),
        created=_with_parts,
        settle=_open,
        releases=_releases,
        deleted=_close,
        starts="RUNNING",
        starting="PROVISIONING",
        closed_sets={
            "datapathProvider": ("container", "NetworkConfig.datapathProvider"),
            "releaseChannel.channel": ("container", "ReleaseChannel.channel"),
            "monitoringConfig.enableComponents": ("container", "MonitoringComponentConfig.enableComponents"),
            "loggingConfig.enableComponents": ("container", "LoggingComponentConfig.enableComponents"),
        },
    ),
)  # fmt: skip
