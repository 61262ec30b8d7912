"""Virtual machines and scale sets outside AKS, and disks of their own."""

from __future__ import annotations

from collections.abc import Iterator

from components.inventory import Disk, Image, MachineChoice, Market, NodeCount, NodePool
from components.resource import Resource
from components.unknown import Maybe, Unknown
from policies.readers import azure_types as types
from policies.readers.pools import classified
from policies.readers.program import Program
from policies.readers.values import given, items, number, text, whole

from .references import location, meant, size_name

_ONE = NodeCount(minimum=1, desired=1, maximum=1)
_CUSTOM = "CUSTOM"
_OS_DISK = ("storageProfile", "osDisk")
_DISK_KIND = ("managedDisk", "storageAccountType")
_GROUP = ("capacityReservation", "capacityReservationGroup", "id")
_PLACES = {"placement": "proximityPlacementGroup", "subnetIds": "zones"}
Facts = Iterator[NodePool | MachineChoice]


def read_machine(machine: Resource, program: Program) -> Facts:
    """A pool of one node. Of a flexible scale set too: its members are resources of their own."""
    path = "hardwareProfile.vmSize"
    size = size_name(given(text(machine.read("hardwareProfile", "vmSize"), path), path, "not given"))
    priority = text(machine.read("priority"), "priority")
    group = meant(program, machine, "capacityReservation", machine.read(*_GROUP), types.RESERVATION_GROUP)
    yield from _pool(
        machine,
        program,
        machines=(size,),
        market=_market(priority, "priority", group),
        nodes=_ONE,
        reservation=group,
        disk=_OS_DISK,
        paths={"machines": path, "market": "priority", **_PLACES},
    )


def read_scale_set(group: Resource, program: Program) -> Facts:
    """A scale set that starts machines by itself; a flexible one without a profile only gathers what is made elsewhere."""
    if group.read("virtualMachineProfile") is None and group.read("sku") is None:
        return
    base = "virtualMachineProfile"
    reserved = meant(program, group, base, group.read(base, *_GROUP), types.RESERVATION_GROUP)
    yield from _pool(
        group,
        program,
        machines=_sizes(group),
        market=_market(text(group.read(base, "priority"), f"{base}.priority"), f"{base}.priority", reserved),
        nodes=_counts(group, program),
        reservation=reserved,
        disk=(base, *_OS_DISK),
        paths={"machines": "sku.name", "maximum": "sku.capacity", "market": f"{base}.priority", **_PLACES},
    )


def _pool(  # noqa: PLR0913 # one parameter a fact that the two kinds keep in different places
    resource: Resource,
    program: Program,
    *,
    machines: Maybe[tuple[Maybe[str], ...]],
    market: Maybe[Market],
    nodes: NodeCount,
    reservation: Maybe[str | None],
    disk: tuple[str, ...],
    paths: dict[str, str],
) -> Facts:
    region = location(program, resource)
    yield classified(
        NodePool(
            urn=resource.urn,
            name=resource.name,
            cloud="azure",
            region=region,
            machines=machines,
            market=market,
            nodes=nodes,
            zones=_zones(resource),
            image=Image(kind=_CUSTOM, driver=None, path="storageProfile.imageReference"),
            placement_group=_placement(resource, program),
            reservation=reservation,
            root_disk_gib=whole(resource.read(*disk, "diskSizeGB"), ".".join((*disk, "diskSizeGB"))),
            root_disk_kind=text(resource.read(*disk, *_DISK_KIND), ".".join((*disk, *_DISK_KIND))),
            paths=paths,
        )
    )
    named = (machines,) if isinstance(machines, Unknown) else machines
    for machine in named:
        yield MachineChoice(urn=resource.urn, cloud="azure", region=region, machine=machine, path=paths["machines"])


def _placement(resource: Resource, program: Program) -> Maybe[str | None]:
    prop = "proximityPlacementGroup"
    return meant(program, resource, prop, resource.read(prop, "id"), types.PLACEMENT_GROUP)


