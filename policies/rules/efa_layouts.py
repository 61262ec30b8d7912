"""Interface lists of a stack, as the rules of EFA look at them."""

from __future__ import annotations

from collections.abc import Iterator

from components.inventory import Interface, Interfaces
from components.resource import name_of
from components.unknown import Maybe, Unknown

from .rule import Case, Verdict, cannot_tell

EFA_KINDS = ("efa", "efa-only")


def efa_of(items: tuple[Interface, ...]) -> Maybe[tuple[Interface, ...]]:
    """The EFA interfaces; unknown when the kind of one is."""
    strange = next((i.kind for i in items if isinstance(i.kind, Unknown)), None)
    return tuple(i for i in items if i.kind in EFA_KINDS) if strange is None else strange


def layouts(case: Case, so: str) -> Iterator[tuple[Interfaces, tuple[Interface, ...]] | Verdict]:
    """Interface lists that hold EFA, with all their interfaces."""
    for layout in case.inventory.interfaces:
        efa = layout.items if isinstance(layout.items, Unknown) else efa_of(layout.items)
        if isinstance(efa, Unknown):
            yield cannot_tell(layout.urn, efa, subject=name_of(layout.urn), so=so)
        elif efa and not isinstance(layout.items, Unknown):
            yield layout, layout.items
