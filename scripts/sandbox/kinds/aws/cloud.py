"""AWS's answers to what the neutral parts of the world ask of each cloud."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from components.naming import tag_key
from scripts.sandbox.clouds import Cloud, Pool
from scripts.sandbox.kinds.aws import nodes, passing, reservation, scaling
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.place import Place
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation


def _find_cluster(world: Simulation, place: Place) -> Record | None:
    return world.store.get(t.CLUSTER, place.outside.key, place.cluster)


def _cluster_place(world: Simulation, words: list[str]) -> Place:
    region, name = words
    return world.place(region).in_cluster(name)


def _pools(world: Simulation) -> Iterable[Pool]:
    return [_pool(world, record) for record in world.store if record.kind == t.NODE_GROUP]


def _pool(world: Simulation, group: Record) -> Pool:
    owned = next(r for r in world.store.children(group) if r.kind == t.SCALING_GROUP)
    return Pool(
        record=group,
        stack=group.tags.get(tag_key("aws", "stack"), ""),
        name=group.tags.get(tag_key("aws", "pool"), str(group.state["nodeGroupName"])),
        cluster_key=Place.of(group.key).in_cluster(str(group.state["clusterName"])).key,
        machine=str(owned.state["machines"][0]),
        minimum=int(owned.state["minSize"]),
        maximum=int(owned.state["maxSize"]),
        selector={"eks.amazonaws.com/nodegroup": str(owned.state["nodeGroup"])},
        resize=lambda nodes: scaling.set_desired(world, world.store.by_ref(owned.ref) or owned, nodes),
        instances=lambda: scaling.instances(world, owned),
    )


CLOUD = Cloud(
    name="aws",
    cluster=t.CLUSTER,
    ready="ACTIVE",
    door="eks",
    find_cluster=_find_cluster,
    cluster_place=_cluster_place,
    path_words=2,
    version=lambda cluster: f"{cluster.state['version']}.0-eks-simulated",
    instance=t.INSTANCE,
    machine=lambda instance: str(instance.state["instanceType"]),
    node_name=nodes.node_name,
    extended_resources=nodes.extended_resources,
    pools=_pools,
    declare_reservation=reservation.declared,
    due=passing.due,
)
