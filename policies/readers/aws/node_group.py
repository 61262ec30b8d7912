"""EKS managed node groups, with the launch template that they use."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import cast

from components import catalog
from components.inventory import Image, MachineChoice, Market, NodeCount, NodePool, Purchase
from components.resource import Resource, read
from components.unknown import Maybe, Unknown, known
from policies.readers import types
from policies.readers.pools import classified
from policies.readers.program import Program
from policies.readers.values import OUTSIDE, first, given, items, text, whole

from .group_setup import managed
from .launch_template import Template, choices, listed_machines, pool_interfaces, used_template

DEFAULT_MACHINE = "t3.medium"
"""What EKS takes when neither group nor template names a machine."""
DEFAULT_DISK_GIB = 20
"""Root disk of a node group without a launch template."""
CUSTOM = "CUSTOM"
_STANDARD = {"x86_64": "AL2023_x86_64_STANDARD", "arm64": "AL2023_ARM_64_STANDARD"}
_MARKETS: Mapping[str, Market] = {"ON_DEMAND": Market.ON_DEMAND, "SPOT": Market.SPOT, "CAPACITY_BLOCK": Market.CAPACITY_BLOCK}


def read_node_group(group: Resource, program: Program) -> Iterator[NodePool | MachineChoice]:
    template = used_template(program, group)
    own = listed_machines(group, "instanceTypes")
    region = program.region(group)
    zones = program.zones(group, "subnetIds")
    yield classified(
        NodePool(
            urn=group.urn,
            name=group.name,
            cloud="aws",
            region=region,
            machines=_machines(own, template),
            market=_market(group, template),
            nodes=_nodes(group, zones),
            zones=zones,
            image=_image(group, template, _machines(own, template)),
            interfaces=pool_interfaces(group, template),
            cluster=program.reference(group, "clusterName", group.read("clusterName"), types.CLUSTER),
            placement_group=template.placement_group if template else None,
            reservation=template.reservation if template else None,
            purchase=_purchase(group, template, own) if template else None,
            labels=_labels(group),
            taints=_taints(group),
            root_disk_gib=_disk_gib(group, template),
            root_disk_kind=template.disk_kind if template else None,
            placement_strategy=template.placement_strategy if template else None,
            subnets=_subnets(group, program),
            kubernetes_version=text(group.read("version"), "version"),
            managed=managed(group, program, template),
            paths=_paths(own, template),
        )
    )
    if isinstance(own, Unknown) or own:
        yield from choices(own, group, region, "instanceTypes")


def _subnets(group: Resource, program: Program) -> Maybe[tuple[Maybe[str], ...]]:
    """One entry where another stack gives the whole list: how many they are is not told, and that they are outside is."""
    found = items(group.read("subnetIds"), "subnetIds")
    if isinstance(found, Unknown):
        return (Unknown("subnetIds", f"given by a stack {OUTSIDE}"),) if program.from_another_stack(group, "subnetIds") else found
    return program.references(group, "subnetIds", found, "subnetIds", types.SUBNET)


def _machines(own: Maybe[tuple[Maybe[str], ...]], template: Template | None) -> Maybe[tuple[Maybe[str], ...]]:
    if isinstance(own, Unknown) or own:
        return own
    machine = template.machine if template else None
    return (DEFAULT_MACHINE if machine is None else machine,)


def _market(group: Resource, template: Template | None) -> Maybe[Market]:
    word = text(group.read("capacityType"), "capacityType")
    if isinstance(word, Unknown):
        return word
    market = _MARKETS.get(word or "ON_DEMAND")
    if market is None:
        return Unknown("capacityType", f"{word!r}, which is none of {', '.join(_MARKETS)}")
    if market is Market.ON_DEMAND and template is not None and template.resource is not None:
        reservation = template.reservation
        return reservation if isinstance(reservation, Unknown) else market if reservation is None else Market.RESERVATION
    return market


def _purchase(group: Resource, template: Template, own: Maybe[tuple[Maybe[str], ...]]) -> Purchase:
    word = text(group.read("capacityType"), "capacityType")
    placement = template.placement_group
    planned = template.program.resources.by_urn
    return Purchase(
        group_word="ON_DEMAND" if word is None else word,
        template_word=template.market_type,
        reserved=template.reserved,
        target=template.reservation,
        target_placement=_placement_of_target(template),
        template_machine=template.machine,
        group_machines=own if isinstance(own, Unknown) else bool(own),
        own_placement=known(placement) and placement in planned,
    )


def _placement_of_target(template: Template) -> Maybe[str | None]:
    """Placement group in which a planned reservation is made; nothing is known of one that exists already."""
    target = template.reservation
    planned = template.program.resources.by_urn.get(target) if isinstance(target, str) else None
    value = planned.read("placementGroupArn") if planned else None
    return (
        None if planned is None or value is None else template.program.reference(planned, "placementGroupArn", value, types.PLACEMENT_GROUP)
    )


def _nodes(group: Resource, zones: Maybe[tuple[Maybe[str], ...]]) -> NodeCount:
    """EKS counts a group's nodes over all its zones."""

    def size(key: str) -> Maybe[int]:
        path = f"scalingConfig.{key}"
        return given(whole(group.read("scalingConfig", key), path), path, "not given")

    maximum = size("maxSize")
    return NodeCount(minimum=size("minSize"), desired=size("desiredSize"), maximum=maximum, surge=_surge(group, maximum, zones))


