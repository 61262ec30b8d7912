"""What a plan can tell about a network that is there already, and what it cannot."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from components.refusals import SpecError
from components.spec import Spec

VPC_ID, SUBNET_ID = r"vpc-[0-9a-f]{8,17}", r"subnet-[0-9a-f]{8,17}"
FEWEST_SUBNETS = 2

ONLY_THE_CLOUD_KNOWS = (
    "network.existing: whether its node subnets are private, lie in the zones named, have a way to the internet or to endpoints, the free "
    "S3 endpoint (J4) and enough free addresses only the cloud can tell: look before the first up"
)


def existing_problems(spec: Spec) -> Iterator[SpecError]:
    """What a plan can tell about the ids; the rest is for the cloud (`ONLY_THE_CLOUD_KNOWS`)."""
    given = spec.network.existing
    if given is None:
        return
    if not re.fullmatch(VPC_ID, given.network):
        yield SpecError(path="network.existing.network", value=given.network, message="is no VPC id: give vpc-…")
    named = [*((f"node_subnets.{zone}", subnet) for zone, subnet in given.node_subnets.items())]
    named += [(f"control_plane_subnets[{at}]", subnet) for at, subnet in enumerate(given.control_plane_subnets)]
    for path, subnet in named:
        if not re.fullmatch(SUBNET_ID, subnet):
            yield SpecError(path=f"network.existing.{path}", value=subnet, message="is no subnet id: give subnet-…")
    yield from _too_few(given.node_subnets, given.control_plane_subnets)


def _too_few(nodes: Mapping[str, str], planes: tuple[str, ...]) -> Iterator[SpecError]:
    if len(set(nodes.values())) < len(nodes):
        message = "names one subnet for two zones, and a subnet lies in one: give each zone its own"
        yield SpecError(path="network.existing.node_subnets", message=message)
    used = planes or tuple(nodes.values())
    if len(set(used)) < FEWEST_SUBNETS:
        path = "control_plane_subnets" if planes else "node_subnets"
        message = f"an EKS control plane stands in {FEWEST_SUBNETS} zones: name a subnet of a second zone"
        yield SpecError(path=f"network.existing.{path}", message=message)
