"""Builders over a simulated Azure without doors: each test starts from what is valid and changes one thing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scripts.sandbox import kinds
from scripts.sandbox.kinds.azure import agent_pool, scaling
from scripts.sandbox.kinds.azure import tokens as t
from scripts.sandbox.kinds.azure.arm import place_of
from scripts.sandbox.kinds.azure.identity import CONTRIBUTOR
from scripts.sandbox.kinds.kind import Order
from scripts.sandbox.simulation import Given, Simulation
from scripts.sandbox.store import Record

SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"
REGION = "eastus"
H100, A100, A10, CPU = "Standard_ND96isr_H100_v5", "Standard_NC24ads_A100_v4", "Standard_NV36ads_A10_v5", "Standard_D4s_v5"


class Azure:
    """A world of its own in a directory; operations are instant."""

    def __init__(self, home: Path) -> None:
        self.world = Simulation(home, speed=0, address="http://127.0.0.1:1")

    def make(self, token: str, **inputs: Any) -> Record:
        given: dict[str, Any] = {"resourceGroupName": "lab-rg", **inputs}
        order = Order(world=self.world, place=place_of(SUBSCRIPTION), token=token, name="n", inputs=given)
        tags = {k: str(v) for k, v in (given.get("tags") or {}).items()}
        return self.world.create(kinds.kind(token), order, given=Given(given, tags))

    def change(self, record: Record, **inputs: Any) -> Record:
        now = self.now(record)
        changed = {name: value for name, value in {**now.inputs, **inputs}.items() if value is not None}
        order = Order(world=self.world, place=place_of(SUBSCRIPTION), token=record.kind, name="n", inputs=changed, before=now)
        return self.world.update(kinds.kind(record.kind), order)

    def delete(self, record: Record) -> None:
        self.world.delete(kinds.kind(record.kind), self.now(record))

    def now(self, record: Record) -> Record:
        found = self.world.store.by_ref(record.ref)
        assert found is not None, f"{record.id} is gone"
        return found

    def there(self, record: Record) -> bool:
        return self.world.store.by_ref(record.ref) is not None

    def all(self, kind: str) -> list[Record]:
        return self.world.store.of_kind(kind, place_of(SUBSCRIPTION).key)

    def group(self, name: str = "lab-rg", **changes: Any) -> Record:
        return self.make(t.RESOURCE_GROUP, **{"resourceGroupName": name, "location": REGION, **changes})

    def vnet(self, name: str = "net", **changes: Any) -> Record:
        return self.make(t.VNET, **{"virtualNetworkName": name, "addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}, **changes})

    def subnet(self, name: str = "nodes", prefix: str = "10.0.0.0/24", **changes: Any) -> Record:
        return self.make(t.SUBNET, **{"virtualNetworkName": "net", "subnetName": name, "addressPrefix": prefix, **changes})

    def address(self, name: str = "ip", **changes: Any) -> Record:
        given = {"publicIpAddressName": name, "sku": {"name": "Standard"}, "publicIPAllocationMethod": "Static", **changes}
        return self.make(t.PUBLIC_IP, **given)

    def identity(self, name: str = "cluster-identity") -> Record:
        return self.make(t.IDENTITY, resourceName=name)

    def ground(self) -> Record:
        """A group, a network, and the subnet that is given."""
        self.group()
        self.vnet()
        return self.subnet()

    def cluster(self, **changes: Any) -> Record:
        """A cluster `lab` with one system node, in a network of its own."""
        subnet = self.ground()
        profile = {"name": "system", "mode": "System", "vmSize": CPU, "count": 1, "vnetSubnetID": subnet.id}
        given = {
            "resourceName": "lab",
            "dnsPrefix": "lab",
            "kubernetesVersion": "1.35",
            "identity": {"type": "UserAssigned", "userAssignedIdentities": [self.identity().id]},
            "agentPoolProfiles": [profile],
            "networkProfile": {"networkPlugin": "azure", "networkPluginMode": "overlay", "podCidr": "192.168.0.0/16"},
        }
        return self.make(t.CLUSTER, **{**given, **changes})

    def pool(self, name: str = "gpu", **changes: Any) -> Record:
        """A pool of one A100 node each in the cluster `lab`, grown by hand."""
        subnet = next(each for each in self.all(t.SUBNET) if each.id.endswith("/nodes"))
        given = {"resourceName": "lab", "agentPoolName": name, "vmSize": A100, "count": 1, "mode": "User", "vnetSubnetID": subnet.id}
        return self.make(t.AGENT_POOL, **{**given, **changes})

    def scale_set(self, pool: Record) -> Record:
        found = agent_pool.scale_set_of(self.world, pool)
        assert found is not None
        return found

    def nodes(self, pool: Record) -> list[Record]:
        """Running machines of a pool."""
        return scaling.vms(self.world, self.scale_set(pool))

    def resize(self, pool: Record, count: int) -> Any:
        """As the autoscaler or a person does. Gives why it did not get there."""
        with self.world.store.transaction():
            return agent_pool.set_count(self.world, self.now(pool), count)

    def grant(self, scope: str, role: str = CONTRIBUTOR) -> Record:
        """A right of the cluster's own identity."""
        principal = next(each for each in self.all(t.IDENTITY) if each.id.endswith("/cluster-identity"))
        definition = f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/{role}"
        name = f"00000000-0000-4000-8000-{len(self.all(t.ROLE_ASSIGNMENT)):012d}"
        return self.make(
            t.ROLE_ASSIGNMENT,
            scope=scope,
            principalId=principal.state["principalId"],
            roleDefinitionId=definition,
            roleAssignmentName=name,
            principalType="ServicePrincipal",
        )

    def reservation(self, *, size: str = H100, capacity: int = 2, group: str = "reserved") -> Record:
        """A reservation in a group of its own; gives the group."""
        self.group("reserved-rg")
        made = self.make(t.RESERVATION_GROUP, resourceGroupName="reserved-rg", capacityReservationGroupName=group)
        self.make(
            t.RESERVATION,
            resourceGroupName="reserved-rg",
            capacityReservationGroupName=group,
            capacityReservationName="cr",
            sku={"name": size, "capacity": capacity},
        )
        return made
