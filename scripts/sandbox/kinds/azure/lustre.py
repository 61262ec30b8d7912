"""Azure Managed Lustre: sizes that Azure sells, and the subnet that it fills."""

from __future__ import annotations

from typing import Any

from components import catalog
from scripts.arm_paths import name_of
from scripts.sandbox.kinds.azure import tokens as t
from scripts.sandbox.kinds.azure.arm import path_of, require, resource
from scripts.sandbox.kinds.azure.network import network_of, next_address, ranges
from scripts.sandbox.kinds.kind import Order
from scripts.sandbox.refusal import Refusal

_PREFIXES = ((16, 27), (40, 26), (92, 25), (196, 24), (400, 23))
"""Largest capacity in TiB for a subnet's prefix length (Azure Managed Lustre prerequisites, network size requirements)."""
_PAGE = "Azure Managed Lustre documentation, prerequisites"
_MODULES = "public Bicep modules for Microsoft.StorageCache/amlFilesystems"


def _admit(order: Order) -> None:
    sku, tib = str((order.inputs.get("sku") or {}).get("name") or ""), float(order.inputs.get("storageCapacityTiB") or 0)
    tier = next((each for each in catalog.storage.storage_tiers("azure") if each.tier == sku), None)
    if tier is None:
        known = ", ".join(each.tier for each in catalog.storage.storage_tiers("azure"))
        raise Refusal("InvalidParameter", f"The SKU {sku!r} is not one of {known}.", source=_MODULES)
    if not tier.allows(tib):
        raise Refusal("InvalidParameter", f"storageCapacityTiB {tib:g} is not offered for {sku}: {tier.notes}", source=_MODULES)
    if order.before is None:
        _refuse_small_subnet(order, tib)


def _refuse_small_subnet(order: Order, tib: float) -> None:
    subnet = require(order.world, order.inputs.get("filesystemSubnet"), by=path_of(order))
    longest = next((prefix for most, prefix in _PREFIXES if tib <= most), 23)
    shown = ", ".join(ranges(subnet.state))
    if all(network_of(each, subnet.id).prefixlen > longest for each in ranges(subnet.state)):
        raise Refusal(
            "InvalidParameter", f"Subnet {name_of(subnet.id)} ({shown}) is too small: {tib:g} TiB need /{longest} or larger.", source=_PAGE
        )


def _outputs(order: Order, id_: str) -> dict[str, Any]:
    before = order.before.state if order.before else {}
    subnet = require(order.world, order.inputs.get("filesystemSubnet"), by=id_)
    address = (before.get("privateAddresses") or [next_address(order.world, subnet)])[0]
    rate = str((order.inputs.get("sku") or {}).get("name") or "").rsplit("-", 1)[-1]
    return {
        "privateAddresses": [address],
        "clientInfo": {"mgsAddress": address, "mountCommand": f"mount -t lustre -o noatime,flock {address}@tcp:/lustrefs /<client_path>",
                       "lustreVersion": "simulated"},
        "health": {"state": "Available", "statusCode": "", "statusDescription": ""},
        "throughputProvisionedMBps": int(float(order.inputs.get("storageCapacityTiB") or 0) * (int(rate) if rate.isdigit() else 0)),
    }  # fmt: skip


KINDS = (
    resource(
        t.LUSTRE,
        admit=_admit,
        outputs=_outputs,
        replace={"filesystemSubnet", "sku", "storageCapacityTiB", "zones", "identity", "hsm"},
        create_seconds=600,
        delete_seconds=300,
    ),
)
