"""GPU-EFA: interfaces and security groups of AWS's fast fabric."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from components import catalog
from components.catalog import Card, Machine
from components.inventory import GpuPool, Interface, Interfaces, SecurityGroup
from components.unknown import Maybe, Unknown, known
from policies.finding import Level, Status
from policies.readers.values import all_of, any_of

from .rule import Case, Rule, Scope, Verdict, cannot_tell, listed, name_of

EFA_KINDS = ("efa", "efa-only")


def _efa(items: tuple[Interface, ...]) -> Maybe[tuple[Interface, ...]]:
    """The EFA interfaces; unknown when the kind of one is."""
    strange = next((i.kind for i in items if isinstance(i.kind, Unknown)), None)
    return tuple(i for i in items if i.kind in EFA_KINDS) if strange is None else strange


def _layouts(case: Case, so: str) -> Iterator[tuple[Interfaces, tuple[Interface, ...]] | Verdict]:
    """Interface lists that hold EFA, with all their interfaces."""
    for layout in case.inventory.interfaces:
        efa = layout.items if isinstance(layout.items, Unknown) else _efa(layout.items)
        if isinstance(efa, Unknown):
            yield cannot_tell(layout.urn, efa, subject=name_of(layout.urn), so=so)
        elif efa and not isinstance(layout.items, Unknown):
            yield layout, layout.items


# --- GPU-EFA-01


def _closed_groups(case: Case) -> Iterator[Verdict]:
    groups = {group.urn: group for group in case.inventory.security_groups}
    so = "it cannot be told whether EFA traffic passes its security group"
    for found in _layouts(case, so):
        if isinstance(found, Verdict):
            yield found
            continue
        layout, items = found
        claims = [(i, _open_to_itself(i, groups)) for i in items if i.kind in EFA_KINDS]
        closed = [i for i, claim in claims if known(claim) and not claim]
        if closed:
            yield _closed(layout, closed, groups)
        unknown = next((claim for _, claim in claims if isinstance(claim, Unknown)), None)
        if unknown is not None:
            yield cannot_tell(layout.urn, unknown, subject=name_of(layout.urn), so=so)


def _open_to_itself(interface: Interface, groups: dict[str, SecurityGroup]) -> Maybe[bool]:
    """Whether one of the interface's groups lets all protocols in from itself and out to itself."""
    if isinstance(interface.groups, Unknown):
        return interface.groups
    return any_of([group if isinstance(group, Unknown) else _open(group, groups) for group in interface.groups])


def _open(urn: str, groups: dict[str, SecurityGroup]) -> Maybe[bool]:
    group = groups.get(urn)
    if group is None:
        return Unknown("securityGroups", f"{urn}, whose rules are not in this program")
    return all_of([group.ingress_from_self, group.egress_to_self])


def _closed(layout: Interfaces, closed: list[Interface], groups: dict[str, SecurityGroup]) -> Verdict:
    named = dict.fromkeys(g for i in closed if not isinstance(i.groups, Unknown) for g in i.groups if known(g))
    where, at = name_of(layout.urn), listed(i.path for i in closed)
    why = "EFA matches only rules that name a group, not 0.0.0.0/0: without them NCCL stops with error 4126 while TCP still works"
    if not named:
        text = f"{where}: no security group on the EFA interface at {at}. {why}. "
        text += "List a group with an ingress and an egress rule, protocol -1, to itself."
        return Verdict(status=Status.VIOLATED, urn=layout.urn, path=f"{closed[0].path}.securityGroups", message=text)
    group = groups[next(iter(named))]
    missing = [way for way, claim in (("ingress", group.ingress_from_self), ("egress", group.egress_to_self)) if known(claim) and not claim]
    rules = " and ".join(_rule(way) for way in missing)
    text = (
        f"{where}: security group {listed(map(name_of, named))} has no all-protocol {rules}, but serves the EFA interface at {at}. {why}. "
    )
    text += f"Add to {group.name} with protocol -1: {' and '.join(_rule(way) for way in missing)}."
    return Verdict(status=Status.VIOLATED, urn=group.urn, path=missing[-1], message=text)


def _rule(way: str) -> str:
    return f"{way} rule {'from' if way == 'ingress' else 'to'} itself"


# --- GPU-EFA-03, GPU-EFA-06: the interface list alone


