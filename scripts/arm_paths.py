"""Resource Manager paths: which type a path names, and the path of a type's object from its inputs.

Source of the paths: the operation ids of the management SDKs (azure-mgmt-*) and the import ids in pulumi-azure-native's documentation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

_GROUP = "/subscriptions/{subscriptionId}/resourceGroups/{resourceGroupName}"
_NETWORK, _COMPUTE = f"{_GROUP}/providers/Microsoft.Network", f"{_GROUP}/providers/Microsoft.Compute"
_CLUSTER = f"{_GROUP}/providers/Microsoft.ContainerService/managedClusters/{{resourceName}}"
_STORAGE = f"{_GROUP}/providers/Microsoft.Storage/storageAccounts/{{accountName}}"
_IDENTITY = f"{_GROUP}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/{{resourceName}}"
_VAULT = f"{_GROUP}/providers/Microsoft.KeyVault/vaults/{{vaultName}}"
_ZONE = f"{_NETWORK}/privateDnsZones/{{privateZoneName}}"
_SCALE_SET = f"{_COMPUTE}/virtualMachineScaleSets/{{vmScaleSetName}}"
_RESERVATIONS = f"{_COMPUTE}/capacityReservationGroups/{{capacityReservationGroupName}}"

_PATHS: Mapping[str, str] = {
    "resources:ResourceGroup": _GROUP,
    "network:VirtualNetwork": f"{_NETWORK}/virtualNetworks/{{virtualNetworkName}}",
    "network:Subnet": f"{_NETWORK}/virtualNetworks/{{virtualNetworkName}}/subnets/{{subnetName}}",
    "network:PublicIPAddress": f"{_NETWORK}/publicIPAddresses/{{publicIpAddressName}}",
    "network:NatGateway": f"{_NETWORK}/natGateways/{{natGatewayName}}",
    "network:NetworkSecurityGroup": f"{_NETWORK}/networkSecurityGroups/{{networkSecurityGroupName}}",
    "network:RouteTable": f"{_NETWORK}/routeTables/{{routeTableName}}",
    "network:NetworkInterface": f"{_NETWORK}/networkInterfaces/{{networkInterfaceName}}",
    "network:LoadBalancer": f"{_NETWORK}/loadBalancers/{{loadBalancerName}}",
    "network:PrivateEndpoint": f"{_NETWORK}/privateEndpoints/{{privateEndpointName}}",
    "network:PrivateDnsZoneGroup": f"{_NETWORK}/privateEndpoints/{{privateEndpointName}}/privateDnsZoneGroups/{{privateDnsZoneGroupName}}",
    "network:FlowLog": f"{_NETWORK}/networkWatchers/{{networkWatcherName}}/flowLogs/{{flowLogName}}",
    "privatedns:PrivateZone": _ZONE,
    "privatedns:VirtualNetworkLink": f"{_ZONE}/virtualNetworkLinks/{{virtualNetworkLinkName}}",
    "managedidentity:UserAssignedIdentity": _IDENTITY,
    "managedidentity:FederatedIdentityCredential": f"{_IDENTITY}/federatedIdentityCredentials/{{federatedIdentityCredentialResourceName}}",
    "containerservice:ManagedCluster": _CLUSTER,
    "containerservice:AgentPool": f"{_CLUSTER}/agentPools/{{agentPoolName}}",
    "containerservice:MaintenanceConfiguration": f"{_CLUSTER}/maintenanceConfigurations/{{configName}}",
    "compute:VirtualMachine": f"{_COMPUTE}/virtualMachines/{{vmName}}",
    "compute:VirtualMachineScaleSet": _SCALE_SET,
    "compute:VirtualMachineScaleSetVM": f"{_SCALE_SET}/virtualMachines/{{instanceId}}",
    "compute:Disk": f"{_COMPUTE}/disks/{{diskName}}",
    "compute:Snapshot": f"{_COMPUTE}/snapshots/{{snapshotName}}",
    "compute:CapacityReservationGroup": _RESERVATIONS,
    "compute:CapacityReservation": f"{_RESERVATIONS}/capacityReservations/{{capacityReservationName}}",
    "compute:ProximityPlacementGroup": f"{_COMPUTE}/proximityPlacementGroups/{{proximityPlacementGroupName}}",
    "storage:StorageAccount": _STORAGE,
    "storage:BlobServiceProperties": f"{_STORAGE}/blobServices/{{blobServicesName}}",
    "storage:BlobContainer": f"{_STORAGE}/blobServices/default/containers/{{containerName}}",
    "storage:ManagementPolicy": f"{_STORAGE}/managementPolicies/{{managementPolicyName}}",
    "storagecache:AmlFilesystem": f"{_GROUP}/providers/Microsoft.StorageCache/amlFilesystems/{{amlFilesystemName}}",
    "operationalinsights:Workspace": f"{_GROUP}/providers/Microsoft.OperationalInsights/workspaces/{{workspaceName}}",
    "keyvault:Vault": _VAULT,
    "keyvault:Key": f"{_VAULT}/keys/{{keyName}}",
    "features:SubscriptionFeatureRegistration": "/subscriptions/{subscriptionId}/providers/Microsoft.Features/featureProviders/{providerNamespace}"
    "/subscriptionFeatureRegistrations/{featureName}",
    "authorization:ManagementLockByScope": "{scope}/providers/Microsoft.Authorization/locks/{lockName}",
    "authorization:RoleAssignment": "{scope}/providers/Microsoft.Authorization/roleAssignments/{roleAssignmentName}",
    "consumption:Budget": "{scope}/providers/Microsoft.Consumption/budgets/{budgetName}",
    "monitor:DiagnosticSetting": "{resourceUri}/providers/Microsoft.Insights/diagnosticSettings/{name}",
}
_VERSIONS: Mapping[str, str] = {
    "resources": "2024-03-01",
    "network": "2024-05-01",
    "privatedns": "2024-06-01",
    "managedidentity": "2023-01-31",
    "containerservice": "2025-09-01",
    "compute": "2024-11-01",
    "compute:Disk": "2024-03-02",
    "compute:Snapshot": "2024-03-02",
    "storage": "2024-01-01",
    "storagecache": "2024-03-01",
    "operationalinsights": "2023-09-01",
    "keyvault": "2024-11-01",
    "features": "2021-07-01",
    "authorization": "2020-05-01",
    "authorization:RoleAssignment": "2022-04-01",
    "consumption": "2024-08-01",
    "monitor": "2021-05-01-preview",
}
"""API version that pulumi-azure-native 3.29 calls, by module or type (the documentation of its classes)."""
_LOCATED_PARTS = frozenset(
    f"azure-native:{each}" for each in ("compute:CapacityReservation", "privatedns:VirtualNetworkLink", "network:FlowLog")
)
_SCOPES = frozenset({"scope", "resourceUri"})
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class ArmType:
    """A resource type: its Pulumi token and the form of its paths, whose placeholders are names of inputs."""

    token: str
    form: str

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """Inputs that make up the path, in its order."""
        return tuple(name for name in _PLACEHOLDER.findall(self.form) if name != "subscriptionId")

    @cached_property
    def name_input(self) -> str:
        """The input that names the object itself."""
        return _PLACEHOLDER.findall(self.form)[-1]

    @cached_property
    def scoped(self) -> bool:
        return self.form.startswith("{")

    @cached_property
    def word(self) -> str:
        """The type as Azure writes it: `Microsoft.Network/virtualNetworks/subnets`."""
        _, _, rest = self.form.rpartition("/providers/")
        parts = [part for part in rest.split("/") if not part.startswith("{")]
        if self.token.endswith(":BlobContainer"):
            parts.remove("default")
        return "Microsoft.Resources/resourceGroups" if self.token.endswith(":ResourceGroup") else "/".join(parts)

    @cached_property
    def located(self) -> bool:
        """Whether its objects have a region of their own. Parts take that of what they are in."""
        return not self.scoped and "resourceGroupName" in self.inputs and (self.word.count("/") == 1 or self.token in _LOCATED_PARTS)

    @cached_property
    def version(self) -> str:
        """The API version to ask with."""
        module_and_type = self.token.removeprefix("azure-native:")
        return _VERSIONS.get(module_and_type) or _VERSIONS[module_and_type.partition(":")[0]]

    def path(self, subscription: str, inputs: Mapping[str, object]) -> str:
        """The path of the object with these inputs; a placeholder without its input stays empty."""

        def value(match: re.Match[str]) -> str:
            if match[1] == "subscriptionId":
                return subscription
            text = str(inputs.get(match[1]) or "")
            return f"/{text.strip('/')}" if match[1] in _SCOPES else text

        return _PLACEHOLDER.sub(value, self.form)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        parts = re.split(r"(\{\w+\})", self.form)
        made = [f"(?P<{p[1:-1]}>{'.+?' if p[1:-1] in _SCOPES else '[^/]+'})" if p.startswith("{") else re.escape(p) for p in parts]
        return re.compile("".join(made), re.IGNORECASE)


TYPES: Mapping[str, ArmType] = {f"azure-native:{token}": ArmType(f"azure-native:{token}", form) for token, form in _PATHS.items()}


@lru_cache(maxsize=4096)
def parse(path: str) -> tuple[ArmType, Mapping[str, str]] | None:
    """The type that a path names and the inputs in it, or None for a type that this world does not know."""
    for kind in sorted(TYPES.values(), key=lambda each: each.scoped):
        match = kind.pattern.fullmatch(path)
        if match is not None:
            return kind, match.groupdict()
    return None


def subscription_of(path: str) -> str:
    """The subscription of a path, "" without."""
    match = re.match(r"/subscriptions/([^/]+)", path, re.IGNORECASE)
    return match[1] if match else ""


def group_of(path: str) -> str:
    """The resource group of a path, "" without."""
    match = re.match(r"/subscriptions/[^/]+/resourceGroups/([^/]+)", path, re.IGNORECASE)
    return match[1] if match else ""


def name_of(path: object) -> str:
    """The last part of a path."""
    return str(path).rstrip("/").rsplit("/", 1)[-1]


def is_under(path: str, scope: str) -> bool:
    """Whether a path is a scope or lies in it. Resource Manager does not tell cases apart."""
    inner, outer = path.lower().rstrip("/"), scope.lower().rstrip("/")
    return inner == outer or inner.startswith(f"{outer}/")