def _zones(resource: Resource) -> Maybe[tuple[Maybe[str], ...]]:
    listed = items(resource.read("zones"), "zones")
    if isinstance(listed, Unknown):
        return listed
    return tuple(given(text(resource.read("zones", i), f"zones[{i}]"), f"zones[{i}]", "empty") for i in range(len(listed)))


def _market(priority: Maybe[str | None], path: str, group: Maybe[str | None]) -> Maybe[Market]:
    """`Low` is the older word for Spot."""
    if isinstance(priority, Unknown):
        return priority
    word = (priority or "Regular").casefold()
    if word in ("spot", "low"):
        return Market.SPOT
    if word != "regular":
        return Unknown(path, f"{priority!r}, which is neither Regular nor Spot")
    return group if isinstance(group, Unknown) else Market.ON_DEMAND if group is None else Market.RESERVATION


def _sizes(group: Resource) -> Maybe[tuple[Maybe[str], ...]]:
    """One size, or the mix of an instance-mix scale set (`skuProfile`)."""
    path = "skuProfile.vmSizes"
    mixed = items(group.read("skuProfile", "vmSizes"), path)
    if isinstance(mixed, Unknown):
        return mixed
    if mixed:
        names = [text(group.read("skuProfile", "vmSizes", i, "name"), f"{path}[{i}].name") for i in range(len(mixed))]
        return tuple(size_name(given(name, f"{path}[{i}].name", "not given")) for i, name in enumerate(names))
    return (size_name(given(text(group.read("sku", "name"), "sku.name"), "sku.name", "not given")),)


def _counts(group: Resource, program: Program) -> NodeCount:
    """The capacity of the scale set, or what an autoscale setting of the program allows it."""
    capacity = given(whole(group.read("sku", "capacity"), "sku.capacity"), "sku.capacity", "not given")
    scaled = [s for s in program.resources.of_type(*types.AUTOSCALES) if _scales(s, group, program)]
    if not scaled:
        return NodeCount(minimum=capacity, desired=capacity, maximum=capacity)
    limits = [limit for setting in scaled for limit in _limits(setting)]
    unknown = next((limit for limit in limits if isinstance(limit, Unknown)), None)
    if unknown is not None or not limits:
        missing = Unknown("profiles", "not given by the autoscale setting") if unknown is None else unknown
        return NodeCount(minimum=missing, desired=capacity, maximum=missing)
    bounds = [limit for limit in limits if not isinstance(limit, Unknown)]
    return NodeCount(minimum=min(low for low, _ in bounds), desired=capacity, maximum=max(high for _, high in bounds))


def _scales(setting: Resource, group: Resource, program: Program) -> bool:
    prop = "targetResourceUri"
    return meant(program, setting, prop, setting.read(prop), types.SCALE_SET) == group.urn


def _limits(setting: Resource) -> list[Maybe[tuple[int, int]]]:
    profiles = items(setting.read("profiles"), "profiles")
    if isinstance(profiles, Unknown):
        return [profiles]
    return [_limit(setting, i) for i in range(len(profiles))]


def _limit(setting: Resource, index: int) -> Maybe[tuple[int, int]]:
    def bound(key: str) -> Maybe[int]:
        path = f"profiles[{index}].capacity.{key}"
        return given(whole(setting.read("profiles", index, "capacity", key), path), path, "not given")

    low, high = bound("minimum"), bound("maximum")
    if isinstance(low, Unknown):
        return low
    return high if isinstance(high, Unknown) else (low, high)


def read_disk(disk: Resource, program: Program) -> Iterator[Disk]:
    yield Disk(
        urn=disk.urn,
        cloud="azure",
        region=location(program, disk),
        kind=given(text(disk.read("sku", "name"), "sku.name"), "sku.name", "not given"),
        gib=given(number(disk.read("diskSizeGB"), "diskSizeGB"), "diskSizeGB", "not given: that of its source"),
    )
