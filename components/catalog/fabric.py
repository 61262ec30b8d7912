"""Which network interfaces a node of an AWS machine is launched with, in the layout that EC2's guide recommends.

Card 0 carries the primary ENA interface, because an EFA-only interface cannot be primary; every EFA interface is `efa-only`, which takes
no subnet address. Count and place come from each card's own capabilities, never from the number of cards: p6-b300 has one card more than
EFA interfaces (A2-A5).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .machine_types import Card, Machine

SlotKind = Literal["interface", "efa", "efa-only"]


@dataclass(frozen=True, slots=True)
class Slot:
    """One interface of a launch template. Pairs of card and device are unique on a node."""

    card: int
    device: int
    kind: SlotKind

    @property
    def primary(self) -> bool:
        return self.card == 0 and self.device == 0


PRIMARY = Slot(0, 0, "interface")
CRAMPED_PRIMARY = Slot(0, 0, "efa")
"""Primary of a machine whose card 0 has room for one interface only (hpc6id): ENA and EFA in one."""


def layout(machine: Machine, *, extra_ena: bool = False) -> tuple[Slot, ...]:
    """Interfaces of one node of `machine`, ordered by card and device; one plain interface where it has no EFA.

    `extra_ena` adds the ENA interfaces that the guide offers for more ordinary bandwidth (p5, p5e: 7 more).
    Raises ValueError where the machine's fabric is not laid out by cards, or where the guide offers no extra interfaces.
    """
    if machine.fabric not in (None, "efa"):
        raise ValueError(f"{machine.name} has no card layout: its {machine.fabric} interfaces are ordered by {machine.cloud} networks")
    if extra_ena and not machine.extra_ena_cards:
        raise ValueError(f"{machine.name} takes no extra ENA interfaces: leave extra_ena out")
    efa = [_efa_slot(card) for card in _efa_cards(machine)]
    primary = [] if CRAMPED_PRIMARY in efa else [PRIMARY]
    extra = [Slot(card, 1, "interface") for card in machine.extra_ena_cards] if extra_ena else []
    return tuple(sorted([*primary, *efa, *extra], key=lambda slot: (slot.card, slot.device)))


def _efa_cards(machine: Machine) -> list[Card]:
    """The cards that carry an EFA interface: those that take them, up to the machine's maximum (i7ie has more than it may use)."""
    return [card for card in machine.cards if card.efa][: machine.efa_interfaces]


def _efa_slot(card: Card) -> Slot:
    if card.index:
        return Slot(card.index, 0, "efa-only")
    return CRAMPED_PRIMARY if card.max_interfaces == 1 else Slot(0, 1, "efa-only")
