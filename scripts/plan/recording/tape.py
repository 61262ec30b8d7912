"""What a run leaves behind: plain JSON, with secrets already replaced, so that it may cross a process border."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

Json = Any
"""JSON with the engine's own signatures for secrets, assets, references; unknown values are its sentinel text."""


@dataclass
class Entry:
    """One registered or read resource. `urn` and the other names are the engine's."""

    urn: str
    type: str
    name: str
    custom: bool
    parent: str = ""
    inputs: dict[str, Json] = field(default_factory=dict[str, Json])
    id: str = ""
    """Known id, or "" when only the update will tell."""
    dependencies: list[str] = field(default_factory=list[str])
    property_dependencies: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    provider: str = ""
    """URN of the explicit provider, without its id."""
    protect: bool = False
    retain_on_delete: bool = False
    delete_before_replace: bool = False
    ignore_changes: list[str] = field(default_factory=list[str])
    deleted_with: str = ""
    aliases: list[str] = field(default_factory=list[str])
    external: bool = False
    """Read with `.get()`: it exists already, and its properties are in the cloud only."""
    remote: bool = False
    """A component whose children another process would make: they are not seen."""


@dataclass
class Tape:
    """The recording of one stack. `error` is one paragraph; whatever was registered before it is kept."""

    project: str
    stack: str
    entries: list[Entry] = field(default_factory=list[Entry])
    outputs: dict[str, Json] = field(default_factory=dict[str, Json])
    logs: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """(severity, text) of everything above debug that the program logged."""
    notes: list[str] = field(default_factory=list[str])
    """What an offline run cannot know, in order of appearance."""
    error: str | None = None

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def as_json(self) -> dict[str, Json]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Json]) -> Tape:
        """Raises KeyError or TypeError when `data` is no tape."""
        tape = cls(**data)
        tape.entries = [Entry(**entry) for entry in data["entries"]]
        tape.logs = [(str(severity), str(text)) for severity, text in data["logs"]]
        return tape
