"""The second inventory: what is left, what it bills, and whether that was meant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scripts.errors import Exit
from scripts.teardown import kinds as k
from scripts.teardown.model import Target, Thing, usd_text
from scripts.teardown.plan import SCHEMA
from scripts.teardown.running import Done


@dataclass(frozen=True, kw_only=True)
class Ending:
    """How a teardown ended."""

    target: Target
    done: tuple[Done, ...]
    residue: tuple[Thing, ...]
    """Left although it should be gone."""
    kept: tuple[Thing, ...]
    """Data, on purpose."""
    journal: str

    @property
    def exit(self) -> Exit:
        return Exit.NO if self.residue else Exit.FINE

    def as_json(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "target": self.target.name,
            "world": self.target.world,
            "exit": int(self.exit),
            "steps": [
                {
                    "id": each.step,
                    "touched": [thing.label for thing in each.touched],
                    "left": [thing.label for thing in each.left],
                    "why": each.why,
                    "left_out": each.left_out,
                }
                for each in self.done
            ],
            "residue": [thing.as_json() for thing in self.residue],
            "kept": [thing.as_json() for thing in self.kept],
            "journal": self.journal,
        }

    def text(self) -> str:
        """The report that a person reads."""
        lines: list[str] = []
        if self.residue:
            lines += [f"Left of {self.target.place}, although it should be gone:{_bill(self.residue)}", *_listed(self.residue)]
            if any(thing.kind == k.RESERVATION for thing in self.residue):
                lines.append("  A reservation bills until it is cancelled: --cancel-reservations does that.")
        else:
            lines.append(f"Nothing is left of {self.target.place} but what is kept on purpose.")
        if self.kept:
            lines += [f"Kept on purpose:{_bill(self.kept)}", *_listed(self.kept), "  Delete data by name: --delete-data NAME."]
        lines.append(f"Journal: {self.journal}")
        return "\n".join(lines)


def _bill(things: tuple[Thing, ...]) -> str:
    text = usd_text(things)
    return f" {text}" if text else ""


def _listed(things: tuple[Thing, ...]) -> list[str]:
    return [f"  - {thing.label}{_suffix(thing)}" for thing in things]


def _suffix(thing: Thing) -> str:
    price = usd_text((thing,))
    parts = [part for part in (price, thing.kept, thing.why if not thing.kept else "") if part]
    return f": {'; '.join(parts)}" if parts else ""
