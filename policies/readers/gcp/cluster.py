"""GKE clusters: control plane, switches, the pools that they hold themselves, and what node auto-provisioning may start."""

from __future__ import annotations

from collections.abc import Iterator

from components.inventory import ControlPlane, GkeCluster, Lost, MachineChoice, NodePool
from components.resource import Resource
from components.unknown import Maybe, Unknown
from policies.readers import gcp_types
from policies.readers.program import Program
from policies.readers.tagging import own_tags, tags_everywhere
from policies.readers.values import first, given, text

from .auto_provisioning import provisioned_pools, resource_types
from .node_pool import Home, gke_pool
from .parts import Part
from .places import location, region
from .references import reference

DEFAULT_POOL = "default-pool"


def read_cluster(cluster: Resource, program: Program) -> Iterator[ControlPlane | GkeCluster | NodePool | MachineChoice | Lost]:
    whole = Part(cluster)
    yield ControlPlane(
        urn=cluster.urn,
        name=cluster.name,
        cloud="gcp",
        region=region(cluster, program, "location"),
        version=_minor(whole),
        deletion_protection=whole.flag("deletionProtection"),
        protected=cluster.options.protect,
        tags=own_tags(cluster, "resourceLabels"),
        tags_everywhere=tags_everywhere(cluster, program, "defaultLabels"),
        tag_property="resourceLabels",
    )
    facts = _switches(whole, program)
    yield facts
    if isinstance(facts.autopilot, Unknown) or facts.autopilot:
        reason = "in Autopilot, or may be, which starts machines without an upper bound in the program"
        yield Lost(urn=cluster.urn, type=cluster.type, reason=reason)
        return
    home = Home(cluster.urn, cluster, location(cluster, program, "location"))
    yield from _own_pools(whole, home, facts, program)
    yield from provisioned_pools(whole, home)


def _own_pools(cluster: Part, home: Home, facts: GkeCluster, program: Program) -> Iterator[NodePool | MachineChoice | Lost]:
    """The pools of `nodePools`, or the default one that the cluster itself describes unless it is removed at once."""
    inline = cluster.each("nodePools")
    if isinstance(inline, Unknown):
        yield Lost(urn=cluster.resource.urn, type=cluster.resource.type, reason=f"with node pools that cannot be read ({inline})")
        return
    for pool in inline:
        name = pool.text("name")
        label = name if isinstance(name, str) else pool.path()
        yield from gke_pool(pool, f"{cluster.resource.name}/{label}", home, program)
    removed = facts.removes_default_pool
    if not inline and (isinstance(removed, Unknown) or not removed):
        yield from gke_pool(cluster, f"{cluster.resource.name}/{DEFAULT_POOL}", home, program)


def _switches(cluster: Part, program: Program) -> GkeCluster:
    resource = cluster.resource
    return GkeCluster(
        urn=resource.urn,
        name=resource.name,
        autopilot=cluster.on("enableAutopilot"),
        multi_networking=cluster.flag("enableMultiNetworking"),
        datapath=cluster.text("datapathProvider"),
        vpc_native=_vpc_native(cluster),
        private_nodes=first(
            cluster.flag("privateClusterConfig", "enablePrivateNodes"), cluster.flag("networkConfig", "enablePrivateNodes")
        ),
        network=reference(program, resource, "network", cluster.read("network"), "network", gcp_types.NETWORK),
        subnet=reference(program, resource, "subnetwork", cluster.read("subnetwork"), "subnetwork", gcp_types.SUBNETWORK),
        release_channel=cluster.text("releaseChannel", "channel"),
        exclusions=_exclusions(cluster),
        provisioned=resource_types(cluster),
        removes_default_pool=cluster.on("removeDefaultNodePool"),
    )


def _vpc_native(cluster: Part) -> Maybe[bool]:
    """New clusters are VPC-native unless `networkingMode` says ROUTES."""
    mode = cluster.text("networkingMode")
    return mode if isinstance(mode, Unknown) else mode != "ROUTES"


def _exclusions(cluster: Part) -> Maybe[tuple[Maybe[str], ...]]:
    listed = cluster.each("maintenancePolicy", "maintenanceExclusions")
    if isinstance(listed, Unknown):
        return listed
    scopes = [(entry, entry.text("exclusionOptions", "scope")) for entry in listed]
    return tuple("NO_UPGRADES" if scope is None else given(scope, entry.path(), "not given") for entry, scope in scopes)


def _minor(cluster: Part) -> Maybe[str | None]:
    """`1.35` of `1.35.2-gke.1840000`; an alias such as `latest` says nothing."""
    version = text(cluster.read("minMasterVersion"), "minMasterVersion")
    if version is None or isinstance(version, Unknown):
        return version
    parts = version.partition("-")[0].split(".")
    return (
        ".".join(parts[:2])
        if len(parts) > 1 and all(part.isdecimal() for part in parts[:2])
        else Unknown("minMasterVersion", f"{version!r}, which names no version")
    )
