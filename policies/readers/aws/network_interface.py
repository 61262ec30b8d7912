"""Network interfaces that are resources of their own, and the instances that start with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from components.inventory import Interface, Interfaces
from components.resource import Resource, Value
from components.unknown import Maybe, Unknown, known
from policies.readers import types
from policies.readers.program import Program
from policies.readers.values import OUTSIDE, items, text, whole

from .launch_template import KINDS

Place = tuple[Maybe[int | None], Maybe[int | None]]
"""Network card and device index."""
_LISTS = ("primaryNetworkInterface", "networkInterfaces")


def read_interface(resource: Resource, program: Program) -> Iterator[Interfaces]:
    """An EFA interface that no instance of this program lists. Interfaces of other kinds matter to no rule by themselves."""
    if resource.urn in program.once(_listed):
        return
    interface = _interface(resource, program, (None, None), "")
    if isinstance(interface.kind, Unknown) or interface.kind != "interface":
        yield Interfaces(urn=resource.urn, items=(interface,), path="interfaceType", complete=False)


def instance_interfaces(instance: Resource, program: Program) -> Interfaces | None:
    """The interfaces that `instance` names itself, in their places; None when it names none."""
    primary, listed = (instance.read(prop) for prop in _LISTS)
    if isinstance(primary, Unknown) and isinstance(listed, Unknown) and known(instance.id):
        return None  # an instance that the program looks up: it runs already, with whatever it has
    if primary is not None:
        path = "primaryNetworkInterface"
        only = _named(instance, program, instance.read(path, "networkInterfaceId"), path, (0, 0))
        return Interfaces(urn=instance.urn, items=(only, *_attached(instance, program)), path=path)
    found = items(listed, "networkInterfaces")
    if isinstance(found, Unknown):
        return Interfaces(urn=instance.urn, items=found)
    every = (*(_entry(instance, program, i) for i in range(len(found))), *_attached(instance, program))
    return Interfaces(urn=instance.urn, items=every) if found else None


def _attached(instance: Resource, program: Program) -> Iterator[Interface]:
    """Interfaces that are attached to the instance after its start, by resources of their own or by the interface itself."""
    for one in program.once(_attachments).get(instance.urn, ()):
        inline: tuple[str | int, ...] = ("attachments", 0) if one.type == types.NETWORK_INTERFACE else ()
        place = whole(one.read(*inline, "networkCardIndex"), "networkCardIndex"), whole(one.read(*inline, "deviceIndex"), "deviceIndex")
        if inline:
            yield _interface(one, program, place, "attachments[0]")
        else:
            yield _named(one, program, one.read("networkInterfaceId"), "networkInterfaceId", place)


def _attachments(program: Program) -> Mapping[str, list[Resource]]:
    found: dict[str, list[Resource]] = {}
    for one in program.resources.of_type(types.INTERFACE_ATTACHMENT):
        owner = program.reference(one, "instanceId", one.read("instanceId"), types.INSTANCE)
        if known(owner):
            found.setdefault(owner, []).append(one)
    for one in program.resources.of_type(types.NETWORK_INTERFACE):
        for owner in program.resources.referred(one, "attachments", types.INSTANCE):
            found.setdefault(owner.urn, []).append(one)
    return found


def _entry(instance: Resource, program: Program, index: int) -> Interface:
    path = f"networkInterfaces[{index}]"

    def at(key: str) -> Value:
        return instance.read("networkInterfaces", index, key)

    place = whole(at("networkCardIndex"), f"{path}.networkCardIndex"), whole(at("deviceIndex"), f"{path}.deviceIndex")
    return _named(instance, program, at("networkInterfaceId"), path, place)


def _named(instance: Resource, program: Program, name: Value, path: str, place: Place) -> Interface:
    """The interface with this id. Which of several new ones an instance means cannot be told, unless they are alike."""
    meant = _meant(instance, program, path.partition("[")[0], name)
    read = [_interface(resource, program, place, path) for resource in meant]
    if read and all(interface == read[0] for interface in read):
        return read[0]
    hidden = Unknown(f"{path}.networkInterfaceId", "one of several new interfaces" if read else f"an interface {OUTSIDE}")
    return Interface(card=place[0], device=place[1], kind=hidden, groups=hidden, path=path)


def _meant(instance: Resource, program: Program, prop: str, name: Value) -> tuple[Resource, ...]:
    if isinstance(name, str):
        found = program.resources.existing(name, types.NETWORK_INTERFACE)
        return (found,) if found else ()
    return program.resources.referred(instance, prop, types.NETWORK_INTERFACE)


def _interface(resource: Resource, program: Program, place: Place, path: str) -> Interface:
    kind = text(resource.read("interfaceType"), "interfaceType")
    groups = items(resource.read("securityGroups"), "securityGroups")
    if known(groups):
        groups = program.references(resource, "securityGroups", groups, "securityGroups", *types.SECURITY_GROUPS)
    return Interface(card=place[0], device=place[1], kind=_kind(kind), groups=groups, path=path)


def _kind(word: Maybe[str | None]) -> Maybe[str]:
    """EC2 has kinds beside those of launch templates (`branch`, `trunk` …), none of which is EFA; a misspelt EFA is none of them."""
    if isinstance(word, Unknown) or word in KINDS:
        return word
    if word is not None and "efa" in word.casefold():
        return Unknown("interfaceType", f"{word!r}, which is none of {', '.join(KINDS)}")
    return "interface"


def _listed(program: Program) -> frozenset[str]:
    """Interfaces that instances of the program start with."""
    instances = program.resources.of_type(types.INSTANCE)
    attached = program.resources.of_type(types.INTERFACE_ATTACHMENT)
    later = {n.urn for one in attached for n in program.resources.referred(one, "networkInterfaceId", types.NETWORK_INTERFACE)}
    later |= {one.urn for ones in program.once(_attachments).values() for one in ones if one.type == types.NETWORK_INTERFACE}
    return frozenset(
        later | {n.urn for i in instances for prop in _LISTS for n in program.resources.referred(i, prop, types.NETWORK_INTERFACE)}
    )
