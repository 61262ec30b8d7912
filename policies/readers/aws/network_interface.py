"""Network interfaces that are resources of their own, and the instances that start with them."""

from __future__ import annotations

from collections.abc import Iterator

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
        return Interfaces(urn=instance.urn, items=(only,), path=path)
    found = items(listed, "networkInterfaces")
    if isinstance(found, Unknown):
        return Interfaces(urn=instance.urn, items=found)
    return Interfaces(urn=instance.urn, items=tuple(_entry(instance, program, i) for i in range(len(found)))) if found else None


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
    return frozenset(n.urn for i in instances for prop in _LISTS for n in program.resources.referred(i, prop, types.NETWORK_INTERFACE))
