"""Readers of pulumi-aws resources."""

from __future__ import annotations

from collections.abc import Mapping

from policies.readers import types
from policies.readers.facts import ProgramReader, Reader

from .add_on import read_add_on
from .control_plane import read_cluster
from .fleet import read_fleet, read_spot_fleet, read_spot_request
from .instance import read_instance
from .launch_configuration import read_configuration
from .launch_template import read_template
from .load_balancer import read_load_balancer
from .network import read_eip, read_endpoint, read_nat_gateway
from .network_interface import read_interface
from .node_group import read_node_group
from .routing import read_route_table, read_subnet
from .scaling_group import read_scaling_group
from .security_group import read_existing_groups, read_group
from .storage import read_bucket, read_lustre
from .volume import read_volume

READERS: Mapping[str, Reader] = {
    types.NODE_GROUP: read_node_group,
    types.LAUNCH_TEMPLATE: read_template,
    types.INSTANCE: read_instance,
    types.SCALING_GROUP: read_scaling_group,
    types.SECURITY_GROUP: read_group,
    types.DEFAULT_SECURITY_GROUP: read_group,
    types.NETWORK_INTERFACE: read_interface,
    types.CLUSTER: read_cluster,
    types.NAT_GATEWAY: read_nat_gateway,
    types.VPC_ENDPOINT: read_endpoint,
    types.EIP: read_eip,
    types.VOLUME: read_volume,
    **dict.fromkeys(types.BUCKETS, read_bucket),
    **dict.fromkeys(types.LOAD_BALANCERS, read_load_balancer),
    types.LUSTRE: read_lustre,
    types.FLEET: read_fleet,
    types.SPOT_FLEET: read_spot_fleet,
    types.SPOT_REQUEST: read_spot_request,
    types.LAUNCH_CONFIGURATION: read_configuration,
    types.SUBNET: read_subnet,
    **dict.fromkeys(types.ROUTE_TABLES, read_route_table),
    types.ADD_ON: read_add_on,
}
PROGRAM_READERS: tuple[ProgramReader, ...] = (read_existing_groups,)
