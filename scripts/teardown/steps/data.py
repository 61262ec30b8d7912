"""Data and reservations: kept, unless a person names them."""

from __future__ import annotations

from scripts.teardown import kinds as k
from scripts.teardown.model import Seen, Thing
from scripts.teardown.step import Choices, Step, delete_all


def named(seen: Seen, names: frozenset[str]) -> tuple[Thing, ...]:
    """Data that goes by one of `names`: its id, or its own name."""
    return tuple(thing for thing in seen.of(k.DATA) if thing.kept and {thing.id, thing.name} & names)


def step(choices: Choices) -> Step:
    return Step(
        id="data",
        title="Delete the data that was named",
        reason="data outlives clusters unless a person says otherwise",
        needs=frozenset(k.DATA),
        touches=lambda seen: named(seen, choices.delete_data),
        act=delete_all,
        minutes=30,
    )


RESERVATIONS = Step(
    id="reservations",
    title="Cancel capacity reservations",
    reason="asked for: a reservation bills until it is cancelled",
    needs=frozenset({k.RESERVATION}),
    touches=lambda seen: seen.of([k.RESERVATION]),
    act=delete_all,
    minutes=5,
)
