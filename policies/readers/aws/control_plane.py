"""EKS clusters."""

from __future__ import annotations

from collections.abc import Iterator

from components.inventory import ControlPlane, Lost
from components.resource import Resource
from components.unknown import Unknown
from policies.readers.program import Program
from policies.readers.tagging import own_tags, tags_everywhere
from policies.readers.values import flag, text


def read_cluster(cluster: Resource, program: Program) -> Iterator[ControlPlane | Lost]:
    version = text(cluster.read("version"), "version")
    yield ControlPlane(
        urn=cluster.urn,
        name=cluster.name,
        cloud="aws",
        region=program.region(cluster),
        version=version,
        deletion_protection=flag(cluster.read("deletionProtection"), "deletionProtection"),
        protected=cluster.options.protect,
        tags=own_tags(cluster, "tags"),
        tags_everywhere=tags_everywhere(cluster, program, "defaultTags", within="tags"),
    )
    auto = flag(cluster.read("computeConfig", "enabled"), "computeConfig.enabled")
    if isinstance(auto, Unknown):
        reason = f"a cluster whose Auto Mode cannot be told ({auto.path} is {auto.reason}): it starts machines without an upper bound in the program"
        yield Lost(urn=cluster.urn, type=cluster.type, reason=reason)
    elif auto:
        yield Lost(urn=cluster.urn, type=cluster.type, reason="in Auto Mode, which starts machines without an upper bound in the program")
