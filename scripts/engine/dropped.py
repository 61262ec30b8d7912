"""In-cluster objects that a destroy takes out of the state before their cluster is gone, kept on disk until the destroy is complete.

The engine makes no delete call for an object with `deleted_with`: it forgets it, and the provider and components around it, at once. When
the destroy is then cut off, cluster and objects live on and no state knows the objects: the next `up` would meet them by name, for ever.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from scripts.engine.references import Entry, rooted
from scripts.engine.state import State
from scripts.engine.workspace import Workspace
from scripts.errors import BadInput, Failed


@dataclass(frozen=True)
class Dropped:
    """The entries that a destroy of one stack will forget. `path` is in `.gpukit/`; there is no file when no destroy is open."""

    path: Path

    @classmethod
    def of(cls, workspace: Workspace, stack: str) -> Dropped:
        return cls(workspace.checkout.local / "destroying" / f"{workspace.world}-{stack}.json")

    def remember(self, state: State) -> None:
        """Before a destroy: keep what it will forget, beside what an earlier one, cut off, has forgotten. Raises Failed when it cannot."""
        entries = {str(each["urn"]): each for each in (*self.entries(), *forgettable(state.resources))}
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            scratch = self.path.with_suffix(".new")
            with os.fdopen(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
                json.dump(list(entries.values()), file)
            scratch.replace(self.path)
        except OSError as error:
            raise Failed(
                f"{self.path} cannot be written ({error.strerror}). Nothing was changed. Make it writable and try again."
            ) from error

    def entries(self) -> tuple[Entry, ...]:
        """What is kept; () without a file. Raises BadInput when the file is corrupt."""
        try:
            entries = cast("list[Entry]", json.loads(self.path.read_text()))
            return tuple({"urn": each["urn"], "type": each["type"], **each} for each in entries)
        except FileNotFoundError:
            return ()
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise BadInput(
                f"{self.path}, where an interrupted destroy is kept, cannot be read ({error}). Nothing was changed. Remove the file; "
                f"gpukit then names what it finds in the cluster beside the state."
            ) from error

    def forget(self) -> None:
        """The destroy is complete, or what it forgot is in the state again."""
        self.path.unlink(missing_ok=True)


def forgettable(resources: Iterable[Entry]) -> list[Entry]:
    """Objects with `deleted_with`, what they are deleted with, and the providers and components that they need, in the state's order."""
    live = [each for each in resources if not each.get("delete")]
    by_urn = {str(each["urn"]): each for each in live}
    wanted: set[str] = set()
    for each in live:
        if each.get("deletedWith"):
            wanted |= {str(each["urn"]), str(each["deletedWith"])} | _around(each, by_urn)
    return [each for each in live if each["urn"] in wanted]


def missing(entries: Iterable[Entry], state: State) -> tuple[Entry, ...]:
    """Those of `entries` that `state` lacks while the very cluster that they live in is in it, fit to stand at its end."""
    entries = tuple(entries)
    kept = {str(each["urn"]): each for each in entries}
    present = {str(each["urn"]): each for each in state.resources}
    needed: set[str] = set()
    for each in entries:
        home = str(each.get("deletedWith") or "")
        if home in present and home in kept and _same(kept[home], present[home]):
            needed |= {str(each["urn"])} | _around(each, kept)
    needed -= present.keys()
    known = needed | present.keys()
    return tuple(rooted(each, known) for each in entries if each["urn"] in needed)


def _around(entry: Entry, by_urn: Mapping[str, Entry]) -> set[str]:
    """URNs of provider and parents, and of theirs: they exist in the state only."""
    found: set[str] = set()
    open_ = [entry]
    while open_:
        each = open_.pop()
        for urn in (str(each.get("parent") or ""), str(each.get("provider") or "").rpartition("::")[0]):
            if urn in by_urn and urn not in found:
                found.add(urn)
                open_.append(by_urn[urn])
    return found


def _same(one: Entry, other: Entry) -> bool:
    """Whether two entries of one URN are one thing and not its successor."""
    return (one.get("id"), one.get("created")) == (other.get("id"), other.get("created"))
