"""The cluster's own network: one private subnet for nodes, pods and services, a way out through Cloud NAT, Google's APIs without it."""

from __future__ import annotations

from dataclasses import dataclass

import pulumi
from pulumi_gcp import compute

from components.kept import kept_options
from components.ordering import after
from components.regional_addresses import RegionalPlan

PODS, SERVICES = "pods", "services"
PATIENCE = pulumi.CustomTimeouts(delete="60m")
"""K6: GKE removes its firewall rules and endpoint groups some time after the cluster, and they hold the network until then."""


@dataclass(frozen=True, kw_only=True)
class NetworkArgs:
    """Address plan and way out of a network."""

    region: str
    plan: RegionalPlan
    nat: bool
    """Whether nodes reach the internet. Without, they reach Google's own services and registries alone."""
    flow_logs: bool = False
    kept: bool = False
    """Whether data that outlives the cluster is reached through it: a destroy leaves the VPC, which costs nothing."""


class Network(pulumi.ComponentResource):
    """A VPC whose nodes have no public addresses, reach Google's APIs inside Google's network and the internet through Cloud NAT."""

    network: pulumi.Output[str]
    """Name of the VPC, as its users spell it; usable once its way out exists."""
    network_id: pulumi.Output[str]
    """`projects/…/global/networks/…`."""
    subnetwork: pulumi.Output[str]
    pod_range: str = PODS
    service_range: str = SERVICES

    def __init__(self, name: str, args: NetworkArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:gcp:Network", name, {}, opts)
        self._own = pulumi.ResourceOptions(parent=self, custom_timeouts=PATIENCE)
        vpc = self._vpc(name, args)
        subnetwork = self._subnetwork(name, args, vpc)
        self._inside(name, args, vpc)
        ways_out = self._nat(name, args, vpc) if args.nat else []
        self.network_id = vpc.id
        self.network = vpc.self_link
        self.subnetwork = after(subnetwork.self_link, *ways_out)
        self.register_outputs({"network": self.network, "subnetwork": self.subnetwork})

    def _vpc(self, name: str, args: NetworkArgs) -> compute.Network:
        opts = kept_options(self) if args.kept else self._own
        return compute.Network(f"{name}-vpc", auto_create_subnetworks=False, routing_mode="REGIONAL", opts=opts)

    def _subnetwork(self, name: str, args: NetworkArgs, vpc: compute.Network) -> compute.Subnetwork:
        plan = args.plan
        return compute.Subnetwork(
            f"{name}-nodes",
            network=vpc.id,
            region=args.region,
            ip_cidr_range=str(plan.nodes),
            secondary_ip_ranges=[
                compute.SubnetworkSecondaryIpRangeArgs(range_name=PODS, ip_cidr_range=str(plan.pods)),
                compute.SubnetworkSecondaryIpRangeArgs(range_name=SERVICES, ip_cidr_range=str(plan.services)),
            ],
            private_ip_google_access=True,  # J4: images and buckets are reached without NAT, whose bytes are paid for
            log_config=_flow_logs() if args.flow_logs else None,
            opts=self._own,
        )

    def _inside(self, name: str, args: NetworkArgs, vpc: compute.Network) -> None:
        """Nodes and pods among themselves; nothing from outside is let in."""
        compute.Firewall(
            f"{name}-inside",
            network=vpc.id,
            direction="INGRESS",
            allows=[compute.FirewallAllowArgs(protocol=protocol) for protocol in ("tcp", "udp", "icmp")],
            source_ranges=[str(args.plan.nodes), str(args.plan.pods)],
            opts=self._own,
        )

    def _nat(self, name: str, args: NetworkArgs, vpc: compute.Network) -> list[pulumi.CustomResource]:
        """One gateway for the region: Google runs it in every zone."""
        router = compute.Router(f"{name}-router", network=vpc.id, region=args.region, opts=self._own)
        gateway = compute.RouterNat(
            f"{name}-nat",
            router=router.name,
            region=args.region,
            nat_ip_allocate_option="AUTO_ONLY",
            source_subnetwork_ip_ranges_to_nat="ALL_SUBNETWORKS_ALL_IP_RANGES",
            log_config=compute.RouterNatLogConfigArgs(enable=True, filter="ERRORS_ONLY"),
            opts=self._own,
        )
        return [gateway]


def _flow_logs() -> compute.SubnetworkLogConfigArgs:
    return compute.SubnetworkLogConfigArgs(aggregation_interval="INTERVAL_10_MIN", flow_sampling=0.5, metadata="INCLUDE_ALL_METADATA")
