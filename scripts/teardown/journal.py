"""What a teardown has begun, done and learned: a file that only grows, each line on the disk before the next act."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from components import clock
from scripts.errors import BadInput, Failed
from scripts.teardown.model import Scope, Target

Entry = Mapping[str, Any]
DIRECTORY = "GPUKIT_TEARDOWN_STATE"
SCHEMA = "gpukit/teardown-journal/1"


@dataclass(frozen=True)
class Journal:
    """The journal of one target. `path` is in `.gpukit/teardown/`, or in the directory that GPUKIT_TEARDOWN_STATE names, so that a runner may die."""

    path: Path
    appended: Callable[[Entry], None] = lambda _: None
    """Called after each entry is on the disk."""

    @classmethod
    def of(cls, local: Path, target: Target) -> Journal:
        place = f"{target.world}-{target.cloud}-{target.account}-{target.region}-{target.name}".replace("/", "_")
        named = os.environ.get(DIRECTORY, "")
        return cls((Path(named) if named else local / "teardown") / f"{place}.jsonl")

    def start(self, target: Target) -> None:
        self.append("start", schema=SCHEMA, target=target.name, place=target.place, world=target.world)

    def refuse_others(self, target: Target) -> None:
        """Raises BadInput when an unfinished run in it was of another target, or was written by another version: what it remembers is not ours."""
        for entry in self.open_run():
            if entry["event"] != "start":
                continue
            if entry.get("schema", SCHEMA) != SCHEMA:
                raise BadInput(
                    f"{self.path} was written by another version ({entry['schema']!r}, and this one writes {SCHEMA}). Nothing was changed. Finish the "
                    f"run with that version, or move the file away to begin anew."
                )
            of = (entry.get("target"), entry.get("place"), entry.get("world"))
            if of != (target.name, target.place, target.world):
                raise BadInput(
                    f"{self.path} is the journal of {of[0]} ({of[1]}), not of {target.name} ({target.place}). Nothing was changed. Move it away to begin "
                    f"anew."
                )

    def append(self, event: str, **facts: Any) -> None:
        """Raises Failed when it cannot be written: what is not recorded is not done."""
        entry = {"at": clock.now().isoformat(timespec="seconds"), "event": event, **facts}
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._cut_torn_line()
            with os.fdopen(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a") as file:
                file.write(json.dumps(entry) + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise Failed(f"{self.path} cannot be written ({error.strerror}). Nothing more was changed. Make room and try again.") from error
        self.appended(entry)

    def _cut_torn_line(self) -> None:
        """A writer that was killed in the middle of a line has not recorded it."""
        if self.path.exists() and (text := self.path.read_bytes()) and not text.endswith(b"\n"):
            os.truncate(self.path, text.rfind(b"\n") + 1)

    def entries(self) -> tuple[Entry, ...]:
        """All entries; the last line of a killed writer may be cut off, and counts for nothing. Raises BadInput for other damage."""
        try:
            lines = self.path.read_text().splitlines()
        except FileNotFoundError:
            return ()
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(f"{self.path} cannot be read ({error}). Nothing was changed. Move it away to begin anew.") from error
        return tuple(entry for at, line in enumerate(lines) if (entry := self._parsed(line, last=at == len(lines) - 1)) is not None)

    def _parsed(self, line: str, *, last: bool) -> Entry | None:
        try:
            entry = json.loads(line)
            return {"event": entry["event"], **entry}
        except (ValueError, KeyError, TypeError) as error:
            if last:
                return None
            raise BadInput(f"{self.path} is corrupt: {line[:80]!r}. Nothing was changed. Move it away to begin anew.") from error

    def open_run(self) -> tuple[Entry, ...]:
        """Entries of a teardown that has not ended; () when the last one did, or there was none."""
        entries = self.entries()
        ends = [at for at, entry in enumerate(entries) if entry["event"] == "done"]
        return entries[ends[-1] + 1 :] if ends else entries

    def scope(self) -> Scope:
        """What an unfinished run has learned of the target."""
        known = Scope()
        for entry in self.open_run():
            if entry["event"] == "scope":
                known = known.with_(self._scope(entry))
        return known

    def _scope(self, entry: Entry) -> Scope:
        """What a later version remembers beside is left out. Raises BadInput for values that cannot be: they decide what is deleted."""
        given: Any = entry.get("scope")
        words: dict[str, Any] = (
            {name: given[name] for name in Scope().as_json() if name in given} if isinstance(given, dict) else {"stack": None}
        )
        policies: Any = words.get("policies", {})
        texts = [
            *(value for name, value in words.items() if name != "policies"),
            *(policies.values() if isinstance(policies, dict) else [None]),
        ]
        if not all(isinstance(text, str) for text in texts):
            raise BadInput(f"{self.path} is corrupt: its scope is {given!r}. Nothing was changed. Move it away to begin anew.")
        return Scope(**words)
