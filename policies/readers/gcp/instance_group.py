"""Managed instance groups, in a zone or over a region, with autoscalers and resize requests that change their size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from components.inventory import Accelerator, Image, Market, NodeCount, NodePool
from components.resource import Resource
from components.unknown import Maybe, Unknown, known
from policies.readers import gcp_types
from policies.readers.program import Program
from policies.readers.values import first, given, items, text, whole

from .node_config import attached
from .node_pool import with_attached
from .parts import Part
from .places import location, region, zone_of
from .references import reference
from .template import Template, used_template

ZONES_OF_A_REGION = 3
"""Zones over which a regional group spreads when it names none."""


def read_group(group: Resource, program: Program) -> Iterator[NodePool]:
    """One pool; several versions (a canary beside the rest) are machines of which the dearest counts."""
    part = Part(group)
    versions = part.each("versions")
    used = () if isinstance(versions, Unknown) else [used_template(version, "instanceTemplate", program) for version in versions]
    templates = tuple(template for template in used if template is not None)
    absent = versions if isinstance(versions, Unknown) else Unknown(part.path("versions"), "without an instance template")
    machines = tuple(given(template.machine, template.where("machineType"), "not given") for template in templates) or (absent,)
    gib, kind = templates[0].disk if templates else (absent, absent)
    yield with_attached(
        NodePool(
            urn=group.urn,
            name=group.name,
            cloud="gcp",
            region=region(group, program, "zone" if group.type == gcp_types.GROUP else "region"),
            machines=machines,
            market=_market(templates, absent),
            nodes=_nodes(part, program),
            zones=_zones(part, program),
            image=Image(kind="CUSTOM", driver=None, path="versions"),
            root_disk_gib=gib,
            root_disk_kind=kind,
            attached=_attached(templates, machines, absent),
            paths={
                "machines": templates[0].where("machineType") if templates else "versions",
                "maximum": "targetSize",
                "surge": "updatePolicy",
                "subnetIds": "distributionPolicyZones",
            },
        )
    )


def _market(templates: Sequence[Template], absent: Unknown) -> Maybe[Market]:
    markets = {template.market for template in templates}
    if len(markets) > 1:
        return Unknown("versions", "of several markets")
    return next(iter(markets), absent)


def _attached(templates: Sequence[Template], machines: Sequence[Maybe[str]], absent: Unknown) -> Maybe[tuple[Accelerator, ...]]:
    """What the first version that attaches anything attaches; unknown as soon as one version's is."""
    found = [attached(machine, template.accelerators) for template, machine in zip(templates, machines, strict=False)] or [absent]
    unknown = next((entry for entry in found if isinstance(entry, Unknown)), None)
    return next((entry for entry in found if known(entry) and entry), ()) if unknown is None else unknown


def _zones(group: Part, program: Program) -> Maybe[tuple[Maybe[str], ...]]:
    if group.resource.type == gcp_types.GROUP:
        zone = zone_of(location(group.resource, program, "zone"))
        return (Unknown("zone", "not given") if zone is None else zone,)
    listed = group.items("distributionPolicyZones")
    if isinstance(listed, Unknown):
        return listed
    named = [
        given(text(zone, path), path, "not given") for i, zone in enumerate(listed) if (path := group.path("distributionPolicyZones", i))
    ]
    return tuple(named) or tuple(Unknown("distributionPolicyZones", "not given") for _ in range(ZONES_OF_A_REGION))


def _nodes(group: Part, program: Program) -> NodeCount:
    size = first(group.whole("targetSize"), 0)
    scalers = _of_group(group.resource, program.once(_scalers))
    least = _sum([_least(scaler) for scaler in scalers]) if scalers else size
    most = _sum([_most(scaler) for scaler in scalers]) if scalers else size
    more = _sum([_resize(request) for request in _of_group(group.resource, program.once(_requests))])
    return NodeCount(
        minimum=given(least, "targetSize", "not given"),
        desired=given(least if scalers else size, "targetSize", "not given"),
        maximum=_sum([given(most, "targetSize", "not given"), more]),
        surge=_surge(group),
    )


def _of_group(group: Resource, found: Mapping[str | None, Sequence[Resource]]) -> Sequence[Resource]:
    """Those that name the group, and those of which it cannot be told."""
    return (*found.get(group.urn, ()), *found.get(None, ()))


def _scalers(program: Program) -> Mapping[str | None, Sequence[Resource]]:
    return _by_group(program, "target", *gcp_types.AUTOSCALERS)


def _requests(program: Program) -> Mapping[str | None, Sequence[Resource]]:
    return _by_group(program, "instanceGroupManager", gcp_types.RESIZE_REQUEST)


def _by_group(program: Program, prop: str, *kinds: str) -> Mapping[str | None, Sequence[Resource]]:
    """Resources of `kinds` by the group that `prop` means; None for those whose group is not known."""
    found: dict[str | None, list[Resource]] = {}
    for other in program.resources.of_type(*kinds):
        named = reference(program, other, prop, other.read(prop), prop, *gcp_types.GROUPS)
        found.setdefault(named if isinstance(named, str) else None, []).append(other)
    return found


def _least(scaler: Resource) -> Maybe[int]:
    path = "autoscalingPolicy.minReplicas"
    return given(whole(scaler.read("autoscalingPolicy", "minReplicas"), path), path, "not given")


def _most(scaler: Resource) -> Maybe[int]:
    path = "autoscalingPolicy.maxReplicas"
    return given(whole(scaler.read("autoscalingPolicy", "maxReplicas"), path), path, "not given")


def _resize(request: Resource) -> Maybe[int]:
    """Nodes that a resize request (flex-start without GKE) adds."""
    return given(first(whole(request.read("resizeBy"), "resizeBy"), 0), "resizeBy", "not given")


def _sum(counts: Sequence[Maybe[int]]) -> Maybe[int]:
    unknown = next((count for count in counts if isinstance(count, Unknown)), None)
    return unknown if unknown is not None else sum(count for count in counts if known(count))


def _surge(group: Part) -> Maybe[int]:
    """Extra instances of a rolling update. Only a proactive update makes them by itself; by default it may add one for each zone."""
    policy = group.read("updatePolicy")
    if policy is None or isinstance(policy, Unknown):
        return 0 if policy is None else policy
    fixed, percent = group.whole("updatePolicy", "maxSurgeFixed"), group.whole("updatePolicy", "maxSurgePercent")
    if percent is not None:
        return Unknown(group.path("updatePolicy", "maxSurgePercent"), "a share of a size that changes: give maxSurgeFixed")
    zones = items(group.read("distributionPolicyZones"), "distributionPolicyZones")
    default = (len(zones) or ZONES_OF_A_REGION if known(zones) else 1) if group.resource.type == gcp_types.REGION_GROUP else 1
    return given(first(fixed, default), "updatePolicy", "not given")
