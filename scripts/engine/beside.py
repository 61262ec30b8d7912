"""Data of an earlier destroy that a stack has been told to leave alone, kept on disk: new data is made beside it.

An `up` that starts from an empty state makes its own data. When it fails half-way, the next one starts from a state that is not empty:
without this note the old data would look like a create whose answer was lost, and hold up every `up` from then on.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from scripts.engine.workspace import Workspace
from scripts.errors import Failed


@dataclass(frozen=True)
class Beside:
    """Names (ARNs, self links, resource ids) of one stack's old data. `path` is in `.gpukit/`; there is no file while there is none."""

    path: Path

    @classmethod
    def of(cls, workspace: Workspace, stack: str) -> Beside:
        return cls(workspace.checkout.local / "beside" / f"{workspace.world}-{stack}.json")

    def names(self) -> frozenset[str]:
        """Empty without a file, or with one that cannot be read: then the old data is named once more, and nothing is made twice."""
        try:
            names = cast("list[object]", json.loads(self.path.read_text()))
            return frozenset(str(name) for name in names)
        except (OSError, ValueError, TypeError):
            return frozenset()

    def remember(self, names: Iterable[str]) -> None:
        """Note `names` in the place of what was noted: the state is empty, so all old data was just listed. Raises Failed when it cannot."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            scratch = self.path.with_suffix(".new")
            scratch.write_text(json.dumps(sorted(names)))
            scratch.replace(self.path)
        except OSError as error:
            raise Failed(
                f"{self.path} cannot be written ({error.strerror}). Nothing was changed. Make it writable and try again."
            ) from error
