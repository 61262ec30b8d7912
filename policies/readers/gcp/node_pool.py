"""GKE node pools, as resources of their own or inside their cluster."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

from components.inventory import ExtraNetwork, GkePool, GpuPool, MachineChoice, NodePool
from components.resource import Resource
from components.unknown import Maybe, Unknown
from policies.readers import gcp_types
from policies.readers.pools import classified
from policies.readers.program import Program
from policies.readers.values import given

from . import node_config as config
from .clusters import cluster_of, pool_place, zones
from .counts import counting, nodes
from .parts import Part
from .places import region_of
from .references import reference, references


@dataclass(frozen=True)
class Home:
    """The cluster that a pool lives in."""

    named: Maybe[str | None]
    planned: Resource | None
    place: Maybe[str]


def read_node_pool(pool: Resource, program: Program) -> Iterator[NodePool | MachineChoice]:
    named, planned = cluster_of(pool, program)
    yield from gke_pool(Part(pool), pool.name, Home(named, planned, pool_place(pool, planned, program)), program)


def gke_pool(pool: Part, name: str, home: Home, program: Program) -> Iterator[NodePool | MachineChoice]:
    nodes_of, machine = pool.below("nodeConfig"), config.machine(pool.below("nodeConfig"))
    region = region_of(home.place, "location")
    listed = config.accelerators(nodes_of)
    spread, chosen = zones(pool, home.planned, home.place)
    written = counting(pool)
    gib, kind = config.disk(nodes_of, machine)
    queued = pool.on("queuedProvisioning", "enabled")
    affinity = config.affinity(nodes_of, program)
    yield with_attached(
        NodePool(
            urn=pool.resource.urn,
            name=name,
            cloud="gcp",
            region=given(region, "location", "not given"),
            machines=(machine,),
            market=config.market(nodes_of, queued),
            nodes=nodes(pool, written, spread),
            zones=spread,
            image=config.image(nodes_of),
            cluster=home.named if home.named is not None else Unknown("cluster", "not given"),
            placement_group=placement_policy(pool, program),
            reservation=_only(affinity.names),
            labels=config.labels(nodes_of, "labels"),
            taints=config.taints(nodes_of),
            root_disk_gib=gib,
            root_disk_kind=kind,
            cloud_driver=config.cloud_driver(listed),
            attached=config.attached(machine, listed),
            gke=GkePool(
                inline=bool(pool.at) or pool.resource.type == gcp_types.CLUSTER,
                accelerators=listed,
                extra_networks=_extra_networks(pool, program),
                accelerator_network_profile=pool.text("networkConfig", "acceleratorNetworkProfile"),
                spot=nodes_of.on("spot"),
                flex_start=nodes_of.on("flexStart"),
                queued=queued,
                max_run=nodes_of.text("maxRunDuration"),
                affinity=affinity,
                placement=pool.text("placementPolicy", "type"),
                placement_policy=placement_policy(pool, program),
                tpu_topology=pool.text("placementPolicy", "tpuTopology"),
                auto_repair=pool.flag("management", "autoRepair"),
                auto_upgrade=pool.flag("management", "autoUpgrade"),
                upgrade_strategy=pool.text("upgradeSettings", "strategy"),
                max_surge=pool.whole("upgradeSettings", "maxSurge"),
                max_unavailable=pool.whole("upgradeSettings", "maxUnavailable"),
                gvnic=nodes_of.flag("gvnic", "enabled"),
                counting=written,
                zones_chosen=chosen,
                prefix=pool.prefix,
            ),
            paths={
                "machines": nodes_of.path("machineType"),
                "maximum": pool.path("autoscaling"),
                "market": nodes_of.path(),
                "image": nodes_of.path("imageType"),
                "surge": pool.path("upgradeSettings"),
            },
        )
    )
    yield MachineChoice(
        urn=pool.resource.urn,
        cloud="gcp",
        region=given(region, "location", "not given"),
        machine=machine,
        path=nodes_of.path("machineType"),
    )


def with_attached(pool: NodePool) -> NodePool:
    """`pool` as `GpuPool` when its machines carry accelerators, may carry some, or get some attached."""
    if isinstance(pool.attached, Unknown) or pool.attached:
        return GpuPool(**{f.name: getattr(pool, f.name) for f in fields(pool)})
    return classified(pool)


def placement_policy(pool: Part, program: Program) -> Maybe[str | None]:
    prop = pool.prop("placementPolicy")
    value = pool.read("placementPolicy", "policyName")
    return reference(program, pool.resource, prop, value, pool.path("placementPolicy", "policyName"), gcp_types.RESOURCE_POLICY)


def _only(names: Maybe[tuple[Maybe[str], ...]]) -> Maybe[str | None]:
    if isinstance(names, Unknown):
        return names
    return names[0] if len(names) == 1 else None


def _extra_networks(pool: Part, program: Program) -> Maybe[tuple[ExtraNetwork, ...]]:
    listed = pool.each("networkConfig", "additionalNodeNetworkConfigs")
    if isinstance(listed, Unknown):
        return listed
    prop, path = pool.prop("networkConfig"), pool.path("networkConfig", "additionalNodeNetworkConfigs")
    subnets = references(program, pool.resource, prop, [entry.read("subnetwork") for entry in listed], path, gcp_types.SUBNETWORK)
    networks = references(program, pool.resource, prop, [entry.read("network") for entry in listed], path, gcp_types.NETWORK)
    return tuple(
        ExtraNetwork(network=_network(networks[i], subnets[i], program), subnet=subnets[i], path=entry.path())
        for i, entry in enumerate(listed)
    )


def _network(named: Maybe[str], subnet: Maybe[str], program: Program) -> Maybe[str]:
    """The VPC, told by its subnetwork where the program makes that: a subnetwork lies in one VPC."""
    planned = program.resources.by_urn.get(subnet) if isinstance(subnet, str) else None
    if planned is None or not isinstance(named, Unknown):
        return named
    found = reference(program, planned, "network", planned.read("network"), "network", gcp_types.NETWORK)
    return named if found is None else found
