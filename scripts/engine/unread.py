"""A mark on the disk that a stack's state may lag behind its cloud, kept until everything was read again.

The engine believes its state: an `up` makes nothing that the state calls made. What a destroy that was cut off deleted, what was still on its way
out, and what people deleted by hand meanwhile shows in the cloud alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from scripts.engine.workspace import Workspace
from scripts.errors import Failed


@dataclass(frozen=True)
class Unread:
    """`path` is in `.gpukit/`; there is a file while the state of one stack is in doubt."""

    path: Path

    @classmethod
    def of(cls, workspace: Workspace, stack: str) -> Unread:
        return cls(workspace.checkout.local / "unread" / f"{workspace.world}-{stack}.json")

    @property
    def marked(self) -> bool:
        return self.path.exists()

    def mark(self) -> None:
        """Raises Failed when it cannot be written: the doubt would be lost with this process."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text("{}\n")
        except OSError as error:
            raise Failed(
                f"{self.path} cannot be written ({error.strerror}). Nothing was changed. Make it writable and try again."
            ) from error

    def clear(self) -> None:
        """Everything was read again, or is gone."""
        self.path.unlink(missing_ok=True)
