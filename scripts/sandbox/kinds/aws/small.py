"""Types with little of their own: tags and schedules of scaling groups, log groups, keys."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.kinds.aws.network import require_vpc
from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_LOGS = "CloudWatch Logs API reference"
_KMS = "KMS API reference"
_FLOW_LOGS = "EC2 API reference, CreateFlowLogs"


def _require_group(order: Order) -> Record:
    name = order.inputs.get("autoscalingGroupName")
    group = order.get(t.SCALING_GROUP, name)
    if group is None:
        raise Refusal("ValidationError", f"AutoScalingGroup name not found - {name}", source="Auto Scaling API reference, common errors")
    return group


def _tag_group(order: Order, _: Record) -> None:
    group, tag = _require_group(order), order.inputs["tag"]
    order.world.store.put(
        replace(
            group,
            tags={**group.tags, str(tag["key"]): str(tag["value"])},
            state={**group.state, "propagated": {**group.state.get("propagated", {}), str(tag["key"]): bool(tag.get("propagateAtLaunch"))}},
        )
    )


def _untag_group(world: Simulation, record: Record) -> None:
    group = world.store.get(t.SCALING_GROUP, record.key, str(record.state["autoscalingGroupName"]))
    if group is not None:
        key = str(record.state["tag"]["key"])
        world.store.put(replace(group, tags={k: v for k, v in group.tags.items() if k != key}))


def _admit_group_part(order: Order) -> None:
    _require_group(order)


def _admit_schedule(order: Order) -> None:
    from scripts.sandbox.kinds.aws.passing import refuse_past

    _require_group(order)
    if order.before is None or order.before.inputs.get("startTime") != order.inputs.get("startTime"):
        refuse_past(order.world, order.inputs.get("startTime"))


def _admit_log_group(order: Order) -> None:
    name = order.text("name")
    if any(other.id == name for other in order.peers()):
        raise Refusal("ResourceAlreadyExistsException", f"The specified log group already exists: {name}", source=_LOGS)


def _admit_alias(order: Order) -> None:
    if order.get(t.KEY, str(order.inputs.get("targetKeyId", "")).rsplit("/", 1)[-1]) is None:
        raise Refusal("NotFoundException", f"Key '{order.inputs.get('targetKeyId')}' does not exist", source=_KMS)
    if not order.text("name").startswith("alias/"):
        raise Refusal("ValidationException", f"alias name {order.text('name')!r} must begin with alias/", source=_KMS)
    if any(other.id == order.text("name") for other in order.peers()):
        raise Refusal("AlreadyExistsException", f"An alias with the name {order.text('name')} already exists", source=_KMS)


def _admit_flow_log(order: Order) -> None:
    """One network to watch, and a role for the group that its flows go to."""
    watched = [name for name in ("vpcId", "subnetId", "eniId", "transitGatewayId", "transitGatewayAttachmentId") if order.inputs.get(name)]
    if len(watched) != 1:
        raise Refusal("InvalidParameter", f"give one resource to record, not {len(watched)}", source=_FLOW_LOGS)
    if watched == ["vpcId"]:
        require_vpc(order)
    to_logs = order.text("logDestinationType", "cloud-watch-logs") == "cloud-watch-logs"
    if to_logs and not order.text("iamRoleArn"):
        raise Refusal("InvalidParameter", "DeliverLogsPermissionArn is required for cloud-watch-logs", source=_FLOW_LOGS)


def _alias_outputs(order: Order, id_: str) -> dict[str, Any]:
    key = str(order.inputs.get("targetKeyId", "")).rsplit("/", 1)[-1]
    return {"arn": order.arn("kms", id_), "targetKeyArn": order.arn("kms", f"key/{key}")}


KINDS = (
    Kind(
        token=t.GROUP_TAG,
        replace=frozenset({"autoscalingGroupName", "tag.key"}),
        identify=lambda order: f"{order.text('autoscalingGroupName')},{order.inputs['tag']['key']}",
        admit=_admit_group_part,
        created=_tag_group,
        updated=_tag_group,
        deleted=_untag_group,
    ),
    Kind(
        token=t.SCHEDULE,
        replace=frozenset({"autoscalingGroupName", "scheduledActionName"}),
        identify=lambda order: order.text("scheduledActionName"),
        admit=_admit_schedule,
        outputs=lambda order, id_: {
            "arn": order.arn(
                "autoscaling", f"scheduledUpdateGroupAction:*:autoScalingGroupName/{order.text('autoscalingGroupName')}:{id_}"
            ),
            "minSize": order.inputs.get("minSize", -1),
            "maxSize": order.inputs.get("maxSize", -1),
            "desiredCapacity": order.inputs.get("desiredCapacity", -1),
        },
    ),
    Kind(
        token=t.LOG_GROUP,
        replace=frozenset({"name", "namePrefix", "logGroupClass"}),
        auto_name="name",
        name_limit=512,
        identify=lambda order: order.text("name"),
        admit=_admit_log_group,
        outputs=lambda order, id_: {
            "arn": order.arn("logs", f"log-group:{id_}"),
            "retentionInDays": order.inputs.get("retentionInDays", 0),
            "logGroupClass": order.text("logGroupClass", "STANDARD"),
            "skipDestroy": order.inputs.get("skipDestroy", False),
        },
        moving=frozenset({"retentionInDays"}),
    ),
    Kind(
        token=t.KEY,
        replace=frozenset({"customerMasterKeySpec", "keyUsage", "multiRegion", "customKeyStoreId", "xksKeyId"}),
        identify=lambda order: _uuid(order.world.new_id("", 32)) if order.before is None else order.before.id,
        outputs=lambda order, id_: {
            "arn": order.arn("kms", f"key/{id_}"),
            "keyId": id_,
            "isEnabled": order.inputs.get("isEnabled", True),
            "keyUsage": order.text("keyUsage", "ENCRYPT_DECRYPT"),
            "customerMasterKeySpec": order.text("customerMasterKeySpec", "SYMMETRIC_DEFAULT"),
            "multiRegion": order.inputs.get("multiRegion", False),
        },
    ),
    Kind(
        token=t.FLOW_LOG,
        replace=frozenset(
            {
                *(
                    "deliverCrossAccountRole",
                    "destinationOptions",
                    "eniId",
                    "iamRoleArn",
                    "logDestination",
                    "logDestinationType",
                    "logFormat",
                ),
                *("maxAggregationInterval", "subnetId", "trafficType", "transitGatewayAttachmentId", "transitGatewayId", "vpcId"),
            }
        ),
        identify=lambda order: order.world.new_id("fl"),
        admit=_admit_flow_log,
        outputs=lambda order, id_: {
            "arn": order.arn("ec2", f"vpc-flow-log/{id_}"),
            "logDestinationType": order.text("logDestinationType", "cloud-watch-logs"),
        },
        closed_sets={"trafficType": ("ec2", "TrafficType"), "logDestinationType": ("ec2", "LogDestinationType")},
    ),
    Kind(
        token=t.KEY_ALIAS,
        replace=frozenset({"name", "namePrefix"}),
        auto_name="name",
        identify=lambda order: order.text("name"),
        admit=_admit_alias,
        outputs=_alias_outputs,
        moving=frozenset({"targetKeyArn"}),
    ),
)


def _uuid(digits: str) -> str:
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:32]))
