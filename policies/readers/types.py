"""Type tokens of the providers' resources (pulumi-aws 7.51.1, pulumi-kubernetes 4.34.2)."""

from __future__ import annotations

from . import azure_types, gcp_types
from .tokens import read_as

CLUSTER = "aws:eks/cluster:Cluster"
NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
LAUNCH_TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
SECURITY_GROUP = "aws:ec2/securityGroup:SecurityGroup"
DEFAULT_SECURITY_GROUP = "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup"
SECURITY_GROUPS = (SECURITY_GROUP, DEFAULT_SECURITY_GROUP)
SECURITY_GROUP_RULE = "aws:ec2/securityGroupRule:SecurityGroupRule"
INGRESS_RULE = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
EGRESS_RULE = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule"
GROUP_RULES = (SECURITY_GROUP_RULE, INGRESS_RULE, EGRESS_RULE)
SUBNET = "aws:ec2/subnet:Subnet"
NETWORK_INTERFACE = "aws:ec2/networkInterface:NetworkInterface"
PLACEMENT_GROUP = "aws:ec2/placementGroup:PlacementGroup"
CAPACITY_RESERVATION = "aws:ec2/capacityReservation:CapacityReservation"
CAPACITY_BLOCK = "aws:ec2/capacityBlockReservation:CapacityBlockReservation"
RESERVATIONS = (CAPACITY_RESERVATION, CAPACITY_BLOCK)
BILLING_UNUSED = RESERVATIONS
"""Reservations of which no reader works out what they bill, whether they are used or not."""
CLUSTERS = (CLUSTER, gcp_types.CLUSTER, *azure_types.CLUSTERS)
"""Managed clusters that a kubeconfig may belong to."""
NAT_GATEWAY = "aws:ec2/natGateway:NatGateway"
VPC_ENDPOINT = "aws:ec2/vpcEndpoint:VpcEndpoint"
EIP = "aws:ec2/eip:Eip"
VOLUME = "aws:ebs/volume:Volume"
BUCKETS = ("aws:s3/bucket:Bucket", "aws:s3/bucketV2:BucketV2")
LOAD_BALANCERS = ("aws:lb/loadBalancer:LoadBalancer", "aws:alb/loadBalancer:LoadBalancer")
LUSTRE = "aws:fsx/lustreFileSystem:LustreFileSystem"
INSTANCE = "aws:ec2/instance:Instance"
SCALING_GROUP = "aws:autoscaling/group:Group"
FLEET = "aws:ec2/fleet:Fleet"
SPOT_FLEET = "aws:ec2/spotFleetRequest:SpotFleetRequest"
SPOT_REQUEST = "aws:ec2/spotInstanceRequest:SpotInstanceRequest"
LAUNCH_CONFIGURATION = "aws:ec2/launchConfiguration:LaunchConfiguration"
INTERFACE_ATTACHMENT = "aws:ec2/networkInterfaceAttachment:NetworkInterfaceAttachment"
SCALING_TAG = "aws:autoscaling/tag:Tag"
ADD_ON = "aws:eks/addon:Addon"
INTERNET_GATEWAY = "aws:ec2/internetGateway:InternetGateway"
ROUTE_TABLE = "aws:ec2/routeTable:RouteTable"
ROUTE_TABLES = (ROUTE_TABLE, "aws:ec2/defaultRouteTable:DefaultRouteTable")
ROUTE = "aws:ec2/route:Route"
TABLE_ASSOCIATION = "aws:ec2/routeTableAssociation:RouteTableAssociation"
ENDPOINT_ASSOCIATION = "aws:ec2/vpcEndpointRouteTableAssociation:VpcEndpointRouteTableAssociation"
STACK_REFERENCE = "pulumi:pulumi:StackReference"
AWS_PROVIDER = "pulumi:providers:aws"
KUBERNETES_PROVIDER = "pulumi:providers:kubernetes"
RELEASE = "kubernetes:helm.sh/v3:Release"
CHART_V3 = "kubernetes:helm.sh/v3:Chart"
CHART_V4 = "kubernetes:helm.sh/v4:Chart"
YAML = ("kubernetes:yaml/v2:ConfigGroup", "kubernetes:yaml/v2:ConfigFile", "kubernetes:kustomize/v2:Directory")
"""Components whose provider applies the objects that they list."""
UNSEEN = (
    *("kubernetes:yaml:ConfigGroup", "kubernetes:yaml:ConfigFile", "kubernetes:kustomize:Directory"),
    *("kubernetes:yaml/v2:Directory", "kubernetes:helm.sh/v2:Chart"),
)
"""Components that open files of their own, or render inside the program and register only what comes out."""

READ = frozenset(
    {
        *(CLUSTER, NODE_GROUP, LAUNCH_TEMPLATE, *SECURITY_GROUPS, *GROUP_RULES, SUBNET, NETWORK_INTERFACE, PLACEMENT_GROUP),
        *(FLEET, SPOT_FLEET, SPOT_REQUEST, LAUNCH_CONFIGURATION, INTERFACE_ATTACHMENT, SCALING_TAG, ADD_ON, INTERNET_GATEWAY),
        *(*ROUTE_TABLES, ROUTE, TABLE_ASSOCIATION, ENDPOINT_ASSOCIATION),
        *(*RESERVATIONS, VPC_ENDPOINT, *BUCKETS, *LOAD_BALANCERS, LUSTRE),
        *(
            NAT_GATEWAY,
            EIP,
            VOLUME,
            INSTANCE,
            SCALING_GROUP,
            AWS_PROVIDER,
            KUBERNETES_PROVIDER,
            RELEASE,
            CHART_V3,
            CHART_V4,
            *YAML,
            *UNSEEN,
        ),
        *azure_types.READ,
        *gcp_types.READ,
    }
)
"""Every type of which some reader reads a property, of the resource itself or of one that refers to it."""


def is_read(token: str) -> bool:
    """Whether some reader reads resources of the type `token`. Kubernetes has kinds without end, which no list holds."""
    return read_as(token) in READ or token.startswith("kubernetes:")


GIVE_NO_GROUP_ID = frozenset({SUBNET, NETWORK_INTERFACE, PLACEMENT_GROUP, LAUNCH_TEMPLATE})
"""Resources whose id, in a list of interfaces, stands for something other than a security group."""