def _positions(case: Case) -> Iterator[Verdict]:
    so = "it cannot be told whether two interfaces share a place"
    for found in _layouts(case, so):
        if isinstance(found, Verdict):
            yield found
            continue
        layout, items = found
        if len(items) > 1:
            yield from _misplaced(layout, items)
            strange = next((x for i in items for x in (i.card, i.device) if isinstance(x, Unknown)), None)
            if strange is not None:
                yield cannot_tell(layout.urn, strange, subject=name_of(layout.urn), so=so)


def _misplaced(layout: Interfaces, items: tuple[Interface, ...]) -> Iterator[Verdict]:
    name = name_of(layout.urn)
    bare = [i for i in items if i.card is None or i.device is None]
    if bare:
        text = f"{name}: no network card or device index at {listed(i.path for i in bare)}. "
        text += (
            "Such interfaces all land on card 0, and the instance never starts. Give networkCardIndex and deviceIndex on every interface."
        )
        yield Verdict(status=Status.VIOLATED, urn=layout.urn, path=bare[0].path, message=text)
    places = Counter((i.card, i.device) for i in items if isinstance(i.card, int) and isinstance(i.device, int))
    for (card, device), count in places.items():
        if count > 1:
            shared = [i.path for i in items if (i.card, i.device) == (card, device)]
            text = f"{name}: card {card}, device {device} is given to {listed(shared)}. "
            text += "It takes one interface, so the instance never starts. Give each interface its own pair of networkCardIndex and deviceIndex."
            yield Verdict(status=Status.VIOLATED, urn=layout.urn, path=shared[0], message=text)


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


# --- GPU-EFA-02, 04, 05: the interface list against the machine


@dataclass(frozen=True)
class _Fit:
    """A pool's interfaces on one machine that it may start."""

    pool: GpuPool
    urn: str
    machine: Machine
    items: tuple[Interface, ...]
    efa: tuple[Interface, ...]

    def card(self, interface: Interface) -> Card | None:
        index = 0 if interface.card is None else interface.card
        return next((card for card in self.machine.cards if card.index == index), None)


def _fits(case: Case, so: str) -> Iterator[_Fit | Verdict]:
    for pool in case.inventory.gpu_pools:
        if pool.cloud == "aws" and pool.interfaces is not None:
            yield from _fits_of(pool, pool.interfaces, so)


def _fits_of(pool: GpuPool, layout: Interfaces, so: str) -> Iterator[_Fit | Verdict]:
    efa = layout.items if isinstance(layout.items, Unknown) else _efa(layout.items)
    if isinstance(efa, Unknown) or isinstance(layout.items, Unknown):
        yield cannot_tell(layout.urn, efa if isinstance(efa, Unknown) else Unknown(layout.path), subject=pool.name, so=so)
        return
    for machine in (pool.machines,) if isinstance(pool.machines, Unknown) else pool.machines:
        row = None if isinstance(machine, Unknown) else catalog.find_machine("aws", machine)
        if row is not None:
            yield _Fit(pool, layout.urn, row, layout.items, efa)
        elif efa:
            strange = machine if isinstance(machine, Unknown) else Unknown("instanceType", f"{machine!r}, which is in no catalogue")
            yield cannot_tell(layout.urn, strange, subject=pool.name, so=so)


def _device_bound(case: Case) -> Iterator[Verdict]:
    for fit in _fits(case, "it cannot be told whether its device indexes fit the network cards"):
        if isinstance(fit, Verdict):
            yield fit
            continue
        beyond = [
            (i, c) for i in fit.items if (c := fit.card(i)) and c.max_interfaces is not None and _at_least(i.device, c.max_interfaces)
        ]
        if beyond:
            interface, card = beyond[0]
            text = f"{fit.pool.name}: device index {interface.device} on card {card.index} at {listed(i.path for i, _ in beyond)}, but a card of "
            text += f"{fit.machine.name} takes indexes below {card.max_interfaces}. EC2 refuses the launch. "
            text += "Use device 0 on every card and device 1 only beside the primary interface; never count on from the card index."
            yield Verdict(status=Status.VIOLATED, urn=fit.urn, path=f"{interface.path}.deviceIndex", message=text)
        if fit.efa and any((card := fit.card(i)) and card.max_interfaces is None for i in fit.items):
            text = f"{fit.pool.name}: how many interfaces a card of {fit.machine.name} takes is not established. Compare with describe-instance-types."
            yield Verdict(status=Status.UNCHECKED, urn=fit.urn, path=fit.items[0].path, message=text)


