"""Resource Manager paths: which type a path names, and the path of a type's object from its inputs.

Source of the paths: the operation ids of the management SDKs (azure-mgmt-*) and the import ids in pulumi-azure-native's documentation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from scripts.sandbox.kinds.azure import tokens as t

_GROUP = "/subscriptions/{subscriptionId}/resourceGroups/{resourceGroupName}"
_NETWORK, _COMPUTE = f"{_GROUP}/providers/Microsoft.Network", f"{_GROUP}/providers/Microsoft.Compute"
_CLUSTER = f"{_GROUP}/providers/Microsoft.ContainerService/managedClusters/{{resourceName}}"
_STORAGE = f"{_GROUP}/providers/Microsoft.Storage/storageAccounts/{{accountName}}"
_IDENTITY = f"{_GROUP}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/{{resourceName}}"
_VAULT = f"{_GROUP}/providers/Microsoft.KeyVault/vaults/{{vaultName}}"
_ZONE = f"{_NETWORK}/privateDnsZones/{{privateZoneName}}"
_SCALE_SET = f"{_COMPUTE}/virtualMachineScaleSets/{{vmScaleSetName}}"
_RESERVATIONS = f"{_COMPUTE}/capacityReservationGroups/{{capacityReservationGroupName}}"

_PATHS = {
    t.RESOURCE_GROUP: _GROUP,
    t.VNET: f"{_NETWORK}/virtualNetworks/{{virtualNetworkName}}",
    t.SUBNET: f"{_NETWORK}/virtualNetworks/{{virtualNetworkName}}/subnets/{{subnetName}}",
    t.PUBLIC_IP: f"{_NETWORK}/publicIPAddresses/{{publicIpAddressName}}",
    t.NAT_GATEWAY: f"{_NETWORK}/natGateways/{{natGatewayName}}",
    t.SECURITY_GROUP: f"{_NETWORK}/networkSecurityGroups/{{networkSecurityGroupName}}",
    t.ROUTE_TABLE: f"{_NETWORK}/routeTables/{{routeTableName}}",
    t.INTERFACE: f"{_NETWORK}/networkInterfaces/{{networkInterfaceName}}",
    t.PRIVATE_ENDPOINT: f"{_NETWORK}/privateEndpoints/{{privateEndpointName}}",
    t.ZONE_GROUP: f"{_NETWORK}/privateEndpoints/{{privateEndpointName}}/privateDnsZoneGroups/{{privateDnsZoneGroupName}}",
    t.FLOW_LOG: f"{_NETWORK}/networkWatchers/{{networkWatcherName}}/flowLogs/{{flowLogName}}",
    t.PRIVATE_ZONE: _ZONE,
    t.ZONE_LINK: f"{_ZONE}/virtualNetworkLinks/{{virtualNetworkLinkName}}",
    t.IDENTITY: _IDENTITY,
    t.FEDERATED_CREDENTIAL: f"{_IDENTITY}/federatedIdentityCredentials/{{federatedIdentityCredentialResourceName}}",
    t.CLUSTER: _CLUSTER,
    t.AGENT_POOL: f"{_CLUSTER}/agentPools/{{agentPoolName}}",
    t.CLUSTER_MAINTENANCE: f"{_CLUSTER}/maintenanceConfigurations/{{configName}}",
    t.VM: f"{_COMPUTE}/virtualMachines/{{vmName}}",
    t.SCALE_SET: _SCALE_SET,
    t.SCALE_SET_VM: f"{_SCALE_SET}/virtualMachines/{{instanceId}}",
    t.DISK: f"{_COMPUTE}/disks/{{diskName}}",
    t.RESERVATION_GROUP: _RESERVATIONS,
    t.RESERVATION: f"{_RESERVATIONS}/capacityReservations/{{capacityReservationName}}",
    t.PLACEMENT_GROUP: f"{_COMPUTE}/proximityPlacementGroups/{{proximityPlacementGroupName}}",
    t.STORAGE_ACCOUNT: _STORAGE,
    t.BLOB_SERVICE: f"{_STORAGE}/blobServices/{{blobServicesName}}",
    t.BLOB_CONTAINER: f"{_STORAGE}/blobServices/default/containers/{{containerName}}",
    t.MANAGEMENT_POLICY: f"{_STORAGE}/managementPolicies/{{managementPolicyName}}",
    t.LUSTRE: f"{_GROUP}/providers/Microsoft.StorageCache/amlFilesystems/{{amlFilesystemName}}",
    t.WORKSPACE: f"{_GROUP}/providers/Microsoft.OperationalInsights/workspaces/{{workspaceName}}",
    t.VAULT: _VAULT,
    t.VAULT_KEY: f"{_VAULT}/keys/{{keyName}}",
    t.FEATURE: "/subscriptions/{subscriptionId}/providers/Microsoft.Features/featureProviders/{providerNamespace}"
    "/subscriptionFeatureRegistrations/{featureName}",
    t.LOCK: "{scope}/providers/Microsoft.Authorization/locks/{lockName}",
    t.ROLE_ASSIGNMENT: "{scope}/providers/Microsoft.Authorization/roleAssignments/{roleAssignmentName}",
    t.BUDGET: "{scope}/providers/Microsoft.Consumption/budgets/{budgetName}",
    t.DIAGNOSTIC_SETTING: "{resourceUri}/providers/Microsoft.Insights/diagnosticSettings/{name}",
}
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
        if self.token == t.BLOB_CONTAINER:
            parts.remove("default")
        return "Microsoft.Resources/resourceGroups" if self.token == t.RESOURCE_GROUP else "/".join(parts)

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


TYPES: Mapping[str, ArmType] = {token: ArmType(token, form) for token, form in _PATHS.items()}


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
