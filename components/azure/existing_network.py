"""A network that is there already: used as it is, with nothing made in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi

from components.spec import Spec


@dataclass(frozen=True, kw_only=True)
class ExistingNetwork:
    """Ids as the stack file has them."""

    vnet_id: pulumi.Output[str]
    node_subnet_ids: Mapping[str, pulumi.Output[str]]
    egress_addresses: tuple[pulumi.Output[str], ...] = ()
    """Not known: whoever made the network knows the addresses of its way out."""
    endpoint_subnet_id: pulumi.Output[str] | None = None
    file_system_subnet_id: pulumi.Output[str] | None = None


def existing_network(spec: Spec) -> ExistingNetwork:
    """The network of a `spec` that names one."""
    given = spec.network.existing
    if given is None:
        raise ValueError("network.existing: the stack file names no network")
    nodes = {zone: pulumi.Output.from_input(subnet) for zone, subnet in given.node_subnets.items()}
    return ExistingNetwork(vnet_id=pulumi.Output.from_input(given.network), node_subnet_ids=nodes)
