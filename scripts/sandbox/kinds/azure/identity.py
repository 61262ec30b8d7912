"""Managed identities, their federated credentials, and role assignments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from scripts.arm_paths import is_under, name_of
from scripts.sandbox.kinds.azure import tokens as t
from scripts.sandbox.kinds.azure.arm import all_of, path_of, require_known, resource
from scripts.sandbox.kinds.kind import Order
from scripts.sandbox.refusal import Refusal

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

TENANT = "00000000-0000-4000-8000-000000000001"
"""The one directory of this world. Only managed identities live in it; other principals pass unchecked."""
CONTRIBUTOR, OWNER = "b24988ac-6180-42a0-ab88-20f7382dd24c", "8e3af657-a8ff-443c-a75c-2fe8c4bcb635"
"""Built-in roles (Azure built-in roles, privileged)."""
_GUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_MOST_CREDENTIALS = 20


def guid(world: Simulation) -> str:
    digits = world.new_id("", 32)
    return "-".join((digits[:8], digits[8:12], f"4{digits[13:16]}", f"8{digits[17:20]}", digits[20:]))


def _identity_outputs(order: Order, _: str) -> dict[str, Any]:
    before = order.before.state if order.before else {}
    return {
        "clientId": before.get("clientId") or guid(order.world),
        "principalId": before.get("principalId") or guid(order.world),
        "tenantId": TENANT,
    }


def _admit_credential(order: Order) -> None:
    identity = path_of(order).rpartition("/federatedIdentityCredentials/")[0]
    siblings = [r for r in order.peers() if is_under(r.id, identity)]
    if any(r.status == "Creating" for r in siblings):
        raise Refusal(
            "ConcurrentFederatedIdentityCredentialsWritesForSingleManagedIdentity",
            f"Too many Federated Identity Credentials are written concurrently for the managed identity '{identity}'. Concurrent Federated "
            "Identity Credentials writes under the same managed identity are not supported.",
            source="pulumi-azure-native#4343, hashicorp/terraform-provider-azurerm#19968",
            status=409,
        )
    if len(siblings) >= _MOST_CREDENTIALS:
        raise Refusal(
            "BadRequest",
            f"Too many Federated Identity Credentials for the managed identity '{identity}': at most {_MOST_CREDENTIALS}.",
            source="Azure/AKS#4270",
        )
    mine = tuple(order.inputs.get(name) for name in ("issuer", "subject"))
    for other in siblings:
        if tuple(other.state.get(name) for name in ("issuer", "subject")) == mine:
            raise Refusal(
                "BadRequest",
                f"Issuer and subject combination already exists for this Managed Identity: {name_of(other.id)}.",
                source="Microsoft Entra documentation, considerations and restrictions for federated identity credentials",
            )


def _admit_assignment(order: Order) -> None:
    name = order.text("roleAssignmentName")
    if not _GUID.fullmatch(name):
        raise Refusal(
            "InvalidRoleAssignmentId",
            f"The role assignment ID '{name}' is not valid. The role assignment ID must be a GUID.",
            source="pulumi-azure-nextgen#194",
        )
    scope = order.text("scope")
    if "/providers/" in scope or "/resourcegroups/" in scope.lower():
        require_known(order.world, f"/{scope.strip('/')}", by=path_of(order))
    mine = _meaning(order.inputs)
    if any(_meaning(other.state) == mine for other in order.peers()):
        raise Refusal("RoleAssignmentExists", "The role assignment already exists.", source="pulumi-azure#121", status=409)


def _meaning(assignment: Any) -> tuple[str, str, str]:
    scope, principal = str(assignment.get("scope", "")).strip("/").lower(), str(assignment.get("principalId", "")).lower()
    return scope, principal, name_of(assignment.get("roleDefinitionId", "")).lower()


def _assignment_outputs(order: Order, _: str) -> dict[str, Any]:
    now = order.world.clock.text()
    return {
        "createdOn": (order.before.state if order.before else {}).get("createdOn", now),
        "updatedOn": now,
        "principalType": order.text("principalType", "User"),
    }


def may_contribute(world: Simulation, like: Order, principal: str, path: str) -> bool:
    """Whether a principal holds Contributor or Owner on a path or above it."""
    for assignment in all_of(world, t.ROLE_ASSIGNMENT, like):
        scope, holder, role = _meaning(assignment.state)
        if holder == principal.lower() and role in (CONTRIBUTOR, OWNER) and is_under(path.strip("/"), scope):
            return True
    return False


KINDS = (
    resource(t.IDENTITY, outputs=_identity_outputs),
    resource(t.FEDERATED_CREDENTIAL, admit=_admit_credential, create_seconds=6),
    resource(
        t.ROLE_ASSIGNMENT,
        admit=_admit_assignment,
        outputs=_assignment_outputs,
        replace={"principalId"},
        moving={"updatedOn"},
    ),
)
