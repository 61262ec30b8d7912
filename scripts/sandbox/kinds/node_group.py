"""EKS managed node groups: what they refuse together with their launch template, and the scaling group that they own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from components import catalog
from scripts.sandbox import launch
from scripts.sandbox.kinds import launch_template
from scripts.sandbox.kinds import tokens as t
from scripts.sandbox.kinds.cluster import minor, require_cluster, require_role
from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.kinds.network import require_subnet
from scripts.sandbox.refusal import NotReady, Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_EKS = "EKS user guide, launch templates for managed node groups; facts: aws.md section 3"
_ROLLING = ("launchTemplate", "releaseVersion", "version")


def template_of(order: Order) -> dict[str, Any]:
    """Contents of the launch template version that a group names; empty when it names none."""
    wanted = order.inputs.get("launchTemplate")
    if not wanted:
        return {}
    template = order.get(t.LAUNCH_TEMPLATE, wanted.get("id")) or next(
        (r for r in order.peers(t.LAUNCH_TEMPLATE) if r.state.get("name") == wanted.get("name")), None
    )
    contents = launch_template.version(order.world, template, wanted.get("version")) if template else None
    if contents is None:
        raise Refusal(
            "InvalidParameterException",
            f"Launch template {wanted.get('id') or wanted.get('name')} has no version {wanted.get('version')}",
            source="EKS NodegroupIssueCode Ec2LaunchTemplateNotFound, Ec2LaunchTemplateVersionMismatch",
        )
    return contents


def _admit(order: Order) -> None:
    cluster = require_cluster(order)
    if any(other.id == _id(order) for other in order.peers()):
        raise Refusal(
            "ResourceInUseException", f"NodeGroup already exists with name {order.text('nodeGroupName')}", source=_EKS, status=409
        )
    if order.before is not None and order.before.status == "CREATE_FAILED":
        raise Refusal(
            "InvalidRequestException", f"Nodegroup {order.before.id} is not ACTIVE (CREATE_FAILED)", source="B4: containers-roadmap#2204"
        )
    require_role(order, order.inputs.get("nodeRoleArn"))
    template = template_of(order)
    _refuse_sizes(order)
    _refuse_both_places(order, template)
    _refuse_market(order, template)
    _refuse_image(order, template, cluster)
    launch.refuse(_launch_order(order, template))


def _refuse_sizes(order: Order) -> None:
    sizes = order.inputs["scalingConfig"]
    low, desired, high = int(sizes["minSize"]), int(sizes["desiredSize"]), int(sizes["maxSize"])
    if high < 1:
        raise Refusal(
            "InvalidParameterException", "Maximum capacity of a node group must be at least 1", source="facts: aws.md section 2, min/max"
        )
    if not 0 <= low <= desired <= high:
        raise Refusal(
            "InvalidParameterException",
            f"desired capacity {desired} must be between minimum {low} and maximum {high}",
            source="Auto Scaling API reference: the desired capacity lies between minimum and maximum",
        )


def _refuse_both_places(order: Order, template: Mapping[str, Any]) -> None:
    if order.inputs.get("launchTemplate") and order.inputs.get("diskSize") is not None:
        raise Refusal(
            "InvalidParameterException",
            "Disk size must be specified within the launch template.",
            source="B11: crossplane-contrib/provider-upjet-aws#866, pulumi-eks#1228",
        )
    if template.get("instanceType") and order.inputs.get("instanceTypes"):
        raise Refusal(
            "InvalidParameterException",
            "Cannot specify instance types in launch template and API Request",
            source="B12: terraform-aws-eks#1386",
        )
    if template and order.inputs.get("remoteAccess"):
        raise Refusal("InvalidParameterException", "Remote access configuration cannot be specified with a launch template.", source=_EKS)
    for forbidden in ("iamInstanceProfile", "instanceInitiatedShutdownBehavior", "hibernationOptions"):
        if template.get(forbidden):
            raise Refusal("InvalidParameterException", f"Launch template must not specify {forbidden}", source=_EKS)
    if any(i.get("subnetId") for i in template.get("networkInterfaces") or ()):
        raise Refusal(
            "InvalidParameterException",
            "Launch template must not specify a subnet in its network interfaces",
            source="facts: aws.md section 1, Rules",
        )
    if template.get("imageId") and order.inputs.get("amiType") not in (None, "CUSTOM"):
        raise Refusal("InvalidParameterException", "You cannot specify an AMI type when the launch template has an AMI id", source=_EKS)


def _refuse_market(order: Order, template: Mapping[str, Any]) -> None:
    market = (template.get("instanceMarketOptions") or {}).get("marketType")
    capacity = order.text("capacityType", "ON_DEMAND")
    target = ((template.get("capacityReservationSpecification") or {}).get("capacityReservationTarget")) or {}
    if market == "spot":
        raise Refusal(
            "InvalidParameterException",
            "Instance market options are not supported with the launch template",
            source="B3: terraform-provider-aws#15118",
        )
    parts = {
        "the group's capacity type CAPACITY_BLOCK": capacity == "CAPACITY_BLOCK",
        "the template's market type capacity-block": market == "capacity-block",
        "a reservation in the template": bool(target) if capacity == "CAPACITY_BLOCK" or market == "capacity-block" else False,
    }
    if any(parts.values()) and not all(parts.values()):
        missing = ", ".join(name for name, given in parts.items() if not given)
        raise Refusal(
            "InvalidParameterException",
            f"a capacity block needs three fields that agree; missing: {missing}",
            source="B1: terraform-provider-aws#40876",
        )


def _refuse_image(order: Order, template: Mapping[str, Any], cluster: Record) -> None:
    kind = ami_type(order, template)
    version = order.text("version") or str(cluster.state["version"])
    if kind.startswith("AL2_") and minor(version) >= 33:
        raise Refusal(
            "InvalidParameterException",
            f"AMI Type {kind} is only supported for kubernetes versions 1.32 or earlier",
            source="B7: amazon-eks-user-guide#868",
        )
    if minor(version) > minor(str(cluster.state["version"])):
        raise Refusal(
            "InvalidParameterException", f"Nodegroup version {version} is above the cluster's {cluster.state['version']}", source=_EKS
        )
    image = catalog.image("aws", kind)
    for name in machines(order, template):
        machine = launch.find(name)
        if image is not None and image.arch is not None and image.arch != machine.arch:
            raise Refusal(
                "InvalidParameterException",
                f"The architecture '{machine.arch}' of the specified instance type {name} does not match the architecture '{image.arch}' of AMI type {kind}",
                source="B9: pulumi-eks#738, aws-cdk#26354",
            )


def ami_type(order: Order, template: Mapping[str, Any]) -> str:
    return order.text("amiType") or ("CUSTOM" if template.get("imageId") else "AL2023_x86_64_STANDARD")


def machines(order: Order, template: Mapping[str, Any]) -> list[str]:
    """Instance types of a group: from the group, else from the template, else what EKS takes."""
    given = list(order.inputs.get("instanceTypes") or ())
    return given or [str(template.get("instanceType") or "t3.medium")]


def _launch_order(order: Order, template: Mapping[str, Any]) -> launch.LaunchOrder:
    placement = (template.get("placement") or {}).get("groupName") or ""
    group = order.get(t.PLACEMENT_GROUP, placement)
    if placement and group is None:
        raise Refusal(
            "InvalidPlacementGroup.Unknown",
            f"The Placement Group '{placement}' is unknown.",
            source="EC2 API reference, client error codes",
        )
    subnets = [require_subnet(order, id_) for id_ in order.inputs["subnetIds"]]
    zone = (template.get("placement") or {}).get("availabilityZone")
    zones = [str(s.state["availabilityZone"]) for s in subnets]
    if zone and zone not in zones:
        raise Refusal(
            "InvalidParameterException", f"the template asks for zone {zone}, the group's subnets are in {', '.join(zones)}", source=_EKS
        )
    return launch.LaunchOrder(
        region=order.region,
        machines=machines(order, template),
        zones=zones,
        spot=order.text("capacityType") == "SPOT",
        interfaces=template.get("networkInterfaces") or (),
        placement=placement,
        placement_strategy=str(group.state.get("strategy")) if group else "",
    )


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
    from scripts.sandbox import scaling

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
    from scripts.sandbox import api_server, scaling

    before = order.before
    for owned in order.world.store.children(group):
        changed = order.world.store.put(_scaling_group(order, group, owned))
        if before is not None and any(before.inputs.get(name) != group.inputs.get(name) for name in _ROLLING):
            for instance in scaling.instances(order.world, changed):
                scaling.terminate(order.world, instance)
        api_server.relabel(order.world, changed)


def _drain(world: Simulation, group: Record) -> None:
    """The group's instances go with it; deletion never refuses for running pods (containers-roadmap#1636)."""
    from scripts.sandbox import scaling

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
