"""How a managed node group is set up: name, update strategy, disks, own image, tags, and the tags of its scaling group."""

from __future__ import annotations

import re
from collections.abc import Mapping

from components.inventory import ManagedGroup
from components.resource import Resource
from components.unknown import Maybe, Unknown, known
from policies.readers import types
from policies.readers.program import Program
from policies.readers.values import given, items, text

from .launch_template import Template

DESIRED = "scalingConfig.desiredSize"
_MISSPELT = "scaling_config"
_RAID0 = "RAID0"
_LOCAL_STORAGE = ("localStorage", "local-storage", "instance-store", "bootstrap-containers")
"""Words of user data that set up local disks: nodeadm's, and Bottlerocket's bootstrap containers."""


def managed(group: Resource, program: Program, template: Template | None) -> ManagedGroup:
    own = template.image_id if template is not None else None
    data = template.user_data if template is not None else None
    return ManagedGroup(
        physical_name=_fixed_name(group),
        replaced_in_place=group.options.delete_before_replace,
        desired_ignored=_ignored(group),
        desired_misspelt=next((path for path in group.options.ignore_changes if path.startswith(_MISSPELT)), ""),
        update_strategy=text(group.read("updateConfig", "updateStrategy"), "updateConfig.updateStrategy"),
        group_disk=_is_given(group, "diskSize"),
        template=template is not None,
        own_image=own,
        image_type=text(group.read("amiType"), "amiType"),
        user_data=data if isinstance(data, Unknown) else data is not None,
        raid0=_raid0(data),
        release=text(group.read("releaseVersion"), "releaseVersion"),
        tagged=template.tagged if template is not None else frozenset(),
        scaling_tags=_scaling_tags(group, program),
    )


def _fixed_name(group: Resource) -> Maybe[str | None]:
    """The name that the program gives. One that Pulumi makes itself ends in seven hexadecimal digits; previews and state show it as given."""
    said = text(group.read("nodeGroupName"), "nodeGroupName")
    made = isinstance(said, str) and re.fullmatch(re.escape(group.name) + r"-[0-9a-f]{7}", said)
    return None if made else said


def _ignored(group: Resource) -> bool:
    """Ignoring a whole property ignores what is below it."""
    return any(path == DESIRED or DESIRED.startswith(f"{path}.") or path == "*" for path in group.options.ignore_changes)


def _is_given(group: Resource, prop: str) -> Maybe[bool]:
    value = group.read(prop)
    return value if isinstance(value, Unknown) else value is not None


def _raid0(data: Maybe[str | None]) -> Maybe[bool]:
    if isinstance(data, Unknown) or data is None:
        return data if isinstance(data, Unknown) else False
    return _RAID0 in data or any(word in data for word in _LOCAL_STORAGE)


def _scaling_tags(group: Resource, program: Program) -> Maybe[frozenset[str]]:
    """Keys of the tags on the scaling group that EKS makes. A tag whose group cannot be told may be this one's."""
    tags = program.once(_tags_by_group)
    found: set[str] = set()
    for key in (*tags.get(group.urn, ()), *tags.get(None, ())):
        if isinstance(key, Unknown):
            return key
        found.add(key)
    return frozenset(found)


def _tags_by_group(program: Program) -> Mapping[str | None, list[Maybe[str]]]:
    found: dict[str | None, list[Maybe[str]]] = {}
    for tag in program.resources.of_type(types.SCALING_TAG):
        owners = [r.urn for r in program.resources.referred(tag, "autoscalingGroupName", types.NODE_GROUP)]
        key = given(text(tag.read("tag", "key"), "tag.key"), "tag.key", "not given")
        for owner in owners or _by_outputs(tag, program):
            found.setdefault(owner, []).append(key)
    return found


def own_tags(group: Resource, program: Program) -> Maybe[frozenset[str]]:
    """Keys of the tags on a scaling group that the program makes: inline, and those of `autoscaling.Tag`."""
    found = items(group.read("tags"), "tags")
    if isinstance(found, Unknown):
        return found
    keys = [given(text(group.read("tags", i, "key"), f"tags[{i}].key"), f"tags[{i}].key", "not given") for i in range(len(found))]
    apart = [
        given(text(tag.read("tag", "key"), "tag.key"), "tag.key", "not given")
        for tag in program.resources.of_type(types.SCALING_TAG)
        if group in program.resources.referred(tag, "autoscalingGroupName", types.SCALING_GROUP)
    ]
    every = [*keys, *apart]
    return next((key for key in every if isinstance(key, Unknown)), frozenset(key for key in every if known(key)))


def _by_outputs(tag: Resource, program: Program) -> tuple[str | None, ...]:
    """The node group whose outputs name the scaling group; None where the group is still to come."""
    name = tag.read("autoscalingGroupName")
    if not known(name):
        return (None,)
    return tuple(group.urn for group in program.resources.of_type(types.NODE_GROUP) if name in _scaling_groups(group))


def _scaling_groups(group: Resource) -> list[object]:
    resources = group.outputs.get("resources")
    made = [entry.get("autoscalingGroups") for entry in resources if isinstance(entry, Mapping)] if isinstance(resources, list) else []
    return [one.get("name") for listed in made if isinstance(listed, list) for one in listed if isinstance(one, Mapping)]
