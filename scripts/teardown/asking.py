"""What a person has to say before anything is deleted."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

from scripts.errors import BadInput, Refused
from scripts.teardown.model import Target


def _typed(prompt: str) -> str:
    sys.stderr.write(prompt)
    sys.stderr.flush()
    return sys.stdin.readline().strip()


@dataclass(frozen=True)
class Person:
    """Who sits at the terminal, if anyone does."""

    there: bool
    answer: Callable[[str], str] = _typed

    @classmethod
    def at_terminal(cls) -> Person:
        return cls(sys.stdin.isatty())


def confirm(target: Target, person: Person, *, given: str | None, data: frozenset[str]) -> None:
    """Raises Refused when the name is another, BadInput when nobody can be asked, for the target and for each piece of data by name.

    Data is named by a person only: no option of an unattended run stands for that.
    """
    if given is None and not person.there:
        raise BadInput(
            f"There is no terminal to confirm on. Nothing was changed. Give --confirm {target.name}, the name of what is to end."
        )
    if data and not person.there:
        raise Refused("--delete-data is for a person at a terminal, never for an unattended run. Nothing was changed.")
    said = given if given is not None else person.answer(f"[{target.world}] End {target.place}? Type {target.name!r} to go on: ")
    if said != target.name:
        raise Refused(f"Not confirmed: {said!r} is not {target.name!r}. Nothing was changed.")
    for name in sorted(data):
        if person.answer(f"[{target.world}] Delete the data {name} for ever? Type {name!r} to go on: ") != name:
            raise Refused(f"Deleting {name} was not confirmed. Nothing was changed.")
