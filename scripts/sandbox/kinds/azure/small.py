"""Types with little of their own: budgets, log workspaces, diagnostic settings, key vaults, maintenance windows."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any

from scripts.arm_paths import name_of
from scripts.sandbox.kinds.azure import tokens as t
from scripts.sandbox.kinds.azure.arm import path_of, require, resource
from scripts.sandbox.kinds.azure.identity import TENANT, guid
from scripts.sandbox.kinds.kind import Order
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_BUDGETS = "pulumi-azure-native 3.29.0, consumption.Budget.timePeriod and notifications"
_VAULTS = "Azure Key Vault documentation, naming and soft-delete"
_VAULT_NAME = re.compile(r"[a-zA-Z](?!.*--)[a-zA-Z0-9-]{1,22}[a-zA-Z0-9]")
_MOST_NOTIFICATIONS, _MOST_EMAILS = 5, 50
_WINDOWS = frozenset({"default", "aksManagedAutoUpgradeSchedule", "aksManagedNodeOSUpgradeSchedule"})


def _admit_budget(order: Order) -> None:
    if float(order.inputs.get("amount") or 0) <= 0:
        raise Refusal("BadRequest", "The budget amount must be above zero.", source=_BUDGETS)
    text = str((order.inputs.get("timePeriod") or {}).get("startDate") or "")
    start = _moment(text)
    if start is None or start.day != 1:
        raise Refusal("BadRequest", f"The start date {text!r} must be the first of a month.", source=_BUDGETS)
    notifications: dict[str, Any] = order.inputs.get("notifications") or {}
    if len(notifications) > _MOST_NOTIFICATIONS:
        raise Refusal(
            "BadRequest", f"A budget takes at most {_MOST_NOTIFICATIONS} notifications, not {len(notifications)}.", source=_BUDGETS
        )
    for name, each in notifications.items():
        contacts = [*(each.get("contactEmails") or ()), *(each.get("contactGroups") or ()), *(each.get("contactRoles") or ())]
        if not 1 <= len(contacts) <= _MOST_EMAILS:
            raise Refusal("BadRequest", f"Notification {name} needs 1 to {_MOST_EMAILS} contacts, not {len(contacts)}.", source=_BUDGETS)


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _budget_outputs(_: Order, __: str) -> dict[str, Any]:
    return {"currentSpend": {"amount": 0, "unit": "USD"}, "forecastSpend": {"amount": 0, "unit": "USD"}}


def _workspace_outputs(order: Order, _: str) -> dict[str, Any]:
    before = order.before.state if order.before else {}
    return {"customerId": before.get("customerId") or guid(order.world), "retentionInDays": order.inputs.get("retentionInDays", 30)}


def _admit_diagnostics(order: Order) -> None:
    require(order.world, order.inputs.get("resourceUri"), by=path_of(order))
    targets = [
        name
        for name in ("workspaceId", "storageAccountId", "eventHubAuthorizationRuleId", "marketplacePartnerId")
        if order.inputs.get(name)
    ]
    if not targets:
        raise Refusal(
            "BadRequest",
            "At least one data sink needs to be specified.",
            source="Azure Monitor documentation, diagnostic settings: destinations",
        )
    if order.inputs.get("workspaceId"):
        require(order.world, order.inputs["workspaceId"], by=path_of(order))


def _admit_vault(order: Order) -> None:
    name = order.text("vaultName")
    if not _VAULT_NAME.fullmatch(name):
        raise Refusal(
            "VaultNameNotValid",
            f"The vault name {name!r}: 3 to 24 letters, digits and single dashes, starting with a letter.",
            source=_VAULTS,
        )
    if order.before is None and name.lower() in order.world.store.meta("deletedVaults", []):
        raise Refusal(
            "ConflictError",
            f"A vault with the same name {name} already exists in deleted state. You need to either recover or purge existing key vault.",
            source=_VAULTS,
            status=409,
        )
    for other in order.peers():
        if name_of(other.id).lower() == name.lower():
            raise Refusal("VaultAlreadyExists", f"The vault name '{name}' is already in use.", source=_VAULTS, status=409)


def _vault_outputs(order: Order, id_: str) -> dict[str, Any]:
    given = dict(order.inputs.get("properties") or {})
    defaults = {"tenantId": TENANT, "enableSoftDelete": True, "softDeleteRetentionInDays": 90}
    own = {"vaultUri": f"https://{name_of(id_)}.vault.simulated.invalid/", "provisioningState": "Succeeded"}
    return {"properties": {**defaults, **given, **own}}


def _remember_vault(world: Simulation, vault: Record) -> None:
    """A deleted vault keeps its name until it is purged."""
    world.store.set_meta(deletedVaults=[*world.store.meta("deletedVaults", []), name_of(vault.id).lower()])


def _key_outputs(order: Order, id_: str) -> dict[str, Any]:
    before = order.before.state if order.before else {}
    vault = name_of(id_.rpartition("/keys/")[0])
    uri = f"https://{vault}.vault.simulated.invalid/keys/{name_of(id_)}"
    given = order.inputs.get("properties") or {}
    return {
        "keyUri": uri,
        "keyUriWithVersion": before.get("keyUriWithVersion") or f"{uri}/{order.world.new_id('', 32)}",
        "kty": given.get("kty", "RSA"),
        "keySize": given.get("keySize", 2048),
        "keyOps": given.get("keyOps", []),
    }


def _admit_window(order: Order) -> None:
    name = order.text("configName")
    if name not in _WINDOWS:
        raise Refusal(
            "InvalidMaintenanceConfiguration",
            f"The maintenance configuration {name!r} is not one of {', '.join(sorted(_WINDOWS))}.",
            source="AKS documentation, planned maintenance",
        )
    hours = (order.inputs.get("maintenanceWindow") or {}).get("durationHours")
    if hours is not None and not 4 <= int(hours) <= 24:
        raise Refusal(
            "InvalidMaintenanceConfiguration", f"durationHours {hours}: 4 to 24.", source="AKS documentation, planned maintenance"
        )


KINDS = (
    resource(t.BUDGET, admit=_admit_budget, outputs=_budget_outputs, replace={"timePeriod.startDate"}),
    resource(t.WORKSPACE, outputs=_workspace_outputs, create_seconds=20),
    resource(t.DIAGNOSTIC_SETTING, admit=_admit_diagnostics),
    resource(
        t.VAULT,
        admit=_admit_vault,
        outputs=_vault_outputs,
        deleted=_remember_vault,
        replace={"properties.tenantId"},
        create_seconds=30,
    ),
    resource(t.VAULT_KEY, outputs=_key_outputs, replace={"properties.kty", "properties.keySize", "properties.curveName"}),
    resource(t.CLUSTER_MAINTENANCE, admit=_admit_window),
)
