"""FSx for Lustre: sizes that AWS sells, groups that let Lustre through, and the interfaces that keep a subnet from being deleted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from components import catalog
from components.catalog.storage import StorageTier
from scripts.sandbox.kinds.aws import interface
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.kinds.aws.bucket import find_bucket
from scripts.sandbox.kinds.aws.network import require_subnet
from scripts.sandbox.kinds.aws.security import permissions
from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_FSX = "FSx API reference, CreateFileSystem"
_TROUBLE = "FSx for Lustre user guide, creating an FSx for Lustre file system fails"
_PORT = 988
_TIERS = {"PERSISTENT_2": "Persistent 2 SSD", "SCRATCH_2": "Scratch 2 SSD"}
"""Deployment type to the beginning of its names in the catalogue; sizes of other types are not judged."""


def _admit(order: Order) -> None:
    _refuse_size(order)
    if order.before is not None:
        return
    subnet = require_subnet(order, order.inputs.get("subnetIds"))
    for group in _groups(order, subnet):
        _refuse_closed(order, group)
    if order.inputs.get("efaEnabled") and not order.inputs.get("metadataConfiguration"):
        message = "an EFA-enabled file system needs a metadata configuration"
        raise Refusal("BadRequest", message, source="pulumi-aws 7.51.1, fsx.LustreFileSystem.efaEnabled")


def _refuse_size(order: Order) -> None:
    begins = _TIERS.get(order.text("deploymentType"))
    capacity = int(order.inputs.get("storageCapacity") or 0)
    before = order.before
    if before is not None and capacity < int(before.state["storageCapacity"]):
        raise Refusal("BadRequest", "a file system's storage capacity can only grow", source="FSx API reference, UpdateFileSystem")
    if begins is None:
        return
    tiers = [tier for tier in _sold(order, begins) if tier.efa == bool(order.inputs.get("efaEnabled"))]
    if not tiers:
        rate = order.inputs.get("perUnitStorageThroughput")
        message = f"{rate} is no per unit storage throughput of {order.text('deploymentType')}"
        raise Refusal("InvalidPerUnitStorageThroughput", message, source=_FSX)
    if not any(tier.allows(capacity / 1000) for tier in tiers):
        raise Refusal("BadRequest", f"storage capacity {capacity} GiB is not offered: {tiers[0].notes}", source=_FSX)


def _sold(order: Order, begins: str) -> Iterator[StorageTier]:
    rate = order.inputs.get("perUnitStorageThroughput")
    for tier in catalog.storage.storage_tiers("aws"):
        if tier.tier.startswith(begins) and (rate is None or int(rate) in tier.mb_s_per_tib):
            yield tier


def _groups(order: Order, subnet: Record) -> Iterator[Record]:
    for id_ in order.inputs.get("securityGroupIds") or ():
        group = order.get(t.SECURITY_GROUP, id_)
        if group is None or group.state.get("vpcId") != subnet.state["vpcId"]:
            raise Refusal("InvalidNetworkSettings", f"security group {id_} does not exist in {subnet.state['vpcId']}", source=_FSX)
        yield group


def _refuse_closed(order: Order, group: Record) -> None:
    """A1: servers talk among themselves through the group, over EFA only by rules that name it."""
    efa = bool(order.inputs.get("efaEnabled"))
    for direction in ("ingress", "egress"):
        allowed = permissions(order.world, group, direction)
        if efa and not any(_to_itself(rule, group) and rule["IpProtocol"] == "-1" for rule in allowed):
            message = "Insufficient security group permissions to create an EFA-enabled file system."
            raise Refusal(
                "InvalidNetworkSettings",
                f"{message} Update security group to allow all internal inbound and outbound traffic.",
                source=_TROUBLE,
            )
        if not any((_to_itself(rule, group) or rule["IpRanges"]) and _lets_lustre(rule) for rule in allowed):
            raise Refusal(
                "InvalidNetworkSettings",
                f"the provided security groups do not permit Lustre LNET network traffic on port {_PORT}",
                source=_TROUBLE,
            )


def _to_itself(rule: Mapping[str, Any], group: Record) -> bool:
    return any(pair["GroupId"] == group.id for pair in rule["UserIdGroupPairs"])


def _lets_lustre(rule: Mapping[str, Any]) -> bool:
    return rule["IpProtocol"] == "-1" or int(rule["FromPort"]) <= _PORT <= int(rule["ToPort"])


def _outputs(order: Order, id_: str) -> dict[str, Any]:
    before = order.before.state if order.before else {}
    subnet = require_subnet(order, order.inputs.get("subnetIds"))
    return {
        "arn": order.arn("fsx", f"file-system/{id_}"),
        "dnsName": f"{id_}.fsx.{order.region}.amazonaws.com",
        "mountName": before.get("mountName") or order.world.new_id("", 8),
        "ownerId": order.account,
        "vpcId": subnet.state["vpcId"],
        "networkInterfaceIds": before.get("networkInterfaceIds", []),
        "storageType": order.text("storageType", "SSD"),
        "dataCompressionType": order.text("dataCompressionType", "NONE"),
        "efaEnabled": order.inputs.get("efaEnabled", False),
    }


def _with_interface(order: Order, record: Record) -> None:
    subnet = require_subnet(order, order.inputs.get("subnetIds"))
    groups = list(order.inputs.get("securityGroupIds") or ())
    port = interface.Port(description=f"Created By Amazon FSx for {record.id}", groups=groups, managed_by="fsx")
    made = interface.attach(order.world, record, subnet, port)
    order.world.store.put(record.with_state(networkInterfaceIds=[made.id]))


def _drop_links(world: Simulation, record: Record) -> None:
    for link in world.store.of_kind(t.DATA_REPOSITORY, record.key):
        if link.state.get("fileSystemId") == record.id:
            world.store.drop(link)


def _admit_link(order: Order) -> None:
    system = order.get(t.LUSTRE, order.inputs.get("fileSystemId"))
    if system is None:
        message = f"File system '{order.inputs.get('fileSystemId')}' does not exist."
        raise Refusal("FileSystemNotFound", message, source="FSx API reference, CreateDataRepositoryAssociation", status=404)
    path, repository = order.text("fileSystemPath"), order.text("dataRepositoryPath")
    if not path.startswith("/"):
        raise Refusal("BadRequest", f"file system path {path!r} must begin with /", source="FSx API reference, FileSystemPath")
    if repository.startswith("s3://"):
        find_bucket(order, repository.removeprefix("s3://").split("/", 1)[0])
    for other in order.peers():
        if other.state.get("fileSystemId") == system.id and _overlap(path, str(other.state.get("fileSystemPath"))):
            message = f"path {path} overlaps {other.state.get('fileSystemPath')} of {other.id}"
            raise Refusal("BadRequest", message, source="FSx API reference, FileSystemPath: associations do not overlap")


def _overlap(one: str, other: str) -> bool:
    first, second = (f"{path.rstrip('/')}/" for path in (one, other))
    return first.startswith(second) or second.startswith(first)


def _link_outputs(order: Order, id_: str) -> dict[str, Any]:
    return {
        "arn": order.arn("fsx", f"association/{order.text('fileSystemId')}/{id_}"),
        "associationId": id_,
        "deleteDataInFilesystem": order.inputs.get("deleteDataInFilesystem", False),
        "batchImportMetaDataOnCreate": order.inputs.get("batchImportMetaDataOnCreate", False),
        "importedFileChunkSize": order.inputs.get("importedFileChunkSize", 1024),
    }


KINDS = (
    Kind(
        token=t.LUSTRE,
        replace=frozenset(
            {
                *("backupId", "copyTagsToBackups", "deploymentType", "driveCacheType", "efaEnabled", "exportPath", "importPath"),
                *("importedFileChunkSize", "kmsKeyId", "securityGroupIds", "storageType", "subnetIds"),
            }
        ),
        create_seconds=600,
        delete_seconds=300,
        identify=lambda order: order.world.new_id("fs"),
        admit=_admit,
        outputs=_outputs,
        created=_with_interface,
        deleted=_drop_links,
        starts="AVAILABLE",
        starting="CREATING",
        closed_sets={
            "deploymentType": ("fsx", "LustreDeploymentType"),
            "storageType": ("fsx", "StorageType"),
            "dataCompressionType": ("fsx", "DataCompressionType"),
            "metadataConfiguration.mode": ("fsx", "MetadataConfigurationMode"),
        },
    ),
    Kind(
        token=t.DATA_REPOSITORY,
        replace=frozenset({"dataRepositoryPath", "fileSystemId", "fileSystemPath", "batchImportMetaDataOnCreate"}),
        create_seconds=60,
        delete_seconds=60,
        identify=lambda order: order.world.new_id("dra"),
        admit=_admit_link,
        outputs=_link_outputs,
        starts="AVAILABLE",
        starting="CREATING",
        closed_sets={
            "s3.autoImportPolicy.events": ("fsx", "EventType"),
            "s3.autoExportPolicy.events": ("fsx", "EventType"),
        },
    ),
)
