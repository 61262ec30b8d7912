"""What EKS refuses of a managed node group together with its launch template."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from components import catalog
from scripts.sandbox.kinds.aws import launch, launch_template
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.kinds.aws.cluster import minor
from scripts.sandbox.kinds.aws.network import require_subnet
from scripts.sandbox.kinds.kind import Order
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

EKS = "EKS user guide, launch templates for managed node groups"


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


def refuse_sizes(order: Order) -> None:
    sizes = order.inputs["scalingConfig"]
    low, desired, high = int(sizes["minSize"]), int(sizes["desiredSize"]), int(sizes["maxSize"])
    if high < 1:
        raise Refusal(
            "InvalidParameterException",
            "Maximum capacity of a node group must be at least 1",
            source="Terraform AWS provider, eks/node_group.go: max_size is at least 1",
        )
    if not 0 <= low <= desired <= high:
        raise Refusal(
            "InvalidParameterException",
            f"desired capacity {desired} must be between minimum {low} and maximum {high}",
            source="Auto Scaling API reference: the desired capacity lies between minimum and maximum",
        )


def refuse_both_places(order: Order, template: Mapping[str, Any]) -> None:
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
        raise Refusal("InvalidParameterException", "Remote access configuration cannot be specified with a launch template.", source=EKS)
    for forbidden in ("iamInstanceProfile", "instanceInitiatedShutdownBehavior", "hibernationOptions"):
        if template.get(forbidden):
            raise Refusal("InvalidParameterException", f"Launch template must not specify {forbidden}", source=EKS)
    if any(i.get("subnetId") for i in template.get("networkInterfaces") or ()):
        raise Refusal(
            "InvalidParameterException",
            "Launch template must not specify a subnet in its network interfaces",
            source="EKS user guide, launch templates; aws-efa-eks#19",
        )
    if template.get("imageId") and order.inputs.get("amiType") not in (None, "CUSTOM"):
        raise Refusal("InvalidParameterException", "You cannot specify an AMI type when the launch template has an AMI id", source=EKS)


def refuse_market(order: Order, template: Mapping[str, Any]) -> None:
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


def refuse_image(order: Order, template: Mapping[str, Any], cluster: Record) -> None:
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
            "InvalidParameterException", f"Nodegroup version {version} is above the cluster's {cluster.state['version']}", source=EKS
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
    given: list[str] = list(order.inputs.get("instanceTypes") or ())
    return given or [str(template.get("instanceType") or "t3.medium")]


def launch_order(order: Order, template: Mapping[str, Any]) -> launch.LaunchOrder:
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
            "InvalidParameterException", f"the template asks for zone {zone}, the group's subnets are in {', '.join(zones)}", source=EKS
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
