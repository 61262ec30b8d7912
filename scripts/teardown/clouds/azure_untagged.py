"""What carries no tags in Azure and is known by what it belongs to: rights, budgets, parts of private zones and of reservation groups.

Each is looked for as long as its owner is there, and the owner is not deleted before it: afterwards nothing would tell whose it was.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scripts.arm_paths import TYPES, group_of
from scripts.engine.azure_session import Arm, NotThere
from scripts.teardown import kinds as k
from scripts.teardown.clouds import azure_prices
from scripts.teardown.clouds.cloud import Busy
from scripts.teardown.model import Thing

_RIGHT, _BUDGET = "azure-native:authorization:RoleAssignment", "azure-native:consumption:Budget"
_IDENTITY, _LINK = "azure-native:managedidentity:UserAssignedIdentity", "azure-native:privatedns:VirtualNetworkLink"
_RESERVATION = "azure-native:compute:CapacityReservation"


@dataclass(frozen=True)
class Untagged:
    """One subscription, `root` being its path. Every method raises NoCredentials, Failed."""

    arm: Arm
    root: str
    region: str

    def all(self, tagged: Collection[Thing], groups: Collection[str], foreign: Collection[str]) -> Iterator[Thing]:
        """`tagged`: what tags showed. `groups`: names of the target's resource groups; `foreign`: of those that are somebody else's."""
        yield from self.rights([thing.id for thing in tagged if thing.kind == k.ROLE])
        yield from self._budgets(groups, foreign)
        for thing in tagged:
            yield from self.parts(thing)

    def rights(self, identities: Collection[str]) -> Iterator[Thing]:
        """Role assignments of these identities, wherever in the subscription."""
        principals = {principal: path for path in identities if (principal := self._principal(path))}
        return self.rights_of(principals)

    def rights_of(self, principals: Mapping[str, str]) -> Iterator[Thing]:
        """`principals`: object id to the words for its owner."""
        if not principals:
            return
        version = TYPES[_RIGHT].version
        for each in self.arm.list(f"{self.root}/providers/Microsoft.Authorization/roleAssignments", version):
            owner = principals.get(str((each.get("properties") or {}).get("principalId")))
            if owner:
                yield Thing(kind=k.GRANT, id=str(each["id"]), why=f"right of {owner}")

    def parts(self, thing: Thing) -> Iterator[Thing]:
        """Links of a private zone, reservations of a reservation group: the whole is refused while it has any."""
        if thing.kind == k.ZONE:
            for each in self._below(f"{thing.id}/virtualNetworkLinks", TYPES[_LINK].version):
                yield Thing(kind=k.ZONE_LINK, id=str(each["id"]), why=f"link of {thing.id}", kept=thing.kept)
        elif thing.kind == k.RESERVATION:
            for each in self._below(f"{thing.id}/capacityReservations", TYPES[_RESERVATION].version):
                sku: Mapping[str, Any] = each.get("sku") or {}
                yield Thing(
                    kind=k.RESERVATION, id=str(each["id"]), name=f"{sku.get('capacity')} x {sku.get('name')}", why=f"reservation of {thing.id}",
                    monthly_usd=azure_prices.reservation(self.region, each),
                )  # fmt: skip

    def refuse_owner(self, thing: Thing, told: Callable[[Callable[[], list[Thing]]], list[Thing]]) -> None:
        """Raises Busy while the parts or rights of a thing are there (H12: an identity that is gone leaves rights that nobody can name)."""
        left = told(lambda: [*self.rights([thing.id])] if thing.kind == k.ROLE else [*self.parts(thing)])
        if left:
            raise Busy(f"{thing.id} still has {left[0].label}, which ends before it")

    def _budgets(self, groups: Collection[str], foreign: Collection[str]) -> Iterator[Thing]:
        """Budgets that count the target's groups and nobody else's."""
        mine, others = {name.lower() for name in groups if name}, {name.lower() for name in foreign}
        for each in self.arm.list(f"{self.root}/providers/Microsoft.Consumption/budgets", TYPES[_BUDGET].version):
            counted = {name.lower() for name in _groups_of(each)}
            if counted & mine and not counted & others:
                yield Thing(kind=k.BUDGET, id=str(each["id"]), name=str(each.get("name")), why="counts the target's resource groups alone")

    def _principal(self, path: str) -> str:
        """Object id of an identity; "" for one that is gone."""
        try:
            shown = self.arm.get(path, TYPES[_IDENTITY].version)
        except NotThere:
            return ""
        return str((shown.get("properties") or {}).get("principalId") or "")

    def _below(self, path: str, version: str) -> list[dict[str, Any]]:
        """A list inside something that may go while it is read."""
        try:
            return list(self.arm.list(path, version))
        except NotThere:
            return []


def principals_of(cluster: Mapping[str, Any]) -> dict[str, str]:
    """Identities that AKS made for a cluster and ends with it: its own, and its kubelets' in the nodes' group. Given ones are not among them."""
    properties: Mapping[str, Any] = cluster.get("properties") or {}
    found: dict[str, str] = {}
    own: Mapping[str, Any] = cluster.get("identity") or {}
    if own.get("type") == "SystemAssigned" and own.get("principalId"):
        found[str(own["principalId"])] = "the cluster's own identity"
    nodes = str(properties.get("nodeResourceGroup") or "").lower()
    for name, each in (properties.get("identityProfile") or {}).items():
        if nodes and group_of(str(each.get("resourceId") or "")).lower() == nodes and each.get("objectId"):
            found[str(each["objectId"])] = f"the cluster's {name}"
    return found


def _groups_of(budget: Mapping[str, Any]) -> list[str]:
    """Names of the resource groups in a budget's filter (Consumption REST reference, BudgetFilter); none where it counts everything."""
    condition: Mapping[str, Any] = (budget.get("properties") or {}).get("filter") or {}
    terms = [condition, *(condition.get("and") or ())]
    return [
        str(value)
        for term in terms
        if (dimension := term.get("dimensions") or {}).get("name") == "ResourceGroupName"
        for value in dimension.get("values") or ()
    ]
