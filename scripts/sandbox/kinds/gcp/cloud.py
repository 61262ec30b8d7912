"""GCP's answers to what the neutral parts of the world ask of each cloud."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from scripts.errors import BadInput
from scripts.sandbox.clouds import Cloud, Pool
from scripts.sandbox.place import Place
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

CLUSTER = "gcp:container/cluster:Cluster"


def _find_cluster(world: Simulation, place: Place) -> Record | None:
    key = Place("gcp", place.account, "global").key
    return world.store.get(CLUSTER, key, f"projects/{place.account}/locations/{place.region}/clusters/{place.cluster}")


def _cluster_place(_: Simulation, words: list[str]) -> Place:
    project, location, name = words
    return Place("gcp", project, location, name)


def _pools(_: Simulation) -> Iterable[Pool]:
    return ()


def _no_reservation(_: Simulation, given: Mapping[str, object]) -> Record:
    raise BadInput(f"reservations of GCP are not declared ({given.get('id')}): a program makes them.")


CLOUD = Cloud(
    name="gcp",
    cluster=CLUSTER,
    ready="RUNNING",
    door="gke",
    find_cluster=_find_cluster,
    cluster_place=_cluster_place,
    path_words=3,
    version=lambda cluster: f"{cluster.state['masterVersion']}-simulated",
    instance="",
    machine=lambda _: "",
    node_name=lambda instance: instance.id,
    extended_resources=lambda _, __: {},
    pools=_pools,
    declare_reservation=_no_reservation,
    due=lambda _: iter(()),
)
