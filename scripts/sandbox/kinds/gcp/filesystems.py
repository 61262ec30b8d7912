"""File systems that several nodes share: Managed Lustre and Filestore."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from components.catalog.storage import storage_tiers
from scripts.sandbox.kinds.gcp import paths
from scripts.sandbox.kinds.gcp import tokens as t
from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_LUSTRE = "Managed Lustre documentation, create an instance"
_FILESTORE = "Filestore documentation, service tiers"
_LEAST_GIB = {"BASIC_HDD": 1024, "BASIC_SSD": 2560, "ZONAL": 1024, "REGIONAL": 1024, "ENTERPRISE": 1024}
"""Smallest share by tier (Filestore documentation, service tiers)."""


def _lustre_id(order: Order) -> str:
    return f"projects/{order.account}/locations/{order.text('location')}/instances/{order.text('instanceId')}"


def _admit_lustre(order: Order) -> None:
    paths.refuse_name(order, "instanceId")
    if order.before is None and any(other.id == _lustre_id(order) for other in order.peers()):
        raise Refusal("Error 409", f"Resource '{_lustre_id(order)}' already exists, alreadyExists", source=_LUSTRE, status=409)
    if not paths.is_zone(order.text("location")):
        raise Refusal("Error 400", f"Location {order.text('location')} is no zone, invalid", source=_LUSTRE)
    vpc = paths.network(order, order.inputs.get("network"))
    if vpc is not None and order.before is None and not _peered(order, vpc):
        raise Refusal(
            "Error 400",
            f"network {vpc.id} has no private services access: reserve a range and connect it first, failedPrecondition",
            source="Managed Lustre documentation, configure a VPC network",
        )
    _refuse_size(order)


def _peered(order: Order, vpc: Record) -> bool:
    return any(str(each.state["network"]).rsplit("/", 1)[-1] == vpc.state["name"] for each in order.peers(t.PEERING))


def _refuse_size(order: Order) -> None:
    """Capacity comes in steps that depend on throughput."""
    capacity, speed = int(order.inputs["capacityGib"]), int(order.inputs.get("perUnitStorageThroughput") or 0)
    tiers = {rate: tier for tier in storage_tiers("gcp") if tier.service == "Managed Lustre" for rate in tier.mb_s_per_tib}
    if not speed:
        return
    tier = tiers.get(speed)
    if tier is None:
        raise Refusal(
            "Error 400", f"perUnitStorageThroughput {speed} is not one of {', '.join(map(str, sorted(tiers)))}, invalid", source=_LUSTRE
        )
    if capacity < tier.min_gib or (capacity != tier.min_gib and capacity % tier.step_gib):
        raise Refusal("Error 400", f"capacityGib {capacity} is no multiple of {tier.step_gib}, invalid", source=tier.source)
    before = order.before
    if before is not None and capacity < int(before.inputs["capacityGib"]):
        raise Refusal("Error 400", "the capacity of an instance cannot be reduced, invalid", source=_LUSTRE)


def _lustre_outputs(order: Order, id_: str) -> dict[str, Any]:
    before: Mapping[str, Any] = order.before.state if order.before else {}
    host = int(order.world.new_id("", 2), 16) % 250 + 2 if not before else 2
    return {
        "name": id_,
        "state": "ACTIVE",
        "mountPoint": before.get("mountPoint") or f"10.255.1.{host}@tcp:/{order.text('filesystem')}",
        "createTime": before.get("createTime") or order.world.clock.text(),
        "updateTime": order.world.clock.text(),
        "uid": paths.number(order, "uid"),
    }


def _filestore_id(order: Order) -> str:
    return f"projects/{order.account}/locations/{paths.location(order)}/instances/{order.text('name')}"


def _admit_filestore(order: Order) -> None:
    paths.refuse_name(order)
    if order.before is None and any(other.id == _filestore_id(order) for other in order.peers()):
        raise Refusal("Error 409", f"Resource '{_filestore_id(order)}' already exists, alreadyExists", source=_FILESTORE, status=409)
    for each in order.inputs.get("networks") or ():
        paths.network(order, each.get("network"))
    least = _LEAST_GIB.get(order.text("tier"))
    size = int((order.inputs.get("fileShares") or {}).get("capacityGb") or 0)
    if least is not None and size < least:
        raise Refusal("Error 400", f"capacityGb {size} is below the {least} of tier {order.text('tier')}, invalid", source=_FILESTORE)


def _filestore_releases(_: Simulation, instance: Record) -> None:
    if instance.state.get("deletionProtectionEnabled"):
        raise Refusal(
            "Error 400",
            f"{instance.id} is protected against deletion, failedPrecondition",
            source="Filestore documentation, deletion protection",
        )


KINDS = (
    Kind(
        token=t.LUSTRE,
        replace=frozenset({"instanceId", "location", "project", "filesystem", "network", "perUnitStorageThroughput", "gkeSupportEnabled", "kmsKey"}),
        identify=_lustre_id, admit=_admit_lustre, outputs=_lustre_outputs, starts="ACTIVE", starting="CREATING", create_seconds=900,
        delete_seconds=300, moving=frozenset({"updateTime", "state"}),
    ),
    Kind(
        token=t.FILESTORE,
        replace=frozenset({"name", "location", "project", "tier", "networks", "zone", "protocol", "kmsKeyName"}),
        auto_name="name", name_limit=63, identify=_filestore_id, admit=_admit_filestore,
        outputs=lambda order, _: {
            "createTime": order.before.state["createTime"] if order.before else order.world.clock.text(),
            "location": paths.location(order), "etag": "simulated",
        },
        releases=_filestore_releases, starts="READY", starting="CREATING", create_seconds=300, delete_seconds=120,
    ),
)  # fmt: skip
