"""What a preview would change in things that exist, in the order of how much it hurts: for a person who is asked to confirm it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from scripts.engine.events import Step, resource_name, resource_type
from scripts.engine.node_effects import STAY, of_nodes

_ORDER = ("replace", "delete", "update")
_TAGS = ("tags", "tagsAll")
TEMPLATE, GROUP = "aws:ec2/launchTemplate:LaunchTemplate", "aws:eks/nodeGroup:NodeGroup"
_MOST_LINES = 40
_MOST_PROPERTIES = 6


@dataclass(frozen=True)
class Change:
    """One thing that exists and would be replaced, deleted or updated."""

    operation: str
    type: str
    name: str
    properties: tuple[str, ...] = ()
    """Paths of what differs; of a replacement those that force it."""

    same_template: bool = False
    """Whether the launch template of its name changes its own tags alone, which makes no new version, though a preview knows none."""

    @property
    def nodes(self) -> str:
        """What becomes of a node pool's nodes; "" for what is no pool."""
        paths = tuple(p for p in self.properties if not (self.same_template and p == "launchTemplate.version"))
        return of_nodes(self.operation, self.type, paths) if paths or not self.same_template else STAY

    def as_json(self) -> dict[str, object]:
        told = {"operation": self.operation, "type": self.type, "name": self.name, "properties": list(self.properties)}
        return {**told, **({"nodes": self.nodes} if self.nodes else {})}


def changes_of(steps: Iterable[Step]) -> tuple[Change, ...]:
    """From the steps of a preview; replacements first, then deletions, then updates, each in the engine's order."""
    found = {
        step.urn + step.operation: Change(step.operation, resource_type(step.urn), resource_name(step.urn), step.properties)
        for step in steps
        if step.real and step.operation in _ORDER
    }
    retagged = {
        c.name for c in found.values() if c.type == TEMPLATE and c.properties and all(p.split(".")[0] in _TAGS for p in c.properties)
    }
    told = (replace(c, same_template=True) if c.type == GROUP and c.name in retagged else c for c in found.values())
    return tuple(sorted(told, key=lambda change: _ORDER.index(change.operation)))


def lines(changes: tuple[Change, ...], *, every: bool = False) -> Iterator[str]:
    """One line a change, the first 40 unless `every`."""
    shown = changes if every else changes[:_MOST_LINES]
    for change in shown:
        why = _why(change)
        yield f"  {change.operation:<7} {change.type} {change.name}{f' ({why})' if why else ''}{f': {change.nodes}' if change.nodes else ''}"
    if len(changes) > len(shown):
        yield f"  … and {len(changes) - len(shown)} more (GPUKIT_VERBOSE=1 shows all)"


def _why(change: Change) -> str:
    if change.operation == "delete":
        return ""
    more = len(change.properties) - _MOST_PROPERTIES
    named = ", ".join(change.properties[:_MOST_PROPERTIES]) + (f" and {more} more" if more > 0 else "")
    return f"forced by {named}" if named and change.operation == "replace" else named
