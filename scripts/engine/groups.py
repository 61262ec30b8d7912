"""Finished steps gathered into one line per component: a stack has many small resources, which a person reads as a few parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from scripts.engine.events import Step

NO_COMPONENT = "stack itself"

Key = tuple[str, str]
"""Operation and component."""


def component_of(urn: str) -> str:
    """Class name of the innermost component in the URN's chain of types (`gpukit:aws:NodePool$aws:eks/…` → NodePool)."""
    parts = urn.split("::")
    chain = parts[2].split("$")[:-1] if len(parts) > 3 else []
    components = [each for each in chain if "/" not in each]  # types of the providers' own resources name a module and a type
    return components[-1].rsplit(":", 1)[-1] if components else NO_COMPONENT


@dataclass
class Groups:
    """Counts steps against what the preview said; gives a group when its last step has ended."""

    expected: Counter[Key] = field(default_factory=Counter[Key])
    _ended: Counter[Key] = field(default_factory=Counter[Key])

    def expect(self, steps: Iterable[Step]) -> None:
        """`steps` of a preview. Whatever was expected or counted before is forgotten."""
        self.expected = Counter(_key(step) for step in steps if step.changes and not step.ended)
        self._ended = Counter()

    def end(self, step: Step) -> tuple[Key, int] | None:
        """Count an ended step; the group and its size when it is complete."""
        key = _key(step)
        self._ended[key] += 1
        if self._ended[key] == self.expected[key]:
            return key, self._ended.pop(key)
        return None

    def rest(self) -> list[tuple[Key, int]]:
        """Groups that are not complete: of a run that failed, or that no preview came before. They are given once."""
        left = sorted(self._ended.items())
        self._ended = Counter()
        return left


def _key(step: Step) -> Key:
    return step.operation, component_of(step.urn)
