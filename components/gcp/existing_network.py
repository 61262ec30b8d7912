"""A network that is there already, in the cluster's project or shared by a host project: used as it is, with nothing made in it."""

from __future__ import annotations

from dataclasses import dataclass

import pulumi

from components.spec import Spec


@dataclass(frozen=True, kw_only=True)
class ExistingNetwork:
    """Paths made of the stack file's names."""

    network: pulumi.Output[str]
    network_id: pulumi.Output[str]
    subnetwork: pulumi.Output[str]
    pod_range: str
    service_range: str


def existing_network(spec: Spec, region: str) -> ExistingNetwork:
    """The network of a `spec` that names one, with both its ranges."""
    given = spec.network.existing
    if given is None or given.pod_range is None or given.service_range is None:
        raise ValueError("network.existing: the stack file names no network with a range for pods and one for services")
    project = given.host_project or spec.account
    network = f"projects/{project}/global/networks/{given.network}"
    subnetwork = f"projects/{project}/regions/{region}/subnetworks/{next(iter(given.node_subnets.values()))}"
    return ExistingNetwork(
        network=pulumi.Output.from_input(network),
        network_id=pulumi.Output.from_input(network),
        subnetwork=pulumi.Output.from_input(subnetwork),
        pod_range=given.pod_range,
        service_range=given.service_range,
    )