def _surge(group: Resource, maximum: Maybe[int], zones: Maybe[tuple[Maybe[str], ...]]) -> Maybe[int]:
    """Nodes that an update adds: none under MINIMAL, else up to the greater of twice the zones and maxUnavailable."""
    strategy = text(group.read("updateConfig", "updateStrategy"), "updateConfig.updateStrategy")
    if isinstance(strategy, Unknown):
        return strategy
    if strategy == "MINIMAL":
        return 0
    unavailable = _unavailable(group, maximum)
    if isinstance(unavailable, Unknown):
        return unavailable
    if isinstance(zones, Unknown):
        reason = f"not MINIMAL, so that an update adds nodes by the number of zones, and {zones.path} is {zones.reason}"
        return Unknown("updateConfig.updateStrategy", reason)
    return max(2 * len(zones), unavailable)


def _unavailable(group: Resource, maximum: Maybe[int]) -> Maybe[int]:
    count = whole(group.read("updateConfig", "maxUnavailable"), "updateConfig.maxUnavailable")
    percent = whole(group.read("updateConfig", "maxUnavailablePercentage"), "updateConfig.maxUnavailablePercentage")
    if isinstance(count, Unknown) or isinstance(percent, Unknown):
        return cast("Unknown", count if isinstance(count, Unknown) else percent)
    if not percent:
        return count or 1
    return math.ceil(maximum * percent / 100) if known(maximum) else maximum


def _image(group: Resource, template: Template | None, machines: Maybe[tuple[Maybe[str], ...]]) -> Image:
    own = template.image_id if template and template.resource else None
    if own is not None and known(own):
        return Image(kind=CUSTOM, driver=None, path="launchTemplate.imageId")
    unseen = own is not None or (template is not None and template.resource is None)
    kind = first(text(group.read("amiType"), "amiType"), None if unseen else _picked_by_eks(machines))
    kind = given(kind, "amiType", "not given, so that EKS picks one")
    if isinstance(kind, Unknown) or isinstance(own, Unknown):
        missing = cast("Unknown", kind if isinstance(kind, Unknown) else own)
        return Image(kind=kind if known(own) else missing, driver=missing, toolkit=missing, path="amiType")
    row = catalog.image("aws", kind)
    if row is None:
        strange = Unknown("amiType", f"{kind!r}, which the catalogue does not know")
        return Image(kind=kind, driver=strange, toolkit=strange, path="amiType")
    return Image(kind=kind, driver=row.driver, toolkit=row.toolkit, path="amiType")


def _picked_by_eks(machines: Maybe[tuple[Maybe[str], ...]]) -> str | None:
    """What a group without image type starts from: AL2023 for its processor, since Kubernetes 1.30 (EKS User Guide, "Upgrade from Amazon
    Linux 2 to Amazon Linux 2023"). Nothing is said of what EKS takes where there are accelerators.
    """
    rows = [catalog.find_machine("aws", machine) if known(machine) else None for machine in machines] if known(machines) else []
    kinds = {None if row is None or row.accelerated else _STANDARD.get(row.arch) for row in rows}
    return next(iter(kinds)) if len(kinds) == 1 else None


def _labels(group: Resource) -> Maybe[Mapping[str, Maybe[str]]]:
    labels = group.read("labels")
    if labels is None or isinstance(labels, Unknown):
        return {} if labels is None else labels
    if not isinstance(labels, Mapping):
        return Unknown("labels", "not readable: no object")
    return {str(key): given(text(read(value), f"labels.{key}"), f"labels.{key}", "empty") for key, value in labels.items()}


def _taints(group: Resource) -> Maybe[tuple[str, ...]]:
    taints = group.read("taints")
    if taints is None or isinstance(taints, Unknown):
        return () if taints is None else taints
    if not isinstance(taints, list | tuple):
        return Unknown("taints", "not readable: no list")
    found: list[str] = []
    for i in range(len(taints)):
        parts = [first(text(group.read("taints", i, key), f"taints[{i}].{key}"), "") for key in ("key", "value", "effect")]
        unknown = next((part for part in parts if isinstance(part, Unknown)), None)
        if unknown is not None:
            return unknown
        found.append(f"{parts[0]}={parts[1]}:{parts[2]}")
    return tuple(found)


def _disk_gib(group: Resource, template: Template | None) -> Maybe[int | None]:
    if template is not None:
        return template.disk_gib
    return first(whole(group.read("diskSize"), "diskSize"), DEFAULT_DISK_GIB)


def _paths(own: Maybe[tuple[Maybe[str], ...]], template: Template | None) -> Mapping[str, str]:
    in_template = known(own) and not own and template is not None
    return {
        "machines": template.where("instanceType") if in_template and template else "instanceTypes",
        "maximum": "scalingConfig.maxSize",
        "market": "capacityType",
        "image": "amiType",
        "surge": "updateConfig",
    }
