"""GCP's answers to what the neutral parts of the world ask of each cloud."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from components.naming import tag_key
from scripts.sandbox.clouds import Cloud, Pool
from scripts.sandbox.kinds.gcp import cluster as clusters
from scripts.sandbox.kinds.gcp import node_pool, nodes, reserved
from scripts.sandbox.kinds.gcp import tokens as t
from scripts.sandbox.place import Place
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation


def _find_cluster(world: Simulation, place: Place) -> Record | None:
    key = Place("gcp", place.account, "global").key
    return world.store.get(t.CLUSTER, key, f"projects/{place.account}/locations/{place.region}/clusters/{place.cluster}")


def _cluster_place(_: Simulation, words: list[str]) -> Place:
    project, location, name = words
    return Place("gcp", project, location, name)


def _pools(world: Simulation) -> Iterable[Pool]:
    return [_pool(world, record) for record in world.store if record.kind == t.NODE_POOL]


def _pool(world: Simulation, pool: Record) -> Pool:
    """Identity labels are on the machines: a node pool itself carries none."""
    labels = (pool.state.get("nodeConfig") or {}).get("resourceLabels") or {}
    cluster = world.store.get(t.CLUSTER, pool.key, pool.id.partition("/nodePools/")[0])
    low, high = node_pool.bounds(pool)
    return Pool(
        record=pool,
        stack=str(labels.get(tag_key("gcp", "stack"), "")),
        name=str(labels.get(tag_key("gcp", "pool"), pool.state["name"])),
        cluster_key=clusters.place_of(cluster).key if cluster else "",
        machine=str(pool.state["nodeConfig"]["machineType"]),
        minimum=low,
        maximum=high,
        selector={nodes.POOL_LABEL: str(pool.state["name"])},
        resize=lambda count: node_pool.set_total(world, pool, count),
        instances=lambda: node_pool.instances(world, pool),
    )


CLOUD = Cloud(
    name="gcp",
    cluster=t.CLUSTER,
    ready="RUNNING",
    door="gke",
    find_cluster=_find_cluster,
    cluster_place=_cluster_place,
    path_words=3,
    version=lambda cluster: f"{cluster.state['masterVersion']}-simulated",
    instance=t.INSTANCE,
    machine=lambda instance: str(instance.state["machineType"]).rsplit("/", 1)[-1],
    node_name=nodes.node_name,
    extended_resources=nodes.extended_resources,
    pools=_pools,
    declare_reservation=reserved.declared,
    due=reserved.due,
)
