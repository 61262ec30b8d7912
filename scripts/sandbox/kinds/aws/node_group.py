"""EKS managed node groups and the scaling group that each owns."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scripts.sandbox.kinds.aws import launch
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.kinds.aws.cluster import require_cluster, require_role
from scripts.sandbox.kinds.aws.node_group_rules import (
    EKS,
    ami_type,
    launch_order,
    machines,
    refuse_both_places,
    refuse_image,
    refuse_market,
    refuse_sizes,
    template_of,
)
from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.refusal import NotReady, Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_ROLLING = ("launchTemplate", "releaseVersion", "version")


def _admit(order: Order) -> None:
    cluster = require_cluster(order)
    if any(other.id == _id(order) for other in order.peers()):
        raise Refusal("ResourceInUseException", f"NodeGroup already exists with name {order.text('nodeGroupName')}", source=EKS, status=409)
    if order.before is not None and order.before.status == "CREATE_FAILED":
        raise Refusal(
            "InvalidRequestException", f"Nodegroup {order.before.id} is not ACTIVE (CREATE_FAILED)", source="B4: containers-roadmap#2204"
        )
    require_role(order, order.inputs.get("nodeRoleArn"))
    template = template_of(order)
    refuse_sizes(order)
    refuse_both_places(order, template)
    refuse_market(order, template)
    refuse_image(order, template, cluster)
    launch.refuse(launch_order(order, template))


def _id(order: Order) -> str:
    return f"{order.text('clusterName')}:{order.text('nodeGroupName')}"


def _outputs(order: Order, _: str) -> dict[str, Any]:
    cluster, template = require_cluster(order), template_of(order)
    before = order.before.state if order.before else {}
    name, unique = order.text("nodeGroupName"), order.world.new_id("", 8)
    version = order.text("version") or str(before.get("version") or cluster.state["version"])
    made: dict[str, Any] = {
        "arn": before.get("arn") or order.arn("eks", f"nodegroup/{order.text('clusterName')}/{name}/{unique}"),
        "status": before.get("status", "CREATING"),
        "amiType": ami_type(order, template),
        "capacityType": order.text("capacityType", "ON_DEMAND"),
        "instanceTypes": list(order.inputs.get("instanceTypes") or ([] if template.get("instanceType") else ["t3.medium"])),
        "version": version,
        "releaseVersion": order.text("releaseVersion") or before.get("releaseVersion") or f"{version}.0-20261101",
        "resources": before.get("resources")
        or [{"autoscalingGroups": [{"name": f"eks-{name}-{unique}"}], "remoteAccessSecurityGroupId": ""}],
        "updateConfig": order.inputs.get("updateConfig") or {"maxUnavailable": 1},
        "diskSize": order.inputs.get("diskSize", 0 if template else 20),
    }
    if order.inputs.get("launchTemplate"):
        wanted = order.inputs["launchTemplate"]
        record = order.get(t.LAUNCH_TEMPLATE, wanted.get("id"))
        made["launchTemplate"] = {**wanted, **({"name": record.state["name"]} if record else {})}
    return made


def _with_scaling_group(order: Order, record: Record) -> None:
    order.world.store.put(_scaling_group(order, record, None))


def _scaling_group(order: Order, group: Record, before: Record | None) -> Record:
    """The scaling group as the node group now wants it."""
    cluster, template, sizes = require_cluster(order), template_of(order), group.state["scalingConfig"]
    owned = {
        "eks:cluster-name": cluster.id,
        "eks:nodegroup-name": order.text("nodeGroupName"),
        f"kubernetes.io/cluster/{cluster.id}": "owned",
    }
    state = {
        **(before.state if before else {}),
        "minSize": int(sizes["minSize"]), "maxSize": int(sizes["maxSize"]), "desiredCapacity": int(sizes["desiredSize"]),
        "subnetIds": list(group.state["subnetIds"]), "machines": machines(order, template), "template": template,
        "spot": order.text("capacityType") == "SPOT", "placement": (template.get("placement") or {}).get("groupName") or "",
        "diskSize": int(group.state.get("diskSize") or 20), "securityGroups": [cluster.state["vpcConfig"]["clusterSecurityGroupId"]],
        "instanceTags": owned, "volumeTags": {}, "cluster": cluster.id, "nodeGroup": order.text("nodeGroupName"),
        "amiType": group.state["amiType"], "capacityType": group.state["capacityType"],
        "labels": dict(group.state.get("labels") or {}), "taints": list(group.state.get("taints") or ()), "version": group.state["version"],
    }  # fmt: skip
    name = group.state["resources"][0]["autoscalingGroups"][0]["name"]
    return Record(
        kind=t.SCALING_GROUP, key=group.key, id=name, state=state, status="InService", parent=group.ref,
        created=before.created if before else order.world.tick(), tags={**owned, **(before.tags if before else {})},
    )  # fmt: skip


def _start_nodes(world: Simulation, group: Record) -> None:
    from scripts.sandbox.kinds.aws import scaling

    for owned in world.store.children(group):
        failure = scaling.reconcile(world, owned)
        if failure is not None and group.status == "CREATING":
            state = {
                **group.state,
                "status": "CREATE_FAILED",
                "healthIssue": {"code": "AsgInstanceLaunchFailures", "message": str(failure)},
            }
            world.store.put(replace(group, status="CREATE_FAILED", state=state))
            raise NotReady(
                "NodeCreationFailure",
                f"EKS Node Group ({group.id}) create: AsgInstanceLaunchFailures: Could not launch On-Demand or Spot Instances. {failure}",
            )


def _change_nodes(order: Order, group: Record) -> None:
    from scripts.sandbox.kinds.aws import nodes, scaling

    before = order.before
    for owned in order.world.store.children(group):
        changed = order.world.store.put(_scaling_group(order, group, owned))
        if before is not None and any(before.inputs.get(name) != group.inputs.get(name) for name in _ROLLING):
            for instance in scaling.instances(order.world, changed):
                scaling.terminate(order.world, instance)
        nodes.relabel(order.world, changed)


def _drain(world: Simulation, group: Record) -> None:
    """The group's instances go with it; deletion never refuses for running pods (containers-roadmap#1636)."""
    from scripts.sandbox.kinds.aws import scaling

    for owned in world.store.children(group):
        for instance in scaling.instances(world, owned):
            scaling.terminate(world, instance)


KINDS = (
    Kind(
        token=t.NODE_GROUP,
        replace=frozenset(
            {
                "amiType", "capacityType", "clusterName", "diskSize", "instanceTypes", "nodeGroupName", "nodeGroupNamePrefix", "nodeRoleArn",
                "remoteAccess", "subnetIds", "launchTemplate.id", "launchTemplate.name",
            }
        ),
        auto_name="nodeGroupName",
        name_limit=63,
        create_seconds=120,
        delete_seconds=120,
        identify=_id,
        admit=_admit,
        outputs=_outputs,
        moving=frozenset({"releaseVersion", "version", "updateConfig", "launchTemplate"}),
        created=_with_scaling_group,
        settle=_start_nodes,
        updated=_change_nodes,
        deleted=_drain,
        starts="ACTIVE",
        starting="CREATING",
        closed_sets={
            "amiType": ("eks", "AMITypes"),
            "capacityType": ("eks", "CapacityTypes"),
            "updateConfig.updateStrategy": ("eks", "NodegroupUpdateStrategies"),
            "taints[].effect": ("eks", "TaintEffect"),
        },
    ),
)  # fmt: skip
