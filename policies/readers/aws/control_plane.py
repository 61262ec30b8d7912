"""EKS clusters."""

from __future__ import annotations

from collections.abc import Iterator

from components.inventory import ControlPlane, Lost
from components.resource import Resource
from components.unknown import Unknown
from policies.readers.program import Program
from policies.readers.values import flag, text


def read_cluster(cluster: Resource, program: Program) -> Iterator[ControlPlane | Lost]:
    version = text(cluster.read("version"), "version")
    yield ControlPlane(urn=cluster.urn, name=cluster.name, cloud="aws", region=program.region(cluster), version=version)
    auto = flag(cluster.read("computeConfig", "enabled"), "computeConfig.enabled")
    if isinstance(auto, Unknown) or auto:
        yield Lost(urn=cluster.urn, type=cluster.type, reason="in Auto Mode, which starts machines without an upper bound in the program")
