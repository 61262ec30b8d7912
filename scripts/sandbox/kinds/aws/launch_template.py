"""Launch templates with their versions, and placement groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_EC2 = "EC2 API reference, client error codes"
VERSION = "gpukit:sandbox:LaunchTemplateVersion"
"""One version of a template; a record of this world, not a Pulumi type."""

_NOT_IN_VERSIONS = frozenset({"name", "namePrefix", "description", "updateDefaultVersion", "defaultVersion", "tags", "tagsAll", "region"})


def _admit_template(order: Order) -> None:
    for other in order.peers():
        if other.state.get("name") == order.text("name"):
            raise Refusal(
                "InvalidLaunchTemplateName.AlreadyExistsException",
                f"Launch template name '{order.text('name')}' is already in use.",
                source=_EC2,
            )
    if order.inputs.get("vpcSecurityGroupIds") and order.inputs.get("networkInterfaces"):
        raise Refusal(
            "InvalidParameterCombination",
            "Network interfaces and an instance-level security groups may not be specified on the same request",
            source="EKS user guide, launch templates: groups of the instance and of its interfaces exclude each other",
        )


def contents(order: Order) -> dict[str, Any]:
    """What a version of the template holds: the inputs without those of the template itself."""
    return {name: value for name, value in order.inputs.items() if name not in _NOT_IN_VERSIONS and not name.startswith("__")}


def _template_outputs(order: Order, id_: str) -> dict[str, Any]:
    latest, default = 1, 1
    if order.before is not None:
        latest, default = int(order.before.state["latestVersion"]), int(order.before.state["defaultVersion"])
        changed = any(order.before.inputs.get(name) != order.inputs.get(name) for name in _content_names(order))
        latest += 1 if changed else 0
        default = latest if changed and order.inputs.get("updateDefaultVersion") else int(order.inputs.get("defaultVersion", default))
    return {"arn": order.arn("ec2", f"launch-template/{id_}"), "latestVersion": latest, "defaultVersion": default}


def _content_names(order: Order) -> set[str]:
    before = order.before.inputs if order.before else {}
    return {name for name in {*before, *order.inputs} if name not in _NOT_IN_VERSIONS and not name.startswith("__")}


def _with_version(order: Order, template: Record) -> None:
    number = str(template.state["latestVersion"])
    if any(r.id.endswith(f":{number}") for r in order.world.store.children(template)):
        return
    kept = {name: value for name, value in template.inputs.items() if name not in _NOT_IN_VERSIONS and not name.startswith("__")}
    order.world.store.put(
        Record(kind=VERSION, key=template.key, id=f"{template.id}:{number}", inputs=kept, created=order.world.tick(), parent=template.ref)
    )


def version(world: Simulation, template: Record, wanted: object) -> dict[str, Any] | None:
    """The contents of one version (`$Latest`, `$Default` or a number), or None when there is no such version."""
    number = {"$Latest": template.state["latestVersion"], "$Default": template.state["defaultVersion"]}.get(str(wanted), wanted)
    record = world.store.get(VERSION, template.key, f"{template.id}:{number}")
    return dict(record.inputs) if record else None


def _admit_placement(order: Order) -> None:
    for other in order.peers():
        if other.state.get("name") == order.text("name"):
            raise Refusal("InvalidPlacementGroup.Duplicate", f"The placement group '{order.text('name')}' already exists.", source=_EC2)


def _placement_releases(world: Simulation, group: Record) -> None:
    for instance in world.store.of_kind(t.INSTANCE, group.key):
        if instance.status != "terminated" and instance.state.get("placementGroup") == group.id:
            raise Refusal(
                "InvalidPlacementGroup.InUse",
                f"The placement group {group.id} is in use ({instance.id}) and may not be deleted.",
                source=_EC2,
            )


KINDS = (
    Kind(
        token=t.LAUNCH_TEMPLATE,
        replace=frozenset({"name", "namePrefix"}),
        auto_name="name",
        name_limit=128,
        identify=lambda order: order.world.new_id("lt"),
        admit=_admit_template,
        outputs=_template_outputs,
        moving=frozenset({"latestVersion", "defaultVersion"}),
        created=_with_version,
        updated=_with_version,
    ),
    Kind(
        token=t.PLACEMENT_GROUP,
        replace=frozenset({"name", "strategy", "partitionCount", "spreadLevel"}),
        auto_name="name",
        identify=lambda order: order.text("name"),
        admit=_admit_placement,
        outputs=lambda order, id_: {
            "arn": order.arn("ec2", f"placement-group/{id_}"),
            "placementGroupId": order.world.new_id("pg") if order.before is None else order.before.state["placementGroupId"],
        },
        releases=_placement_releases,
        closed_sets={"strategy": ("ec2", "PlacementStrategy")},
    ),
)
