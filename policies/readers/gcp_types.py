"""Type tokens of pulumi-gcp 10.2.0, and of the Kubernetes objects that only GKE knows (pulumi-kubernetes 4.34.2)."""

from __future__ import annotations

CLUSTER = "gcp:container/cluster:Cluster"
NODE_POOL = "gcp:container/nodePool:NodePool"
INSTANCE = "gcp:compute/instance:Instance"
INSTANCE_FROM_TEMPLATE = "gcp:compute/instanceFromTemplate:InstanceFromTemplate"
INSTANCE_TEMPLATE = "gcp:compute/instanceTemplate:InstanceTemplate"
REGION_INSTANCE_TEMPLATE = "gcp:compute/regionInstanceTemplate:RegionInstanceTemplate"
TEMPLATES = (INSTANCE_TEMPLATE, REGION_INSTANCE_TEMPLATE)
GROUP = "gcp:compute/instanceGroupManager:InstanceGroupManager"
REGION_GROUP = "gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager"
GROUPS = (GROUP, REGION_GROUP)
AUTOSCALERS = ("gcp:compute/autoscaler:Autoscaler", "gcp:compute/regionAutoscaler:RegionAutoscaler")
RESIZE_REQUEST = "gcp:compute/resizeRequest:ResizeRequest"
RESERVATION = "gcp:compute/reservation:Reservation"
RESOURCE_POLICY = "gcp:compute/resourcePolicy:ResourcePolicy"
TPU_VM = "gcp:tpu/v2Vm:V2Vm"
TPU_QUEUED = "gcp:tpu/v2QueuedResource:V2QueuedResource"
NETWORK = "gcp:compute/network:Network"
SUBNETWORK = "gcp:compute/subnetwork:Subnetwork"
FIREWALL = "gcp:compute/firewall:Firewall"
FIREWALL_POLICIES = tuple(
    f"gcp:compute/{name[0].lower()}{name[1:]}:{name}"
    for name in (
        *("NetworkFirewallPolicy", "NetworkFirewallPolicyWithRules"),
        *("RegionNetworkFirewallPolicy", "RegionNetworkFirewallPolicyWithRules"),
    )
)
FIREWALL_POLICY_RULES = (
    "gcp:compute/networkFirewallPolicyRule:NetworkFirewallPolicyRule",
    "gcp:compute/regionNetworkFirewallPolicyRule:RegionNetworkFirewallPolicyRule",
)
FIREWALL_POLICY_ASSOCIATIONS = (
    "gcp:compute/networkFirewallPolicyAssociation:NetworkFirewallPolicyAssociation",
    "gcp:compute/regionNetworkFirewallPolicyAssociation:RegionNetworkFirewallPolicyAssociation",
)
ROUTER = "gcp:compute/router:Router"
ROUTER_NAT = "gcp:compute/routerNat:RouterNat"
ADDRESSES = ("gcp:compute/address:Address", "gcp:compute/globalAddress:GlobalAddress")
DISK = "gcp:compute/disk:Disk"
REGION_DISK = "gcp:compute/regionDisk:RegionDisk"
DISKS = (DISK, REGION_DISK)
BUCKET = "gcp:storage/bucket:Bucket"
FILESTORE = "gcp:filestore/instance:Instance"
LUSTRE = "gcp:lustre/instance:Instance"
PARALLELSTORE = "gcp:parallelstore/instance:Instance"
PROVIDER = "pulumi:providers:gcp"

RESOURCE_QUOTA = "kubernetes:core/v1:ResourceQuota"
PARAM_SET = "kubernetes:networking.gke.io/v1:GKENetworkParamSet"
POD_NETWORK = "kubernetes:networking.gke.io/v1:Network"
PROVISIONING_CONFIGS = tuple(f"kubernetes:kueue.x-k8s.io/{version}:ProvisioningRequestConfig" for version in ("v1beta1", "v1beta2"))
CLUSTER_OBJECTS = frozenset({RESOURCE_QUOTA, PARAM_SET, POD_NETWORK, *PROVISIONING_CONFIGS})
"""Objects in a cluster: they start no machine, whatever version of their kind is written."""

READ = frozenset(
    {
        *(CLUSTER, NODE_POOL, INSTANCE, INSTANCE_FROM_TEMPLATE, *TEMPLATES, *GROUPS, *AUTOSCALERS, RESIZE_REQUEST, RESERVATION),
        *(RESOURCE_POLICY, TPU_VM, TPU_QUEUED, NETWORK, SUBNETWORK, FIREWALL, ROUTER, ROUTER_NAT, *ADDRESSES, *DISKS, BUCKET),
        *(*FIREWALL_POLICIES, *FIREWALL_POLICY_RULES, *FIREWALL_POLICY_ASSOCIATIONS),
        *(FILESTORE, LUSTRE, PARALLELSTORE, PROVIDER, *CLUSTER_OBJECTS),
    }
)
"""Every type of which some reader of this cloud reads a property."""
