"""Storage accounts and what is in them."""

from __future__ import annotations

import re
from typing import Any

from scripts.sandbox.kinds.azure import tokens as t
from scripts.sandbox.kinds.azure.arm import find, location_of, path_of, resource
from scripts.sandbox.kinds.kind import Order
from scripts.sandbox.refusal import Refusal

_ACCOUNT = re.compile(r"[a-z0-9]{3,24}")
_CONTAINER = re.compile(r"[a-z0-9]([a-z0-9]|-(?!-)){1,61}[a-z0-9]")
_REST = "Azure Storage documentation, naming and referencing containers"


def _admit_account(order: Order) -> None:
    name = order.text("accountName")
    if not _ACCOUNT.fullmatch(name):
        raise Refusal(
            "AccountNameInvalid",
            f"{name} is not a valid storage account name. Storage account name must be between 3 and 24 characters in length and use numbers and "
            "lower-case letters only.",
            source="microsoft/AzureSuperpowers#6",
        )
    for other in order.peers():
        if str(other.state.get("name")) == name:
            raise Refusal(
                "StorageAccountAlreadyTaken",
                f"The storage account named {name} is already taken.",
                source="Azure/azure-cli#19184",
                status=409,
            )


def _account_outputs(order: Order, _: str) -> dict[str, Any]:
    name, before = order.text("accountName"), order.before.state if order.before else {}
    where = {service: f"https://{name}.{service}.simulated.invalid/" for service in ("blob", "dfs", "file", "queue", "table")}
    return {
        "primaryEndpoints": where,
        "primaryLocation": location_of(order),
        "statusOfPrimary": "available",
        "creationTime": before.get("creationTime", order.world.clock.text()),
        "accessTier": order.text("accessTier", "Hot"),
        "allowBlobPublicAccess": order.inputs.get("allowBlobPublicAccess", False),
        "allowSharedKeyAccess": order.inputs.get("allowSharedKeyAccess", True),
        "minimumTlsVersion": order.text("minimumTlsVersion", "TLS1_2"),
        "publicNetworkAccess": order.text("publicNetworkAccess", "Enabled"),
        "enableHttpsTrafficOnly": order.inputs.get("enableHttpsTrafficOnly", True),
    }


def _admit_container(order: Order) -> None:
    name = order.text("containerName")
    if not _CONTAINER.fullmatch(name):
        raise Refusal("ContainerNameInvalid", f"{name!r}: 3 to 63 of a-z, 0-9 and single dashes, not at the ends.", source=_REST)
    account = find(order.world, path_of(order).partition("/blobServices/")[0])
    public = order.text("publicAccess", "None") != "None"
    if public and account is not None and not account.state.get("allowBlobPublicAccess"):
        raise Refusal(
            "PublicAccessNotPermitted",
            "Public access is not permitted on this storage account.",
            source="Azure Storage documentation, remediate anonymous read access to blob data",
            status=409,
        )


def _container_outputs(order: Order, _: str) -> dict[str, Any]:
    before = order.before.state if order.before else {}
    return {
        "publicAccess": order.text("publicAccess", "None"),
        "lastModifiedTime": order.world.clock.text(),
        "leaseState": "Available",
        "leaseStatus": "Unlocked",
        "deleted": False,
        "hasImmutabilityPolicy": before.get("hasImmutabilityPolicy", False),
    }


KINDS = (
    resource(
        t.STORAGE_ACCOUNT,
        admit=_admit_account,
        outputs=_account_outputs,
        replace={"isHnsEnabled"},
        closed_sets={"kind": ("storage", "Kind"), "sku.name": ("storage", "SkuName"), "accessTier": ("storage", "AccessTier")},
        create_seconds=25,
    ),
    resource(t.BLOB_SERVICE),
    resource(t.BLOB_CONTAINER, admit=_admit_container, outputs=_container_outputs, moving={"lastModifiedTime"}),
    resource(t.MANAGEMENT_POLICY, outputs=lambda order, _: {"lastModifiedTime": order.world.clock.text()}, moving={"lastModifiedTime"}),
)
