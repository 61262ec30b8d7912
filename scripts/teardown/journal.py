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


@dataclass(frozen=True)
class Journal:
    """The journal of one target. `path` is in `.gpukit/teardown/`."""

    path: Path
    appended: Callable[[Entry], None] = lambda _: None
    """Called after each entry is on the disk."""

    @classmethod
    def of(cls, local: Path, target: Target) -> Journal:
        place = f"{target.world}-{target.cloud}-{target.account}-{target.region}-{target.name}".replace("/", "_")
        return cls(local / "teardown" / f"{place}.jsonl")

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
                known = known.with_(Scope(**{name: entry["scope"][name] for name in Scope().as_json() if name in entry["scope"]}))
        return known
