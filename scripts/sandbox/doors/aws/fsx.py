"""FSx at the AWS door: Lustre file systems and what they are linked to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.sandbox import kinds
from scripts.sandbox.doors.aws.call import Call, Handler, page, tag_list
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

_FSX = "FSx API reference, errors of the operation"


def _show(record: Record) -> dict[str, Any]:
    state = record.state
    lustre = {
        "DeploymentType": state.get("deploymentType"),
        "PerUnitStorageThroughput": int(state["perUnitStorageThroughput"]) if state.get("perUnitStorageThroughput") else None,
        "MountName": state["mountName"],
        "DataCompressionType": state["dataCompressionType"],
        "EfaEnabled": bool(state["efaEnabled"]),
    }
    return {
        "OwnerId": state["ownerId"],
        "CreationTime": record.created,
        "FileSystemId": record.id,
        "FileSystemType": "LUSTRE",
        "Lifecycle": record.status,
        "StorageCapacity": int(state["storageCapacity"]),
        "StorageType": state["storageType"],
        "VpcId": state["vpcId"],
        "SubnetIds": [state["subnetIds"]],
        "NetworkInterfaceIds": list(state["networkInterfaceIds"]),
        "DNSName": state["dnsName"],
        "ResourceARN": state["arn"],
        "Tags": tag_list(record.tags),
        "LustreConfiguration": lustre,
    }


def _find(call: Call, id_: object) -> Record:
    record = call.get(t.LUSTRE, id_)
    if record is None:
        raise Refusal("FileSystemNotFound", f"File system '{id_}' does not exist.", source=_FSX)
    return record


def _describe(call: Call) -> Mapping[str, Any]:
    wanted = call.given.get("FileSystemIds")
    found = [_find(call, id_) for id_ in wanted] if wanted else call.records(t.LUSTRE)
    items, token = page([(r.id, _show(r)) for r in found], call.given.get("NextToken"), call.given.get("MaxResults"))
    return {"FileSystems": items, "NextToken": token}


def _show_link(record: Record) -> dict[str, Any]:
    state = record.state
    return {
        "AssociationId": record.id,
        "ResourceARN": state["arn"],
        "FileSystemId": state["fileSystemId"],
        "FileSystemPath": state["fileSystemPath"],
        "DataRepositoryPath": state["dataRepositoryPath"],
        "Lifecycle": record.status,
        "CreationTime": record.created,
        "Tags": tag_list(record.tags),
    }


def _links(call: Call) -> Mapping[str, Any]:
    wanted = call.given.get("AssociationIds")
    found = [(r.id, _show_link(r)) for r in call.records(t.DATA_REPOSITORY) if not wanted or r.id in wanted]
    items, token = page(found, call.given.get("NextToken"), call.given.get("MaxResults"))
    return {"Associations": items, "NextToken": token}


def _delete(call: Call) -> Mapping[str, Any]:
    record = _find(call, call.given.get("FileSystemId"))
    call.world.delete(kinds.kind(t.LUSTRE), record)
    return {"FileSystemId": record.id, "Lifecycle": "DELETING"}


HANDLERS: Mapping[str, Handler] = {
    "DescribeFileSystems": _describe,
    "DescribeDataRepositoryAssociations": _links,
    "DeleteFileSystem": _delete,
}
