"""EKS at the AWS door: clusters, node groups, add-ons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from scripts.sandbox import kinds
from scripts.sandbox.doors.aws.call import Call, Handler, page
from scripts.sandbox.kinds.aws import scaling
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

_EKS = "EKS API reference, errors of the operation"


def _cluster(call: Call, name: object) -> Record:
    cluster = call.get(t.CLUSTER, name)
    if cluster is None:
        raise Refusal("ResourceNotFoundException", f"No cluster found for name: {name}.", source=_EKS, status=404)
    return cluster


def _part(call: Call, kind: str, name: str, what: str) -> Record:
    cluster = _cluster(call, call.given.get("clusterName"))
    record = call.get(kind, f"{cluster.id}:{call.given.get(name)}")
    if record is None:
        message = f"No {what} found for name: {call.given.get(name)}."
        raise Refusal("ResourceNotFoundException", message, source=_EKS, status=404)
    return record


def _show_cluster(record: Record) -> dict[str, Any]:
    state = record.state
    config = state["vpcConfig"]
    logging = [{"types": list(state.get("enabledClusterLogTypes") or ()), "enabled": True}] if state.get("enabledClusterLogTypes") else []
    return {
        "name": record.id,
        "arn": state["arn"],
        "createdAt": record.created,
        "version": state["version"],
        "endpoint": state["endpoint"] if record.status == "ACTIVE" else None,
        "roleArn": state["roleArn"],
        "status": record.status,
        "platformVersion": state["platformVersion"],
        "certificateAuthority": {"data": state["certificateAuthority"]["data"]},
        "identity": {"oidc": {"issuer": state["identities"][0]["oidcs"][0]["issuer"]}},
        "resourcesVpcConfig": {
            "subnetIds": list(config["subnetIds"]),
            "securityGroupIds": list(config.get("securityGroupIds") or ()),
            "clusterSecurityGroupId": config["clusterSecurityGroupId"],
            "vpcId": config["vpcId"],
            "endpointPublicAccess": config["endpointPublicAccess"],
            "endpointPrivateAccess": config["endpointPrivateAccess"],
            "publicAccessCidrs": list(config["publicAccessCidrs"]),
        },
        "accessConfig": {"authenticationMode": state["accessConfig"]["authenticationMode"]},
        "upgradePolicy": dict(state["upgradePolicy"]),
        "deletionProtection": state["deletionProtection"],
        "logging": {"clusterLogging": logging},
        "tags": dict(record.tags),
    }


def _show_group(record: Record) -> dict[str, Any]:
    state = record.state
    sizes, update = state["scalingConfig"], state["updateConfig"]
    issue = state.get("healthIssue")
    return {
        "nodegroupName": state["nodeGroupName"],
        "nodegroupArn": state["arn"],
        "clusterName": state["clusterName"],
        "version": state["version"],
        "releaseVersion": state["releaseVersion"],
        "createdAt": record.created,
        "status": record.status,
        "capacityType": state["capacityType"],
        "scalingConfig": {name: int(sizes[name]) for name in ("minSize", "maxSize", "desiredSize")},
        "instanceTypes": list(state["instanceTypes"]),
        "subnets": list(state["subnetIds"]),
        "amiType": state["amiType"],
        "nodeRole": state["nodeRoleArn"],
        "labels": dict(state.get("labels") or {}),
        "taints": [dict(taint) for taint in state.get("taints") or ()],
        "resources": {"autoScalingGroups": [{"name": g["name"]} for g in state["resources"][0]["autoscalingGroups"]]},
        "diskSize": state["diskSize"] or None,
        "updateConfig": {k: v for k, v in update.items() if k in ("maxUnavailable", "maxUnavailablePercentage", "updateStrategy")},
        "launchTemplate": dict(state["launchTemplate"]) if state.get("launchTemplate") else None,
        "health": {"issues": [{"code": issue["code"], "message": issue["message"]}] if issue else []},
        "tags": dict(record.tags),
    }


def _list(kind: str, result: str, name: str) -> Handler:
    def handler(call: Call) -> Mapping[str, Any]:
        cluster = _cluster(call, call.given.get("clusterName"))
        names = [(str(r.state[name]), str(r.state[name])) for r in call.records(kind) if r.state.get("clusterName") == cluster.id]
        items, token = page(names, call.given.get("nextToken"), _limit(call))
        return {result: items, "nextToken": token}

    return handler


def _limit(call: Call) -> int | None:
    return int(call.given["maxResults"]) if call.given.get("maxResults") else 100


def _list_clusters(call: Call) -> Mapping[str, Any]:
    items, token = page([(r.id, r.id) for r in call.records(t.CLUSTER)], call.given.get("nextToken"), _limit(call))
    return {"clusters": items, "nextToken": token}


def _describe_addon(call: Call) -> Mapping[str, Any]:
    record = _part(call, t.ADDON, "addonName", "addon")
    return {
        "addon": {
            "addonName": record.state["addonName"],
            "clusterName": record.state["clusterName"],
            "status": record.status,
            "addonVersion": record.state["addonVersion"],
            "addonArn": record.state["arn"],
            "createdAt": record.created,
            "modifiedAt": record.state["modifiedAt"],
            "serviceAccountRoleArn": record.state.get("serviceAccountRoleArn"),
            "configurationValues": record.state.get("configurationValues"),
            "tags": dict(record.tags),
        }
    }


def _update_group(call: Call) -> Mapping[str, Any]:
    """Sizes, labels and taints of a group, as `gpukit idle` and people change them."""
    group = _part(call, t.NODE_GROUP, "nodegroupName", "node group")
    if group.status != "ACTIVE":
        raise Refusal("ResourceInUseException", f"Nodegroup {group.id} is {group.status}", source="B4: containers-roadmap#2204", status=409)
    with call.world.store.transaction():
        for owned in call.world.store.children(group):
            _resize(call, group, owned)
        call.world.tick()
    now = call.world.clock.text()
    return {
        "update": {
            "id": call.world.new_id("", 32),
            "status": "Successful",
            "type": "ConfigUpdate",
            "params": [],
            "createdAt": now,
            "errors": [],
        }
    }


def _resize(call: Call, group: Record, owned: Record) -> None:
    sizes = {**group.state["scalingConfig"], **(call.given.get("scalingConfig") or {})}
    low, desired, high = int(sizes["minSize"]), int(sizes["desiredSize"]), int(sizes["maxSize"])
    if high < 1 or not 0 <= low <= desired <= high:
        raise Refusal(
            "InvalidParameterException",
            f"Minimum capacity {low}, desired capacity {desired} and maximum capacity {high} must be in this order, the maximum at least 1",
            source="Terraform AWS provider, eks/node_group.go: max_size is at least 1",
        )
    inputs = {**group.inputs, "scalingConfig": {**group.inputs["scalingConfig"], **(call.given.get("scalingConfig") or {})}}
    call.world.store.put(replace(group, inputs=inputs, state={**group.state, "scalingConfig": sizes}))
    changed = call.world.store.put(owned.with_state(minSize=low, maxSize=high, desiredCapacity=desired))
    scaling.reconcile(call.world, changed)


def _delete_group(call: Call) -> Mapping[str, Any]:
    group = _part(call, t.NODE_GROUP, "nodegroupName", "node group")
    shown = {**_show_group(group), "status": "DELETING"}
    call.world.delete(kinds.kind(t.NODE_GROUP), group)
    return {"nodegroup": shown}


def _delete_cluster(call: Call) -> Mapping[str, Any]:
    cluster = _cluster(call, call.given.get("name"))
    shown = {**_show_cluster(cluster), "status": "DELETING"}
    call.world.delete(kinds.kind(t.CLUSTER), cluster)
    return {"cluster": shown}


def _update_cluster(call: Call) -> Mapping[str, Any]:
    cluster = _cluster(call, call.given.get("name"))
    unsupported = call.given.keys() - {"name", "deletionProtection", "clientRequestToken"}
    if unsupported:
        raise Refusal(
            "InvalidParameterException",
            f"the simulated EKS changes only deletionProtection here, not {', '.join(sorted(unsupported))}",
            source="this world's own rule",
        )
    with call.world.store.transaction():
        protected = bool(call.given.get("deletionProtection"))
        call.world.store.put(
            replace(
                cluster,
                inputs={**cluster.inputs, "deletionProtection": protected},
                state={**cluster.state, "deletionProtection": protected},
            )
        )
        call.world.tick()
    return {
        "update": {
            "id": call.world.new_id("", 32),
            "status": "Successful",
            "params": [],
            "createdAt": call.world.clock.text(),
            "errors": [],
        }
    }


def _tag(call: Call) -> Mapping[str, Any]:
    tagged = _tagged(call)
    return _retag(call, tagged, {**tagged.tags, **{str(k): str(v) for k, v in (call.given.get("tags") or {}).items()}})


def _untag(call: Call) -> Mapping[str, Any]:
    tagged = _tagged(call)
    gone = {str(key) for key in call.given.get("tagKeys") or ()}
    return _retag(call, tagged, {key: value for key, value in tagged.tags.items() if key not in gone})


def _tagged(call: Call) -> Record:
    """A cluster or node group; tags of other resources are not changed here."""
    arn = str(call.given.get("resourceArn"))
    found = next((r for kind in (t.CLUSTER, t.NODE_GROUP) for r in call.records(kind) if r.state["arn"] == arn), None)
    if found is None:
        message = f"the simulated EKS tags clusters and node groups alone, and has none of ARN {arn}"
        raise Refusal("NotFoundException", message, source=_EKS, status=404)
    return found


def _retag(call: Call, tagged: Record, tags: Mapping[str, str]) -> Mapping[str, Any]:
    with call.world.store.transaction():
        inputs = {**tagged.inputs, "tags": dict(tags)}
        call.world.store.put(replace(tagged, tags=tags, inputs=inputs, state={**tagged.state, "tags": dict(tags), "tagsAll": dict(tags)}))
        call.world.tick()
    return {}


HANDLERS: Mapping[str, Handler] = {
    "ListClusters": _list_clusters,
    "DescribeCluster": lambda call: {"cluster": _show_cluster(_cluster(call, call.given.get("name")))},
    "ListNodegroups": _list(t.NODE_GROUP, "nodegroups", "nodeGroupName"),
    "DescribeNodegroup": lambda call: {"nodegroup": _show_group(_part(call, t.NODE_GROUP, "nodegroupName", "node group"))},
    "ListAddons": _list(t.ADDON, "addons", "addonName"),
    "DescribeAddon": _describe_addon,
    "ListAccessEntries": _list("aws:eks/accessEntry:AccessEntry", "accessEntries", "principalArn"),
    "UpdateNodegroupConfig": _update_group,
    "TagResource": _tag,
    "UntagResource": _untag,
    "UpdateClusterConfig": _update_cluster,
    "DeleteNodegroup": _delete_group,
    "DeleteCluster": _delete_cluster,
}
