"""The cluster's own network: private subnets for nodes, small public ones for NAT gateways, S3 reached without either."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import pulumi
from pulumi_aws import ec2

from components.addresses import AddressPlan, ZonePlan
from components.kept import kept_options, kept_tags
from components.naming import Identity
from components.ordering import after
from components.spec.network_checks import is_zone_id

from .endpoints import EndpointsArgs, interface_endpoints
from .flow_logs import FlowLogsArgs, flow_logs

EVERYWHERE = "0.0.0.0/0"


@dataclass(frozen=True, kw_only=True)
class NetworkArgs:
    """Address plan and ways out of a network. Raises ValueError for one without a way out: its nodes could fetch no image."""

    region: str
    plan: AddressPlan
    nat: Literal["single", "per_zone", "none"]
    identity: Identity
    endpoints: bool = False
    """Whether AWS services are reached by interface endpoints."""
    flow_log_days: int | None = None
    """Days that flow logs are kept; None: none are written."""
    kept_zone: str | None = None
    """Zone of data that outlives the cluster: a destroy leaves its subnet and the VPC, which cost nothing."""

    def __post_init__(self) -> None:
        if self.nat == "none":
            raise ValueError("network.nat: none leaves the GPU stack's charts and images out of reach: use single or per_zone")


class Network(pulumi.ComponentResource):
    """A VPC whose nodes have no public addresses, reach the internet through NAT and S3 through a free gateway endpoint."""

    vpc_id: pulumi.Output[str]
    node_subnet_ids: Mapping[str, pulumi.Output[str]]
    """By zone; usable once their way out exists."""

    @property
    def control_plane_subnet_ids(self) -> tuple[pulumi.Output[str], ...]:
        """The control plane's interfaces stand beside the nodes."""
        return tuple(self.node_subnet_ids.values())

    def __init__(self, name: str, args: NetworkArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:aws:Network", name, {}, opts)
        self._name = name
        self._args = args
        self._own = pulumi.ResourceOptions(parent=self)
        vpc = self._vpc()
        gateways = self._nat_gateways(vpc)
        tables = {zone.zone: self._private_table(zone, vpc) for zone in args.plan.zones}
        self._s3_endpoint(vpc, list(tables.values()))
        self.vpc_id = vpc.id
        ways_out = {zone: self._way_out(zone, table, gateways) for zone, table in tables.items()}
        self.node_subnet_ids = {z.zone: self._node_subnet(z, vpc, tables[z.zone], ways_out[z.zone]) for z in args.plan.zones}
        if args.endpoints:
            self._interface_endpoints(vpc)
        if args.flow_log_days is not None:
            logs = FlowLogsArgs(region=args.region, vpc_id=vpc.id, days=args.flow_log_days, identity=args.identity)
            flow_logs(f"{name}-flow-logs", logs, self)
        self.register_outputs({"vpcId": self.vpc_id, "nodeSubnetIds": dict(self.node_subnet_ids)})

    def _named(self, suffix: str) -> tuple[str, dict[str, str]]:
        """Logical name and tags of a child."""
        name = f"{self._name}-{suffix}"
        return name, {**self._args.identity.tags(name), "Name": name}

    def _vpc(self) -> ec2.Vpc:
        name, tags = self._named("vpc")
        kept = self._args.kept_zone is not None
        return ec2.Vpc(
            name,
            cidr_block=str(self._args.plan.cidr),
            enable_dns_hostnames=True,
            enable_dns_support=True,
            tags={**tags, **(kept_tags(self._args.identity, name) if kept else {})},
            opts=kept_options(self) if kept else self._own,
        )

    def _subnet(self, kind: Literal["public", "nodes"], zone: ZonePlan, vpc: ec2.Vpc) -> ec2.Subnet:
        name, tags = self._named(f"{kind}-{zone.zone}")
        by_id = is_zone_id(zone.zone)
        kept = kind == "nodes" and zone.zone == self._args.kept_zone
        return ec2.Subnet(
            name,
            vpc_id=vpc.id,
            cidr_block=str(zone.public if kind == "public" else zone.nodes),
            availability_zone=None if by_id else zone.zone,
            availability_zone_id=zone.zone if by_id else None,
            map_public_ip_on_launch=False,  # A7: a node with several interfaces can have no public address
            tags={**tags, **(kept_tags(self._args.identity, name) if kept else {})},
            opts=kept_options(self) if kept else self._own,
        )

    def _nat_gateways(self, vpc: ec2.Vpc) -> dict[str, ec2.NatGateway]:
        """By zone: one gateway, or one each, in the zone's public subnet."""
        name, tags = self._named("igw")
        internet = ec2.InternetGateway(name, vpc_id=vpc.id, tags=tags, opts=self._own)
        name, tags = self._named("public")
        table = ec2.RouteTable(name, vpc_id=vpc.id, tags=tags, opts=self._own)
        route = ec2.Route(f"{name}-out", route_table_id=table.id, destination_cidr_block=EVERYWHERE, gateway_id=internet.id, opts=self._own)
        zones = self._args.plan.zones if self._args.nat == "per_zone" else self._args.plan.zones[:1]
        return {zone.zone: self._nat_gateway(zone, vpc, table, route) for zone in zones}

    def _nat_gateway(self, zone: ZonePlan, vpc: ec2.Vpc, table: ec2.RouteTable, route: ec2.Route) -> ec2.NatGateway:
        subnet = self._subnet("public", zone, vpc)
        name, tags = self._named(f"nat-{zone.zone}")
        routed = ec2.RouteTableAssociation(f"{name}-route", route_table_id=table.id, subnet_id=subnet.id, opts=self._own)
        address = ec2.Eip(f"{name}-ip", domain="vpc", tags=self._named(f"nat-{zone.zone}-ip")[1], opts=self._own)
        # the address and the gateway need the way to the internet first, and lose it last
        opts = pulumi.ResourceOptions(parent=self, depends_on=[route, routed])
        return ec2.NatGateway(name, subnet_id=subnet.id, allocation_id=address.id, tags=tags, opts=opts)

    def _private_table(self, zone: ZonePlan, vpc: ec2.Vpc) -> ec2.RouteTable:
        name, tags = self._named(f"private-{zone.zone}")
        return ec2.RouteTable(name, vpc_id=vpc.id, tags=tags, opts=self._own)

    def _way_out(self, zone: str, table: ec2.RouteTable, gateways: Mapping[str, ec2.NatGateway]) -> ec2.Route:
        """Through the zone's own gateway, else through the only one."""
        gateway = gateways.get(zone) or next(iter(gateways.values()))
        return ec2.Route(
            f"{self._name}-private-{zone}-out",
            route_table_id=table.id,
            destination_cidr_block=EVERYWHERE,
            nat_gateway_id=gateway.id,
            opts=self._own,
        )

    def _node_subnet(self, zone: ZonePlan, vpc: ec2.Vpc, table: ec2.RouteTable, way_out: ec2.Route) -> pulumi.Output[str]:
        """The id of a node subnet, which waits for its way out: nodes that start without one never join."""
        subnet = self._subnet("nodes", zone, vpc)
        name = f"{self._name}-nodes-{zone.zone}-route"
        routed = ec2.RouteTableAssociation(name, route_table_id=table.id, subnet_id=subnet.id, opts=self._own)
        return after(subnet.id, routed, way_out)

    def _interface_endpoints(self, vpc: ec2.Vpc) -> None:
        args = EndpointsArgs(
            region=self._args.region,
            vpc_id=vpc.id,
            cidr=self._args.plan.cidr,
            subnet_ids=list(self.node_subnet_ids.values()),
            identity=self._args.identity,
        )
        interface_endpoints(self._name, args, self)

    def _s3_endpoint(self, vpc: ec2.Vpc, tables: list[ec2.RouteTable]) -> None:
        """J4: image layers come from S3; through NAT they cost one CI fleet 149,257 USD in a month, through this endpoint nothing."""
        name, tags = self._named("s3")
        ec2.VpcEndpoint(
            name,
            vpc_id=vpc.id,
            service_name=f"com.amazonaws.{self._args.region}.s3",
            vpc_endpoint_type="Gateway",
            route_table_ids=[table.id for table in tables],
            tags=tags,
            opts=self._own,
        )
