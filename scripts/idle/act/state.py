"""What runs remember: warnings, actions, and the sizes to which `gpukit resume` brings pools back. One file a world, written whole.

`gpukit/idle-state/1`, below `.gpukit/idle/` (or the directory that GPUKIT_IDLE_STATE names, so that a runner may die). One run at a time:
a lock that the kernel frees with its holder.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

from filelock import FileLock, Timeout
from pydantic import AwareDatetime, Field, ValidationError

from components.json_file import read_json
from scripts.errors import BadInput, Refused
from scripts.idle.intent import Past
from scripts.idle.signals import Count, Frozen

SCHEMA = "gpukit/idle-state/1"
DIRECTORY = "GPUKIT_IDLE_STATE"


class Scaled(Frozen):
    """One pool before it went to zero."""

    group: str
    minimum: Count
    desired: Count
    maximum: Count
    scales: bool = True
    at: AwareDatetime


class Held(Frozen):
    """One queue before it was held."""

    name: str
    policy: str
    """Its `stopPolicy` before."""


class Remembered(Frozen):
    """One stack's cluster."""

    warned_at: AwareDatetime | None = None
    acted_at: AwareDatetime | None = None
    action: str = ""
    told: str = ""
    """What was last told, so that nobody hears the same thing every minute."""
    told_at: AwareDatetime | None = None
    begun: str = ""
    """An action that has begun and not ended: the run that did it was cut off."""
    pools: Mapping[str, Scaled] = Field(default_factory=dict[str, Scaled])
    queues: tuple[Held, ...] = ()

    @property
    def past(self) -> Past:
        return Past(warned_at=self.warned_at, acted_at=self.acted_at, action=self.action)

    @property
    def scaled(self) -> bool:
        """Whether there is something to bring back."""
        return bool(self.pools or self.queues)


class State(Frozen):
    schema_: Annotated[Literal["gpukit/idle-state/1"], Field(alias="schema")] = SCHEMA
    stacks: Mapping[str, Remembered] = Field(default_factory=dict[str, Remembered])


class Store:
    """The file of one world, with its lock."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / "state.json"

    @classmethod
    def of(cls, local: Path, world: str) -> Store:
        """The store below `.gpukit`, or where GPUKIT_IDLE_STATE says. Worlds never share one."""
        named = os.environ.get(DIRECTORY)
        return cls((Path(named) if named else local / "idle") / world)

    @contextmanager
    def locked(self) -> Generator[None]:
        """Raises Refused while another run holds it: two runs would both act, each on half of what is known."""
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = FileLock(self.path.with_suffix(".lock"))
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise Refused(
                "Another run of `gpukit idle`, `resume` or `leases` is working here. Nothing was changed. Wait until it ends."
            ) from None
        try:
            yield
        finally:
            lock.release()

    def read(self) -> State:
        """Raises BadInput for a file that is none of ours: forgotten sizes would be lost for good."""
        if not self.path.exists():
            return State()
        try:
            return State.model_validate(read_json(self.path, "idle state"))
        except (ValueError, ValidationError) as error:
            raise BadInput(
                f"{self.path} cannot be read as {SCHEMA}: {str(error).splitlines()[0]}. It holds the sizes of pools that were scaled to zero: "
                f"restore it, or move it away and set the sizes by hand."
            ) from error

    def of_stack(self, stack: str) -> Remembered:
        return self.read().stacks.get(stack, Remembered())

    def write(self, stack: str, remembered: Remembered) -> None:
        """Whole or not at all, and on the disk before this returns: what follows may end machines."""
        state = self.read()
        stacks = {**state.stacks, stack: remembered}
        text = State(stacks=stacks).model_dump_json(by_alias=True, indent=1) + "\n"
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = self.path.with_name(f"{self.path.name}.new")
        with fresh.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self.path)
