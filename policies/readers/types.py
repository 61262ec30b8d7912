"""Type tokens of the providers' resources (pulumi-aws 7.51.1, pulumi-kubernetes 4.34.2)."""

from __future__ import annotations

CLUSTER = "aws:eks/cluster:Cluster"
NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
LAUNCH_TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
SECURITY_GROUP = "aws:ec2/securityGroup:SecurityGroup"
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
        *(CLUSTER, NODE_GROUP, LAUNCH_TEMPLATE, SECURITY_GROUP, *GROUP_RULES, SUBNET, NETWORK_INTERFACE, PLACEMENT_GROUP),
        *(*RESERVATIONS, VPC_ENDPOINT),
        *(
            NAT_GATEWAY,
            EIP,
            VOLUME,
            *BUCKETS,
            LUSTRE,
            INSTANCE,
            SCALING_GROUP,
            AWS_PROVIDER,
            KUBERNETES_PROVIDER,
            RELEASE,
            CHART_V3,
            CHART_V4,
        ),
    }
)
"""Every type of which some reader reads a property, of the resource itself or of one that refers to it."""

GIVE_NO_GROUP_ID = frozenset({SUBNET, NETWORK_INTERFACE, PLACEMENT_GROUP, LAUNCH_TEMPLATE})
"""Resources whose id, in a list of interfaces, stands for something other than a security group."""

UNREAD = {
    "aws:ec2/fleet:Fleet": "an EC2 fleet",
    CAPACITY_RESERVATION: "a capacity reservation, which bills whether it is used or not",
    CAPACITY_BLOCK: "a capacity block, which is paid up front",
    "aws:ec2/spotFleetRequest:SpotFleetRequest": "a spot fleet",
    "aws:ec2/spotInstanceRequest:SpotInstanceRequest": "a spot instance request",
    "aws:sagemaker/endpointConfiguration:EndpointConfiguration": "a SageMaker endpoint",
    "aws:batch/computeEnvironment:ComputeEnvironment": "a Batch compute environment",
    "kubernetes:karpenter.sh/v1:NodePool": "a Karpenter node pool",
    "gcp:container/cluster:Cluster": "a GKE cluster",
    "gcp:container/nodePool:NodePool": "a GKE node pool",
    "gcp:compute/instance:Instance": "a Compute Engine instance",
    "gcp:compute/instanceTemplate:InstanceTemplate": "a Compute Engine instance template",
    "gcp:tpu/v2Vm:V2Vm": "a TPU VM",
    "azure-native:containerservice:ManagedCluster": "an AKS cluster",
    "azure-native:containerservice:AgentPool": "an AKS agent pool",
    "azure-native:compute:VirtualMachine": "an Azure virtual machine",
    "azure-native:compute:VirtualMachineScaleSet": "an Azure scale set",
}
"""Resources that start machines and have no reader yet: they make the cost unbounded, never zero."""