def _at_least(device: Maybe[int | None], bound: int) -> bool:
    """Unknown indexes are GPU-EFA-03's to report."""
    return isinstance(device, int) and device >= bound


def _efa_cards(case: Case) -> Iterator[Verdict]:
    for fit in _fits(case, "it cannot be told whether its network cards take EFA"):
        if isinstance(fit, Verdict):
            yield fit
            continue
        wrong = [i for i in fit.efa if known(i.card) and not ((card := fit.card(i)) and card.efa)]
        if wrong:
            taking = [str(card.index) for card in fit.machine.cards if card.efa]
            takes = (
                f"cards {taking[0]} to {taking[-1]} take EFA"
                if len(taking) > 1
                else f"only card {taking[0]} takes EFA"
                if taking
                else "none does"
            )
            card = 0 if wrong[0].card is None else wrong[0].card
            text = f"{fit.pool.name}: {wrong[0].kind} on card {card} at {listed(i.path for i in wrong)}, but that card of {fit.machine.name} takes no EFA "
            text += f"({takes}). The launch fails. Make it a plain `interface`, or put the EFA interface on a card that takes it."
            yield Verdict(status=Status.VIOLATED, urn=fit.urn, path=f"{wrong[0].path}.interfaceType", message=text)


def _efa_count(case: Case) -> Iterator[Verdict]:
    for fit in _fits(case, "its EFA interfaces cannot be counted"):
        if isinstance(fit, Verdict):
            yield fit
            continue
        most, count = fit.machine.rdma_interfaces if fit.machine.fabric == "efa" else 0, len(fit.efa)
        if most is None:
            text = f"{fit.pool.name}: how many EFA interfaces {fit.machine.name} takes is not established. Compare with describe-instance-types."
            yield Verdict(status=Status.UNCHECKED, urn=fit.urn, path="networkInterfaces", message=text)
        elif count > most > 0:
            text = f"{fit.pool.name}: {count} EFA interfaces, but {fit.machine.name} takes {most}. The launch fails. "
            text += f"Give {most}, the machine's MaximumEfaInterfaces, which is not the number of its network cards."
            yield Verdict(status=Status.VIOLATED, urn=fit.urn, path="networkInterfaces", message=text)
        elif count < most and (count or most > 1):
            text = f"{fit.pool.name}: {count} EFA interfaces, but {fit.machine.name} takes {most}. "
            text += (
                f"Traffic between nodes loses bandwidth. Give {most} EFA interfaces, or accept this for nodes that do not train together."
            )
            yield Verdict(status=Status.VIOLATED, urn=fit.urn, path="networkInterfaces", message=text, level=Level.ADVISORY)


RULES = (
    Rule(
        id="GPU-EFA-01",
        title="EFA interfaces have a security group that is open to itself",
        failures=("A1",),
        scope=Scope.STACK,
        check=_closed_groups,
        fix="one group on every EFA interface, ingress and egress with protocol -1 and itself as source and destination",
    ),
    Rule(
        id="GPU-EFA-02",
        title="Device indexes stay below the network card's bound",
        failures=("A2",),
        scope=Scope.STACK,
        check=_device_bound,
        fix="card 0: device 0 `interface` and device 1 `efa-only`; every other card: device 0 `efa-only`",
    ),
    Rule(
        id="GPU-EFA-03",
        title="Each interface has a network card and device index of its own",
        failures=("A3",),
        scope=Scope.RESOURCE,
        check=_positions,
        fix="networkCardIndex 0 to n-1 with one deviceIndex each",
    ),
    Rule(
        id="GPU-EFA-04",
        title="EFA interfaces sit on cards that take EFA",
        failures=("A4",),
        scope=Scope.STACK,
        check=_efa_cards,
        fix="p6-b300.48xlarge: card 0 `interface`, cards 1 to 16 `efa-only`",
    ),
    Rule(
        id="GPU-EFA-05",
        title="The number of EFA interfaces is the machine's",
        failures=("A5",),
        scope=Scope.STACK,
        check=_efa_count,
        fix="as many as the catalogue has for the machine; more fails, fewer is an advisory",
    ),
    Rule(
        id="GPU-EFA-06",
        title="No public address on instances with several interfaces",
        failures=("A7",),
        scope=Scope.RESOURCE,
        check=_public,
        fix="private subnets; associatePublicIpAddress left out",
    ),
)
