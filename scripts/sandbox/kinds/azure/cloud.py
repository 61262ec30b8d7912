"""Azure's answers to what the neutral parts of the world ask of each cloud."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from scripts.errors import BadInput
from scripts.sandbox.clouds import Cloud, Pool
from scripts.sandbox.place import Place
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

CLUSTER = "azure-native:containerservice:ManagedCluster"


def _find_cluster(world: Simulation, place: Place) -> Record | None:
    """Ids are Resource Manager's, in which names are compared without regard to case."""
    path = (
        f"/subscriptions/{place.account}/resourceGroups/{place.region}/providers/Microsoft.ContainerService/managedClusters/{place.cluster}"
    )
    return next((r for r in world.store.of_kind(CLUSTER, place.outside.key) if r.id.lower() == path.lower()), None)


def _cluster_place(_: Simulation, words: list[str]) -> Place:
    subscription, group, name = words
    return Place("azure", subscription, group, name)


def _pools(_: Simulation) -> Iterable[Pool]:
    return ()


def _no_reservation(_: Simulation, given: Mapping[str, object]) -> Record:
    raise BadInput(f"reservations of Azure are not declared ({given.get('id')}): a program makes them.")


CLOUD = Cloud(
    name="azure",
    cluster=CLUSTER,
    ready="Succeeded",
    door="aks",
    find_cluster=_find_cluster,
    cluster_place=_cluster_place,
    path_words=3,
    version=lambda cluster: f"{cluster.state['kubernetesVersion']}-aks-simulated",
    instance="",
    machine=lambda _: "",
    node_name=lambda instance: instance.id,
    extended_resources=lambda _, __: {},
    pools=_pools,
    declare_reservation=_no_reservation,
    due=lambda _: iter(()),
)
