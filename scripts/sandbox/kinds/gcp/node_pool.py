"""GKE node pools and the managed instance group that each owns in every zone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from scripts.sandbox.kinds.gcp import cluster as clusters
from scripts.sandbox.kinds.gcp import groups, nodes, paths
from scripts.sandbox.kinds.gcp import node_pool_rules as rules
from scripts.sandbox.kinds.gcp import tokens as t
from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.refusal import NotReady, Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

FIRST = "default-pool"
_GKE = "GKE API reference, projects.locations.clusters.nodePools"
_MOST_WITHOUT_BOUND = 1000
"""Nodes of a pool at most (GKE documentation, limits)."""


def identify(order: Order) -> str:
    """The provider's form: `projects/P/locations/L/clusters/C/nodePools/N`."""
    cluster = order.text("cluster").rsplit("/", 1)[-1]
    return f"projects/{order.account}/locations/{_location(order)}/clusters/{cluster}/nodePools/{order.text('name')}"


def _location(order: Order) -> str:
    text = order.text("cluster")
    return text.split("/")[3] if text.startswith("projects/") else paths.location(order)


def zones(order: Order, cluster: Record) -> list[str]:
    """D7: a pool that names no zone stands in all of its cluster's."""
    return sorted(str(zone) for zone in order.inputs.get("nodeLocations") or ()) or clusters.node_zones(cluster)


def _admit(order: Order) -> None:
    cluster = clusters.require(order)
    paths.refuse_name(order)
    if cluster.state.get("enableAutopilot"):
        raise rules.refused("Autopilot clusters do not support mutating node pools", source="D15: GKE documentation, Autopilot")
    if order.before is None and any(other.id == identify(order) for other in order.peers()):
        raise Refusal("Error 409", f"Already exists: {identify(order)}., alreadyExists", source=_GKE, status=409)
    places = zones(order, cluster)
    rules.refuse(order, cluster, places)
    if order.before is None:
        rules.refuse_quota(order, sizes(order.inputs, places))
        for zone in places:
            rules.refuse_held(order, zone)


