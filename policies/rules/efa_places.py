"""GPU-EFA-03, 06, 07: the interface list alone, whatever machine it is for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from components.inventory import Interface, Interfaces
from components.resource import name_of
from components.unknown import Maybe, Unknown, known
from policies.finding import Status

from .efa_layouts import EFA_KINDS, layouts
from .rule import Case, Rule, Scope, Verdict, cannot_tell, listed


def _complete(case: Case) -> Iterator[tuple[Interfaces, tuple[Interface, ...]]]:
    """Lists of all kinds that hold everything that an instance starts with and can be counted."""
    for layout in case.inventory.interfaces:
        if layout.complete and known(layout.items) and layout.items:
            yield layout, layout.items


def _positions(case: Case) -> Iterator[Verdict]:
    so = "it cannot be told whether two interfaces share a place"
    for found in layouts(case, so):
        if isinstance(found, Verdict):
            yield found
        elif len(found[1]) > 1 and found[0].complete:
            layout, items = found
            yield from _without_place(layout, items)
            strange = next((x for i in items for x in (i.card, i.device) if isinstance(x, Unknown)), None)
            if strange is not None:
                yield cannot_tell(layout.urn, strange, subject=name_of(layout.urn), so=so)
    for layout, items in _complete(case):
        yield from _shared_places(layout, items)


def _place(interface: Interface) -> tuple[Maybe[int], Maybe[int]]:
    """Network card and device index; what is not given is 0."""
    return (0 if interface.card is None else interface.card, 0 if interface.device is None else interface.device)


def _without_place(layout: Interfaces, items: tuple[Interface, ...]) -> Iterator[Verdict]:
    name = name_of(layout.urn)
    bare = [i for i in items if i.card is None or i.device is None]
    if bare:
        text = f"{name}: no network card or device index at {listed(i.path for i in bare)}. "
        text += (
            "Such interfaces all land on card 0, and the instance never starts. Give networkCardIndex and deviceIndex on every interface."
        )
        yield Verdict(status=Status.VIOLATED, urn=layout.urn, path=bare[0].path, message=text)


def _shared_places(layout: Interfaces, items: tuple[Interface, ...]) -> Iterator[Verdict]:
    name = name_of(layout.urn)
    efa = any(i.kind in EFA_KINDS for i in items)
    placed = [i for i in items if not (efa and (i.card is None or i.device is None))]  # GPU-EFA-03 asks EFA lists for every index already
    places = Counter(place for place in map(_place, placed) if known(place[0]) and known(place[1]))
    for (card, device), count in places.items():
        if count > 1:
            shared = [i.path for i in items if _place(i) == (card, device)]
            text = f"{name}: card {card}, device {device} is given to {listed(shared)}. "
            text += "It takes one interface, so the instance never starts. Give each interface its own pair of networkCardIndex and deviceIndex."
            yield Verdict(status=Status.VIOLATED, urn=layout.urn, path=shared[0], message=text)


def _primary(case: Case) -> Iterator[Verdict]:
    for layout, items in _complete(case):
        first = next((i for i in items if _place(i) == (0, 0)), None)
        hidden = next((x for i in items for x in _place(i) if isinstance(x, Unknown)), None)
        if first is None and hidden is None:
            text = f"{name_of(layout.urn)}: no interface on card 0, device 0 among {listed(i.path for i in items)}. "
            text += "An instance starts with its primary interface there, so EC2 refuses the launch. Add a plain `interface` on card 0, device 0."
            yield Verdict(status=Status.VIOLATED, urn=layout.urn, path=layout.path, message=text)
        elif first is not None and first.kind == "efa-only":
            text = f"{name_of(layout.urn)}: the interface on card 0, device 0 at {first.path} is `efa-only`, which has no address and cannot be the "
            text += "primary interface. EC2 refuses the launch. Make it a plain `interface` and give `efa-only` device 1."
            yield Verdict(status=Status.VIOLATED, urn=layout.urn, path=f"{first.path}.interfaceType", message=text)
        unknown = hidden if first is None else first.kind if isinstance(first.kind, Unknown) else None
        if unknown is not None:
            so = "it cannot be told whether its primary interface is one that EC2 accepts"
            yield cannot_tell(layout.urn, unknown, subject=name_of(layout.urn), so=so)


def _public(case: Case) -> Iterator[Verdict]:
    for layout in case.inventory.interfaces:
        if isinstance(layout.items, Unknown) or len(layout.items) < 2:
            continue  # an uncountable list is unknown to GPU-EFA-03 already
        name = name_of(layout.urn)
        public = [i for i in layout.items if known(i.public_address) and i.public_address]
        if public:
            text = f"{name}: a public address is asked for at {listed(i.path for i in public)}, on an instance with {len(layout.items)} interfaces. "
            text += (
                "EC2 refuses associatePublicIpAddress with several interfaces. Leave it out and use private subnets with NAT or endpoints."
            )
            path = f"{public[0].path}.associatePublicIpAddress"
            yield Verdict(status=Status.VIOLATED, urn=layout.urn, path=path, message=text)
        strange = next((i.public_address for i in layout.items if isinstance(i.public_address, Unknown)), None)
        if strange is not None:
            yield cannot_tell(layout.urn, strange, subject=name, so="it cannot be told whether EC2 would refuse a public address")


RULES = (
    Rule(
        id="GPU-EFA-03",
        title="Each interface has a network card and device index of its own",
        failures=("A3",),
        scope=Scope.RESOURCE,
        check=_positions,
        fix="networkCardIndex 0 to n-1 with one deviceIndex each",
    ),
    Rule(
        id="GPU-EFA-06",
        title="No public address on instances with several interfaces",
        failures=("A7",),
        scope=Scope.RESOURCE,
        check=_public,
        fix="private subnets; associatePublicIpAddress left out",
    ),
    Rule(
        id="GPU-EFA-07",
        title="The primary interface is there and has an address",
        failures=(),
        scope=Scope.RESOURCE,
        check=_primary,
        fix="card 0, device 0 `interface` (or `efa`), never `efa-only`",
    ),
)
