"""Type tokens of Azure's resources as `tokens.read_as` spells them: without API version (pulumi-azure-native 3.29.0), and of the classic provider."""

from __future__ import annotations

CLUSTER = "azure-native:containerservice:ManagedCluster"
CLASSIC_CLUSTER = "azure:containerservice:KubernetesCluster"
CLUSTERS = (CLUSTER, CLASSIC_CLUSTER)
AGENT_POOL = "azure-native:containerservice:AgentPool"
CLASSIC_POOL = "azure:containerservice:KubernetesClusterNodePool"
VIRTUAL_MACHINE = "azure-native:compute:VirtualMachine"
SCALE_SET = "azure-native:compute:VirtualMachineScaleSet"
AUTOSCALE = "azure-native:insights:AutoscaleSetting"
"""Of scale sets. Newer packages keep it in `monitor`."""
AUTOSCALES = (AUTOSCALE, "azure-native:monitor:AutoscaleSetting")
DISK = "azure-native:compute:Disk"
RESERVATION_GROUP = "azure-native:compute:CapacityReservationGroup"
RESERVATION = "azure-native:compute:CapacityReservation"
PLACEMENT_GROUP = "azure-native:compute:ProximityPlacementGroup"
RESOURCE_GROUPS = ("azure-native:resources:ResourceGroup", "azure:core:ResourceGroup")
NETWORK = "azure-native:network:VirtualNetwork"
SUBNET = "azure-native:network:Subnet"
NAT_GATEWAY = "azure-native:network:NatGateway"
PUBLIC_ADDRESS = "azure-native:network:PublicIPAddress"
PRIVATE_ENDPOINT = "azure-native:network:PrivateEndpoint"
GUARD = "azure-native:network:NetworkSecurityGroup"
GUARD_RULE = "azure-native:network:SecurityRule"
MAINTENANCE = "azure-native:containerservice:MaintenanceConfiguration"
STORAGE_ACCOUNT = "azure-native:storage:StorageAccount"
CONTAINER = "azure-native:storage:BlobContainer"
LUSTRE = "azure-native:storagecache:AmlFilesystem"
IDENTITY = "azure-native:managedidentity:UserAssignedIdentity"
ROLE_ASSIGNMENT = "azure-native:authorization:RoleAssignment"
BUDGETS = ("azure-native:consumption:Budget", "azure-native:costmanagement:Budget")
FEATURES = ("azure-native:features:SubscriptionFeatureRegistration",)
NIC_POLICY = "kubernetes:mellanox.com/v1alpha1:NicClusterPolicy"
NIC_NODE_POLICY = "kubernetes:mellanox.com/v1alpha1:NicNodePolicy"
PROVIDERS = ("pulumi:providers:azure-native", "pulumi:providers:azure")

READ = frozenset(
    {
        *(*CLUSTERS, AGENT_POOL, CLASSIC_POOL, VIRTUAL_MACHINE, SCALE_SET, *AUTOSCALES, DISK, RESERVATION_GROUP, RESERVATION),
        *(
            PLACEMENT_GROUP,
            *RESOURCE_GROUPS,
            NETWORK,
            SUBNET,
            NAT_GATEWAY,
            PUBLIC_ADDRESS,
            PRIVATE_ENDPOINT,
            GUARD,
            GUARD_RULE,
            MAINTENANCE,
        ),
        *(STORAGE_ACCOUNT, CONTAINER, LUSTRE, IDENTITY, ROLE_ASSIGNMENT, *BUDGETS, *FEATURES),
        *(NIC_POLICY, NIC_NODE_POLICY, *PROVIDERS),
    }
)
"""Every type of which some Azure reader reads a property, of the resource itself or of one that refers to it."""
