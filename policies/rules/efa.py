"""GPU-EFA: interfaces of AWS's fast fabric. Here against the machine; beside it `efa_groups` and `efa_places`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from components import catalog
from components.catalog import Card, Machine
from components.inventory import GpuPool, Interface, Interfaces, NodePool
from components.unknown import Maybe, Unknown, known
from policies.finding import Level, Status

from . import efa_groups, efa_places
from .efa_layouts import efa_of
from .rule import Case, Rule, Scope, Verdict, cannot_tell, listed


@dataclass(frozen=True)
class _Fit:
    """A pool's interfaces on one machine that it may start."""

    pool: NodePool
    urn: str
    machine: Machine
    items: tuple[Interface, ...]
    efa: tuple[Interface, ...]

    def card(self, interface: Interface) -> Card | None:
        index = 0 if interface.card is None else interface.card
        return next((card for card in self.machine.cards if card.index == index), None)


def _fits(case: Case, so: str) -> Iterator[_Fit | Verdict]:
    for pool in case.inventory.pools:
        if pool.cloud == "aws":
            for index, machine in enumerate((pool.machines,) if isinstance(pool.machines, Unknown) else pool.machines):
                layout = pool.other_interfaces.get(index, pool.interfaces)
                yield from _fits_of(pool, machine, layout or Interfaces(urn=pool.urn, items=()), so)


def _fits_of(pool: NodePool, machine: Maybe[str], layout: Interfaces, so: str) -> Iterator[_Fit | Verdict]:
    efa = layout.items if isinstance(layout.items, Unknown) else efa_of(layout.items)
    row = None if isinstance(machine, Unknown) else catalog.find_machine("aws", machine)
    if isinstance(efa, Unknown) or isinstance(layout.items, Unknown):
        if isinstance(pool, GpuPool):  # whether other machines start with EFA is nothing that anyone has to tell here
            yield cannot_tell(layout.urn, efa if isinstance(efa, Unknown) else Unknown(layout.path), subject=pool.name, so=so)
    elif row is not None:
        yield _Fit(pool, layout.urn, row, layout.items, efa)
    elif efa:
        strange = machine if isinstance(machine, Unknown) else Unknown("instanceType", f"{machine!r}, which is in no catalogue")
        yield cannot_tell(layout.urn, strange, subject=pool.name, so=so)


def _device_bound(case: Case) -> Iterator[Verdict]:
    for fit in _fits(case, "it cannot be told whether its device indexes fit the network cards"):
        if isinstance(fit, Verdict):
            yield fit
            continue
        yield from _cards_that_are_not(fit)
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


def _cards_that_are_not(fit: _Fit) -> Iterator[Verdict]:
    """Plain interfaces on a card that the machine lacks; for EFA ones GPU-EFA-04 says it."""
    lost = [i for i in fit.items if i.kind == "interface" and known(i.card) and fit.card(i) is None] if fit.machine.cards else []
    if lost:
        last = max(card.index for card in fit.machine.cards)
        has = f"cards 0 to {last}" if last else "only card 0"
        text = f"{fit.pool.name}: interface on card {lost[0].card} at {listed(i.path for i in lost)}, but {fit.machine.name} has {has}. "
        text += "EC2 refuses the launch. Take it out, or put it on a card that the machine has."
        yield Verdict(status=Status.VIOLATED, urn=fit.urn, path=f"{lost[0].path}.networkCardIndex", message=text)


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


def _of_several(fit: _Fit) -> bool:
    """Whether its nodes may be meant to train together: a single machine that orders no interfaces is not.

    Karpenter gives a node all its EFA interfaces when a pod asks for EFA, unless the node class orders others.
    """
    ordered = bool(fit.items)
    return isinstance(fit.pool, GpuPool) and (ordered or (fit.pool.nodes.maximum not in (0, 1) and fit.pool.consolidation is None))


def _efa_count(case: Case) -> Iterator[Verdict]:
    for fit in _fits(case, "its EFA interfaces cannot be counted"):
        if isinstance(fit, Verdict):
            yield fit
            continue
        most, count = fit.machine.rdma_interfaces if fit.machine.fabric == "efa" else 0, len(fit.efa)
        if most is None and fit.items:
            text = f"{fit.pool.name}: how many EFA interfaces {fit.machine.name} takes is not established. Compare with describe-instance-types."
            yield Verdict(status=Status.UNCHECKED, urn=fit.urn, path="networkInterfaces", message=text)
        elif most is None:
            continue
        elif count > most > 0:
            text = f"{fit.pool.name}: {count} EFA interfaces, but {fit.machine.name} takes {most}. The launch fails. "
            text += f"Give {most}, the machine's MaximumEfaInterfaces, which is not the number of its network cards."
            yield Verdict(status=Status.VIOLATED, urn=fit.urn, path="networkInterfaces", message=text)
        elif count < most and (count or most > 1) and _of_several(fit):
            text = f"{fit.pool.name}: {count} EFA interfaces, but {fit.machine.name} takes {most}. "
            text += (
                f"Traffic between nodes loses bandwidth. Give {most} EFA interfaces, or accept this for nodes that do not train together."
            )
            yield Verdict(status=Status.VIOLATED, urn=fit.urn, path="networkInterfaces", message=text, level=Level.ADVISORY)


_MACHINE_RULES = (
    Rule(
        id="GPU-EFA-02",
        title="Interfaces sit on cards that the machine has, with device indexes below their bound",
        failures=("A2",),
        scope=Scope.STACK,
        check=_device_bound,
        fix="card 0: device 0 `interface` and device 1 `efa-only`; every other card: device 0 `efa-only`",
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
)
RULES = tuple(sorted((*efa_groups.RULES, *efa_places.RULES, *_MACHINE_RULES), key=lambda rule: rule.id))
