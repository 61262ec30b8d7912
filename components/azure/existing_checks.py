"""What a plan can tell about a network that is there already, and what it cannot."""

from __future__ import annotations

import re
from collections.abc import Iterator

from components.refusals import SpecError
from components.spec import Spec

VNET_ID = r"/subscriptions/[^/\s]+/resourceGroups/[^/\s]+/providers/Microsoft\.Network/virtualNetworks/[^/\s]+"
SUBNET_ID = VNET_ID + r"/subnets/[^/\s]+"
ZONE = r"[1-9]"

ONLY_THE_CLOUD_KNOWS = (
    "network.existing: whether its node subnets have a NAT gateway, service endpoints for Microsoft.Storage (J4), enough free addresses, "
    "and a range beside those of pods and services only the cloud can tell; list the address of its way out in access.api_cidrs, or its "
    "nodes cannot reach a public API: look before the first up"
)


def existing_problems(spec: Spec) -> Iterator[SpecError]:
    """What a plan can tell about the ids; the rest is for the cloud (`ONLY_THE_CLOUD_KNOWS`)."""
    given = spec.network.existing
    if given is None:
        return
    if not re.fullmatch(VNET_ID, given.network):
        message = "is no id of a virtual network: give /subscriptions/…/virtualNetworks/…"
        yield SpecError(path="network.existing.network", value=given.network, message=message)
    for zone, subnet in given.node_subnets.items():
        path = f"network.existing.node_subnets.{zone}"
        if not re.fullmatch(ZONE, zone):
            yield SpecError(path=path, value=zone, message='is no zone of Azure: write one such as "1" (in quotes)')
        if not re.fullmatch(SUBNET_ID, subnet):
            yield SpecError(path=path, value=subnet, message="is no id of a subnet: give /subscriptions/…/subnets/…")
        elif not subnet.startswith(f"{given.network}/"):
            yield SpecError(path=path, value=subnet, message="lies in another network: all pools of a cluster share one")