def sizes(inputs: Mapping[str, Any], places: list[str]) -> dict[str, int]:
    """First nodes by zone. D7: counts are per zone; only limits that say so are totals, which the autoscaler fills evenly."""
    scaling = cast("dict[str, Any]", inputs.get("autoscaling") or {})
    each = int(inputs.get("nodeCount") or inputs.get("initialNodeCount") or 0)
    each = max(each, int(scaling.get("minNodeCount") or 0))
    lacking = max(0, int(scaling.get("totalMinNodeCount") or 0) - each * len(places))
    return {zone: each + lacking // len(places) + (at < lacking % len(places)) for at, zone in enumerate(places)}


def bounds(pool: Record) -> tuple[int, int]:
    """Least and most nodes of a pool in all: the autoscaler's, or its size where it has none."""
    scaling = cast("dict[str, Any]", pool.state.get("autoscaling") or {})
    count = len(_places(pool))
    if not scaling:
        return 0, _MOST_WITHOUT_BOUND
    low, high = scaling.get("totalMinNodeCount"), scaling.get("totalMaxNodeCount")
    if high is None:
        low, high = (int(scaling.get(name) or 0) * count for name in ("minNodeCount", "maxNodeCount"))
    return int(low or 0), int(high)


def _places(pool: Record) -> list[str]:
    return [str(zone) for zone in pool.state["nodeLocations"]]


def _outputs(order: Order, _: str) -> dict[str, Any]:
    cluster = clusters.require(order)
    before: Mapping[str, Any] = order.before.state if order.before else {}
    places = zones(order, cluster)
    unique = before.get("unique") or order.world.new_id("", 8)
    urls = [paths.self_link(_group_id(order.account, str(cluster.state["name"]), order.text("name"), unique, zone)) for zone in places]
    first = sizes(order.inputs, places)
    each = int(order.inputs.get("initialNodeCount") or order.inputs.get("nodeCount") or min(first.values(), default=0))
    config = rules.config_of(order.inputs)
    return {
        "location": _location(order),
        "nodeLocations": places,
        "instanceGroupUrls": urls,
        "managedInstanceGroupUrls": [url.replace("/instanceGroupManagers/", "/instanceGroups/") for url in urls],
        "initialNodeCount": before.get("initialNodeCount", each),
        "nodeCount": order.inputs.get("nodeCount", before.get("nodeCount", each)),
        "version": order.text("version") or before.get("version") or cluster.state["nodeVersion"],
        "nodeConfig": _filled(config),
        "management": {"autoRepair": True, "autoUpgrade": True, **(order.inputs.get("management") or {})},
        "maxPodsPerNode": order.inputs.get("maxPodsPerNode", 110),
        "operation": "",
        "unique": unique,
    }


def _filled(config: dict[str, Any]) -> dict[str, Any]:
    """What GKE writes where the program leaves it out: D10, D11 come from such fields."""
    return {"diskSizeGb": groups.DEFAULT_DISK_GB, "diskType": "pd-balanced", "imageType": "COS_CONTAINERD", **config}


def _group_id(project: str, cluster: str, pool: str, unique: str, zone: str) -> str:
    return f"projects/{project}/zones/{zone}/instanceGroupManagers/gke-{cluster[:18]}-{pool[:18]}-{unique}-grp"


def _with_groups(order: Order, pool: Record) -> None:
    cluster = clusters.require(order)
    first = sizes(order.inputs, _places(pool))
    for zone in _places(pool):
        order.world.store.put(_group(order.world, cluster, pool, zone, first[zone]))


def _group(world: Simulation, cluster: Record, pool: Record, zone: str, size: int) -> Record:
    """The managed instance group of one zone as the pool now wants it."""
    project, name = cluster.key.split("/")[1], str(cluster.state["name"])
    id_ = _group_id(project, name, str(pool.state["name"]), str(pool.state["unique"]), zone)
    base = id_.rsplit("/", 1)[-1].removesuffix("-grp")
    extra = cast("list[dict[str, str]]", (pool.state.get("networkConfig") or {}).get("additionalNodeNetworkConfigs") or [])
    region = paths.region_of(zone)
    pairs = [{"network": str(cluster.state["network"]), "subnetwork": str(cluster.state["subnetwork"])}]
    pairs += [
        {
            "network": _in_project(project, each["network"], "global/networks"),
            "subnetwork": _in_project(project, each["subnetwork"], f"regions/{region}/subnetworks"),
        }
        for each in extra
    ]
    owned = {
        "goog-k8s-cluster-name": name,
        "goog-k8s-cluster-location": clusters.location_of(cluster),
        "goog-k8s-node-pool-name": str(pool.state["name"]),
    }
    state = {
        "name": f"{base}-grp", "zone": zone, "baseInstanceName": base, "targetSize": size, "selfLink": paths.self_link(id_),
        "instanceGroup": paths.self_link(id_).replace("/instanceGroupManagers/", "/instanceGroups/"), "creationTimestamp": world.clock.text(),
        "config": dict(pool.state["nodeConfig"]), "networks": pairs, "cluster": clusters.place_of(cluster).key, "pool": str(pool.state["name"]),
        "version": str(pool.state["version"]), "ownLabels": owned, "tpuTopology": (pool.state.get("placementPolicy") or {}).get("tpuTopology"),
    }  # fmt: skip
    return Record(kind=t.GROUP, key=pool.key, id=id_, state=state, status="available", parent=pool.ref, created=world.tick(), tags=owned)


def _in_project(project: str, reference: str, collection: str) -> str:
    text = reference.rsplit("/compute/v1/", 1)[-1]
    return text if text.startswith("projects/") else f"projects/{project}/{collection}/{text}"


def groups_of(world: Simulation, pool: Record) -> list[Record]:
    """The managed instance groups of a pool, ordered by zone."""
    return sorted((r for r in world.store.children(pool) if r.kind == t.GROUP), key=lambda r: str(r.state["zone"]))


def instances(world: Simulation, pool: Record) -> list[Record]:
    """Running machines of a pool, oldest first."""
    found = [instance for group in groups_of(world, pool) for instance in groups.instances(world, group)]
    return sorted(found, key=lambda r: (r.created, r.id))


def _start(world: Simulation, pool: Record) -> None:
    """Nodes come up. Raises NotReady when some cannot: the pool stays, with its error, and the next update tries again."""
    for group in groups_of(world, pool):
        failure = groups.reconcile(world, group)
        if failure is not None:
            running = len(groups.instances(world, group))
            code = {"ZONE_RESOURCE_POOL_EXHAUSTED": "GCE_STOCKOUT"}.get(failure.code, failure.code)
            message = (
                f"Google Compute Engine: Not all instances running in IGM. Expected {group.state['targetSize']}, running {running}, "
                f"transitioning 0. Current errors: [{code}]: Instance '{group.state['baseInstanceName']}' creation failed: "
                f"{failure.code}: {failure.message}"
            )  # tb-gcp#589, akka/akka-core#32992
            world.store.put(replace(pool, status="RUNNING_WITH_ERROR", state={**pool.state, "statusMessage": message}))
            raise NotReady("Error waiting for creating GKE NodePool", message)


def _change(order: Order, pool: Record) -> None:
    """Groups follow the pool. What GKE rolls nodes for, it rolls; labels and taints reach running nodes."""
    world, cluster = order.world, clusters.require(order)
    before = order.before
    held = {str(group.state["zone"]): group for group in groups_of(world, pool)}
    rolled = before is not None and _rolls(before, pool)
    for zone in _places(pool):
        old = held.pop(zone, None)
        size = int(old.state["targetSize"]) if old else sizes(order.inputs, _places(pool))[zone]
        if before is not None and order.inputs.get("nodeCount") != before.inputs.get("nodeCount"):
            size = int(order.inputs.get("nodeCount") or 0)
        new = _group(world, cluster, pool, zone, size)
        world.store.put(
            replace(new, id=old.id, created=old.created, state={**new.state, "selfLink": old.state["selfLink"]}) if old else new
        )
        if old is not None and rolled:
            for instance in groups.instances(world, old):
                groups.terminate(world, instance)
        elif old is not None:
            nodes.relabel(world, world.store.by_ref(old.ref) or old)
    for gone in held.values():
        groups.drop(world, gone)
    _within_bounds(world, pool)


def _rolls(before: Record, pool: Record) -> bool:
    """Whether a change makes GKE start its nodes anew: anything of their config but labels and taints, or their version."""

    def core(record: Record) -> dict[str, Any]:
        config = cast("dict[str, Any]", record.inputs.get("nodeConfig") or {})
        return {k: v for k, v in config.items() if k not in ("labels", "taints", "resourceLabels", "tags")}

    return core(before) != core(pool) or before.state.get("version") != pool.state.get("version")


def _within_bounds(world: Simulation, pool: Record) -> None:
    """The autoscaler brings a pool back between its limits."""
    low, high = bounds(pool)
    total = sum(int(group.state["targetSize"]) for group in groups_of(world, pool))
    if pool.state.get("autoscaling") and not low <= total <= high:
        set_total(world, pool, min(max(total, low), high), start=False)


def set_total(world: Simulation, pool: Record, count: int, *, start: bool = True) -> Refusal | None:
    """Give a pool `count` nodes, spread evenly over its zones, in the open transaction. Returns why it did not get there."""
    held = groups_of(world, pool)
    failure = None
    for at, group in enumerate(held):
        share = count // len(held) + (at < count % len(held))
        present = groups.updated(world, group, targetSize=share)
        if start:
            failure = groups.reconcile(world, present) or failure
    return failure


def empty(world: Simulation, pool: Record) -> None:
    """A pool's groups and machines go with it."""
    for group in groups_of(world, pool):
        groups.drop(world, group)


def of_cluster(world: Simulation, cluster: Record) -> list[Record]:
    return [r for r in world.store.of_kind(t.NODE_POOL, cluster.key) if r.id.startswith(f"{cluster.id}/nodePools/")]


def first(world: Simulation, cluster: Record) -> None:
    """The pool that GKE makes with a cluster, from the cluster's own node config, in the open transaction."""
    inputs: dict[str, Any] = {
        "cluster": cluster.id, "name": FIRST, "nodeConfig": cluster.inputs.get("nodeConfig") or {},
        "nodeCount": int(cluster.inputs.get("initialNodeCount") or clusters.DEFAULT_PER_ZONE),
    }  # fmt: skip
    place = world.place("global", "gcp")
    order = Order(world=world, place=replace(place, account=cluster.key.split("/")[1]), token=t.NODE_POOL, name=FIRST, inputs=inputs)
    id_ = f"{cluster.id}/nodePools/{FIRST}"
    if world.store.get(t.NODE_POOL, cluster.key, id_) is not None:
        return
    running = replace(cluster, status="RUNNING")
    places = clusters.node_zones(cluster)
    unique = world.new_id("", 8)
    state: dict[str, Any] = {
        **inputs, "location": clusters.location_of(cluster), "nodeLocations": places, "version": cluster.state["nodeVersion"], "unique": unique,
        "nodeConfig": _filled(rules.config_of(inputs)), "initialNodeCount": inputs["nodeCount"], "maxPodsPerNode": 110,
        "management": {"autoRepair": True, "autoUpgrade": True},
        "instanceGroupUrls": [paths.self_link(_group_id(order.account, str(cluster.state["name"]), FIRST, unique, zone)) for zone in places],
    }  # fmt: skip
    pool = world.store.put(Record(kind=t.NODE_POOL, key=cluster.key, id=id_, state=state, created=world.tick(), status="RUNNING"))
    for zone in places:
        groups.reconcile(world, world.store.put(_group(world, running, pool, zone, int(inputs["nodeCount"]))))


_FIXED_CONFIG = (
    "guestAccelerators", "localSsdCount", "localNvmeSsdBlockConfig", "ephemeralStorageLocalSsdConfig", "serviceAccount", "oauthScopes", "spot",
    "preemptible", "flexStart", "maxRunDuration", "reservationAffinity", "shieldedInstanceConfig", "bootDiskKmsKey", "minCpuPlatform", "metadata",
    "secondaryBootDisks", "sandboxConfig", "soleTenantConfig", "nodeGroup", "advancedMachineFeatures", "hostMaintenancePolicy",
    "confidentialNodes", "enableConfidentialStorage",
)  # fmt: skip
"""ForceNew fields of the node config (Terraform Google provider, services/container/node_config.go)."""

KINDS = (
    Kind(
        token=t.NODE_POOL,
        replace=frozenset(
            {
                "cluster", "location", "project", "name", "namePrefix", "initialNodeCount", "maxPodsPerNode", "placementPolicy", "queuedProvisioning",
                "networkConfig.createPodRange", "networkConfig.podRange", "networkConfig.podIpv4CidrBlock", "networkConfig.acceleratorNetworkProfile",
                "networkConfig.additionalNodeNetworkConfigs", "networkConfig.additionalPodNetworkConfigs",
                *(f"nodeConfig.{name}" for name in _FIXED_CONFIG),
            }
        ),
        auto_name="name",
        name_limit=40,
        create_seconds=150,
        delete_seconds=150,
        identify=identify,
        admit=_admit,
        outputs=_outputs,
        moving=frozenset({"version", "operation", "instanceGroupUrls", "managedInstanceGroupUrls", "nodeCount"}),
        created=_with_groups,
        settle=_start,
        updated=_change,
        deleted=empty,
        starts="RUNNING",
        starting="PROVISIONING",
        closed_sets={
            "autoscaling.locationPolicy": ("container", "NodePoolAutoscaling.locationPolicy"),
            "placementPolicy.type": ("container", "PlacementPolicy.type"),
            "upgradeSettings.strategy": ("container", "UpgradeSettings.strategy"),
            "nodeConfig.taints[].effect": ("container", "NodeTaint.effect"),
            "nodeConfig.reservationAffinity.consumeReservationType": ("container", "ReservationAffinity.consumeReservationType"),
            "nodeConfig.guestAccelerators[].gpuDriverInstallationConfig.gpuDriverVersion": (
                "container", "GPUDriverInstallationConfig.gpuDriverVersion",
            ),
            "nodeConfig.guestAccelerators[].gpuSharingConfig.gpuSharingStrategy": ("container", "GPUSharingConfig.gpuSharingStrategy"),
            "nodeConfig.workloadMetadataConfig.mode": ("container", "WorkloadMetadataConfig.mode"),
        },
    ),
)  # fmt: skip
