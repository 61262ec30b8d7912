"""EKS clusters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from components.inventory import ControlPlane, Lost
from components.resource import Resource
from components.unknown import Maybe, Unknown
from policies.readers.program import Program
from policies.readers.values import flag, given, text, texts


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
        tags=_tags(cluster),
    )
    auto = flag(cluster.read("computeConfig", "enabled"), "computeConfig.enabled")
    if isinstance(auto, Unknown):
        reason = f"a cluster whose Auto Mode cannot be told ({auto.path} is {auto.reason}): it starts machines without an upper bound in the program"
        yield Lost(urn=cluster.urn, type=cluster.type, reason=reason)
    elif auto:
        yield Lost(urn=cluster.urn, type=cluster.type, reason="in Auto Mode, which starts machines without an upper bound in the program")


def _tags(cluster: Resource) -> Maybe[Mapping[str, Maybe[str]]]:
    """Tags that the program writes, or that its provider puts on everything."""
    found = texts(cluster.read("tags"), "tags")
    return found if isinstance(found, Unknown) else {key: given(said, f"tags.{key}", "empty") for key, said in found.items()}
