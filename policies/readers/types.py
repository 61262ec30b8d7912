"""Type tokens of the providers' resources (pulumi-aws 7.51.1, pulumi-kubernetes 4.34.2)."""

from __future__ import annotations

from . import azure_types, gcp_types

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
BILLING_UNUSED = (*RESERVATIONS, gcp_types.RESERVATION)
"""Reservations, which bill whether they are used or not."""
CLUSTERS = (CLUSTER, gcp_types.CLUSTER, *azure_types.CLUSTERS)
"""Managed clusters that a kubeconfig may belong to."""
NAT_GATEWAY = "aws:ec2/natGateway:NatGateway"
VPC_ENDPOINT = "aws:ec2/vpcEndpoint:VpcEndpoint"
EIP = "aws:ec2/eip:Eip"
VOLUME = "aws:ebs/volume:Volume"
BUCKETS = ("aws:s3/bucket:Bucket", "aws:s3/bucketV2:BucketV2")
LUSTRE = "aws:fsx/lustreFileSystem:LustreFileSystem"
INSTANCE = "aws:ec2/instance:Instance"
SCALING_GROUP = "aws:autoscaling/group:Group"
AWS_PROVIDER = "pulumi:providers:aws"
KUBERNETES_PROVIDER = "pulumi:providers:kubernetes"
RELEASE = "kubernetes:helm.sh/v3:Release"
CHART_V3 = "kubernetes:helm.sh/v3:Chart"
CHART_V4 = "kubernetes:helm.sh/v4:Chart"

READ = frozenset(
    {
        *(CLUSTER, NODE_GROUP, LAUNCH_TEMPLATE, *SECURITY_GROUPS, *GROUP_RULES, SUBNET, NETWORK_INTERFACE, PLACEMENT_GROUP),
        *(*RESERVATIONS, VPC_ENDPOINT, *BUCKETS, LUSTRE),
        *(NAT_GATEWAY, EIP, VOLUME, INSTANCE, SCALING_GROUP, AWS_PROVIDER, KUBERNETES_PROVIDER, RELEASE, CHART_V3, CHART_V4),
        *azure_types.READ,
        *gcp_types.READ,
    }
)
"""Every type of which some reader reads a property, of the resource itself or of one that refers to it."""

GIVE_NO_GROUP_ID = frozenset({SUBNET, NETWORK_INTERFACE, PLACEMENT_GROUP, LAUNCH_TEMPLATE})
"""Resources whose id, in a list of interfaces, stands for something other than a security group."""
