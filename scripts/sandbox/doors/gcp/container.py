"""GKE's REST API (`/v1/projects/P/locations/L/clusters`): reading, sizing and deleting clusters and node pools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from scripts.sandbox import kinds
from scripts.sandbox.doors.gcp.call import Call, Route, delete, get, post
from scripts.sandbox.kinds.gcp import cluster as clusters
from scripts.sandbox.kinds.gcp import node_pool
from scripts.sandbox.kinds.gcp import tokens as t
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.simulation import Simulation
from scripts.sandbox.store import Record

_ROOT = "/v1/projects/{project}/locations/{location}"
_CLUSTER = f"{_ROOT}/clusters/{{cluster}}"
_POOL = f"{_CLUSTER}/nodePools/{{pool}}"
_EVERYWHERE = "-"
_CONFIG = (
    "machineType", "diskSizeGb", "diskType", "imageType", "serviceAccount", "oauthScopes", "spot", "preemptible", "flexStart", "maxRunDuration",
    "labels", "resourceLabels", "metadata",
)  # fmt: skip
"""Fields of a node config that provider and API spell alike."""
_BOUNDS = ("minNodeCount", "maxNodeCount", "totalMinNodeCount", "totalMaxNodeCount", "locationPolicy")


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None and value not in ({}, [])}


def shown(world: Simulation, cluster: Record) -> dict[str, Any]:
    state = cluster.state
    pools = [pool_shown(world, pool) for pool in node_pool.of_cluster(world, cluster)]
    location = clusters.location_of(cluster)
    return _given(
        {
            "name": state["name"], "location": location, "zone": location, "status": cluster.status, "endpoint": state.get("endpoint"),
            "selfLink": state.get("selfLink"), "currentMasterVersion": state.get("masterVersion"), "initialClusterVersion": state.get("masterVersion"),
            "network": str(state.get("network")).rsplit("/", 1)[-1], "subnetwork": str(state.get("subnetwork")).rsplit("/", 1)[-1],
            "locations": clusters.node_zones(cluster) or [location], "resourceLabels": dict(cluster.tags), "nodePools": pools,
            "currentNodeCount": sum(len(node_pool.instances(world, pool)) for pool in node_pool.of_cluster(world, cluster)),
            "createTime": cluster.created, "id": state.get("uid"), "labelFingerprint": "c2ltdWxhdGVk",
            "masterAuth": {"clusterCaCertificate": clusters.NO_CERTIFICATE}, "releaseChannel": {"channel": (state.get("releaseChannel") or {}).get("channel")},
            "networkConfig": {
                "network": state.get("network"), "subnetwork": state.get("subnetwork"), "datapathProvider": state.get("datapathProvider"),
                "enableMultiNetworking": bool(state.get("enableMultiNetworking")),
            },
        }
    )  # fmt: skip


def pool_shown(world: Simulation, pool: Record) -> dict[str, Any]:
    state = pool.state
    config = state["nodeConfig"]
    accelerators = [
        _given(
            {
                "acceleratorType": a.get("type"),
                "acceleratorCount": str(a.get("count")),
                "gpuDriverInstallationConfig": a.get("gpuDriverInstallationConfig"),
            }
        )
        for a in config.get("guestAccelerators") or ()
    ]
    scaling = state.get("autoscaling")
    return _given(
        {
            "name": state["name"], "status": pool.status, "statusMessage": state.get("statusMessage"), "version": state.get("version"),
            "initialNodeCount": state.get("initialNodeCount"), "locations": list(state["nodeLocations"]),
            "selfLink": f"https://container.googleapis.com/v1/{pool.id}", "instanceGroupUrls": [str(g.state["selfLink"]) for g in node_pool.groups_of(world, pool)],
            "autoscaling": {"enabled": True, **_given({name: scaling.get(name) for name in _BOUNDS})} if scaling else None,
            "management": state.get("management"), "placementPolicy": state.get("placementPolicy"), "queuedProvisioning": state.get("queuedProvisioning"),
            "config": _given({**{name: config.get(name) for name in _CONFIG}, "accelerators": accelerators, "taints": _taints(config), "reservationAffinity": config.get("reservationAffinity")}),
            "etag": "simulated",
        }
    )  # fmt: skip


def _taints(config: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [_given({name: taint.get(name) for name in ("key", "value", "effect")}) for taint in config.get("taints") or ()]


def _cluster(call: Call) -> Record:
    return call.find(t.CLUSTER, f"projects/{call.project}/locations/{call.words['location']}/clusters/{call.words['cluster']}")


def _pool(call: Call) -> Record:
    return call.find(t.NODE_POOL, f"{_cluster(call).id}/nodePools/{call.words['pool']}")


def _list(call: Call) -> dict[str, Any]:
    where = call.words["location"]
    found = [r for r in call.records(t.CLUSTER) if where in (_EVERYWHERE, clusters.location_of(r))]
    return {"clusters": [shown(call.world, each) for each in found]} if found else {}


def _list_pools(call: Call) -> dict[str, Any]:
    return {"nodePools": [pool_shown(call.world, pool) for pool in node_pool.of_cluster(call.world, _cluster(call))]}


def operation(target: Record, kind: str) -> dict[str, Any]:
    """An operation that is done already: this world waits before it answers."""
    _, project, _, location, *_ = target.id.split("/")
    name = f"operation-simulated-{kind.lower().replace('_', '-')}"
    return {
        "name": name, "operationType": kind, "status": "DONE", "location": location, "zone": location,
        "selfLink": f"https://container.googleapis.com/v1/projects/{project}/locations/{location}/operations/{name}",
        "targetLink": f"https://container.googleapis.com/v1/{target.id}",
    }  # fmt: skip


def _operation(call: Call) -> dict[str, Any]:
    location, name = call.words["location"], call.words["name"]
    return {"name": name, "status": "DONE", "location": location, "zone": location}


def _delete_cluster(call: Call) -> dict[str, Any]:
    """Deletion protection is the provider's own: GKE's API knows none (pulumi-gcp#1394)."""
    found = _cluster(call)
    with call.world.store.transaction():
        open_ = call.world.store.put(found.with_state(deletionProtection=False))
    call.world.delete(kinds.kind(t.CLUSTER), open_)
    return operation(found, "DELETE_CLUSTER")


def _delete_pool(call: Call) -> dict[str, Any]:
    found = _pool(call)
    call.world.delete(kinds.kind(t.NODE_POOL), found)
    return operation(found, "DELETE_NODE_POOL")


def _count(value: object) -> int:
    if isinstance(value, bool) or not str(value).isdigit():
        raise Refusal("badRequest", f"nodeCount {value!r} is no whole number", source="GKE API reference, SetNodePoolSizeRequest")
    return int(str(value))


def _set_size(call: Call) -> dict[str, Any]:
    """`nodeCount` is for each zone, as all of GKE's counts are that do not say otherwise (D7). What is 0 or false a client leaves out."""
    found = _pool(call)
    count = _count(call.body.get("nodeCount", 0))
    with call.world.store.transaction():
        node_pool.set_total(call.world, found, count * len(found.state["nodeLocations"]))
        call.world.tick()
    return operation(found, "SET_NODE_POOL_SIZE")


def _set_autoscaling(call: Call) -> dict[str, Any]:
    found = _pool(call)
    given = call.body.get("autoscaling") or {}
    scaling = {name: _count(given[name]) if name != "locationPolicy" else given[name] for name in _BOUNDS if name in given}
    with call.world.store.transaction():
        pool = call.world.store.put(found.with_state(autoscaling=scaling if given.get("enabled", False) else {}))
        if pool.state["autoscaling"]:
            low, high = node_pool.bounds(pool)
            total = sum(int(group.state["targetSize"]) for group in node_pool.groups_of(call.world, pool))
            node_pool.set_total(call.world, pool, min(max(total, low), high))
        call.world.tick()
    return operation(found, "UPDATE_CLUSTER")


def _set_labels(call: Call) -> dict[str, Any]:
    found = _cluster(call)
    labels = {str(k): str(v) for k, v in (call.body.get("resourceLabels") or {}).items()}
    with call.world.store.transaction():
        call.world.store.put(replace(found, tags=labels))
    return operation(found, "SET_LABELS")


def _config(call: Call) -> dict[str, Any]:
    del call
    return {"defaultClusterVersion": f"{clusters.default_version()}.0-gke.1000000", "channels": []}


ROUTES: tuple[Route, ...] = (
    get(f"{_ROOT}/clusters", _list),
    get(_CLUSTER, lambda call: shown(call.world, _cluster(call))),
    delete(_CLUSTER, _delete_cluster),
    post(f"{_CLUSTER}:setResourceLabels", _set_labels),
    get(f"{_CLUSTER}/nodePools", _list_pools),
    get(_POOL, lambda call: pool_shown(call.world, _pool(call))),
    delete(_POOL, _delete_pool),
    post(f"{_POOL}:setSize", _set_size),
    post(f"{_POOL}:setAutoscaling", _set_autoscaling),
    get(f"{_ROOT}/operations/{{name}}", _operation),
    get(f"{_ROOT}/serverConfig", _config),
)
