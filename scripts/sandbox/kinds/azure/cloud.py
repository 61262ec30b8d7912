"""Azure's answers to what the neutral parts of the world ask of each cloud."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from components import catalog
from components.naming import tag_key
from scripts.arm_paths import TYPES, name_of
from scripts.errors import BadInput
from scripts.sandbox.clouds import Cloud, Pool
from scripts.sandbox.kinds.azure import agent_pool, nodes, scaling
from scripts.sandbox.kinds.azure import tokens as t
from scripts.sandbox.kinds.azure.arm import find, place_of
from scripts.sandbox.place import Place
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_STACK, _POOL = tag_key("azure", "stack"), tag_key("azure", "pool")


def _find_cluster(world: Simulation, place: Place) -> Record | None:
    path = TYPES[t.CLUSTER].path(place.account, {"resourceGroupName": place.region, "resourceName": place.cluster})
    return find(world, path)


def _cluster_place(world: Simulation, words: list[str]) -> Place:
    """Names are compared without regard to case: the place is that of the cluster as it was made."""
    subscription, group, name = words
    found = _find_cluster(world, Place("azure", subscription, group, name))
    return nodes.place_of_cluster(found.id) if found else Place("azure", subscription, group, name)


def _pools(world: Simulation) -> Iterable[Pool]:
    for record in world.store.of_kind(t.AGENT_POOL, place_of(world.account("azure")).key):
        low, high = agent_pool.bounds(record)
        yield Pool(
            record=record,
            stack=record.tags.get(_STACK, ""),
            name=record.tags.get(_POOL) or name_of(record.id),
            cluster_key=nodes.key_of(record),
            machine=str(record.state["vmSize"]),
            minimum=low,
            maximum=high,
            selector={"kubernetes.azure.com/agentpool": name_of(record.id)},
            resize=lambda count, pool=record: agent_pool.set_count(world, world.store.by_ref(pool.ref) or pool, count),
            instances=lambda pool=record: _instances(world, pool),
        )


def _instances(world: Simulation, pool: Record) -> list[Record]:
    scale_set = agent_pool.scale_set_of(world, pool)
    return scaling.vms(world, scale_set) if scale_set else []


def _declare(world: Simulation, given: Mapping[str, object]) -> Record:
    """A reservation with its group: `group` (its path), `machine`, `count`, `location`, optional `zone`. Raises BadInput for what is missing."""
    wanted = {name: given.get(name) for name in ("group", "machine", "count", "location")}
    missing = [name for name, value in wanted.items() if not value]
    if missing:
        raise BadInput(f"a reservation on Azure needs {', '.join(wanted)}: {', '.join(missing)} is missing.")
    if catalog.find_machine("azure", str(wanted["machine"])) is None:
        raise BadInput(f"machine is {wanted['machine']!r}: give a size of the catalogue, such as Standard_ND96isr_H100_v5.")
    group, zones = str(wanted["group"]), [str(given["zone"])] if given.get("zone") else []
    key, location = place_of(group.split("/")[2] if group.count("/") > 2 else world.account("azure")).key, str(wanted["location"])
    if find(world, group) is None:
        _put(world, t.RESERVATION_GROUP, key, group, {"name": name_of(group), "location": location, "zones": zones})
    sku = {"name": str(wanted["machine"]), "capacity": int(str(wanted["count"]))}
    path = f"{group}/capacityReservations/{name_of(group)}-{sku['name']}"
    return _put(world, t.RESERVATION, key, path, {"name": name_of(path), "location": location, "zones": zones, "sku": sku})


def _put(world: Simulation, kind: str, key: str, path: str, state: Mapping[str, object]) -> Record:
    return world.store.put(
        Record(kind=kind, key=key, id=path, state={**state, "provisioningState": "Succeeded"}, created=world.tick(), status="Succeeded")
    )


CLOUD = Cloud(
    name="azure",
    cluster=t.CLUSTER,
    ready="Succeeded",
    door="aks",
    find_cluster=_find_cluster,
    cluster_place=_cluster_place,
    path_words=3,
    version=lambda cluster: f"{cluster.state['currentKubernetesVersion']}.0-aks-simulated",
    instance=t.SCALE_SET_VM,
    machine=lambda vm: str(vm.state["size"]),
    node_name=nodes.node_name,
    extended_resources=nodes.extended_resources,
    pools=_pools,
    declare_reservation=_declare,
    due=lambda _: iter(()),
)
