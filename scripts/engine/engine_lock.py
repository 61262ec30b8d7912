"""What a killed engine leaves behind in its own file backend: lock files, and half-written attributes."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from scripts.errors import BadInput, Refused


@dataclass(frozen=True)
class EngineLock:
    path: Path
    pid: int
    host: str
    since: str


def locks(state: Path, *, project: str, stack: str) -> tuple[EngineLock, ...]:
    """The engine's locks on `stack` under the file backend at `state`. Raises BadInput when one cannot be read."""
    directory = state / ".pulumi" / "locks" / "organization" / project / stack
    return tuple(_read(path) for path in sorted(directory.glob("*.json")))


def remove_stale(state: Path, *, project: str, stack: str, alive: Callable[[int], bool] | None = None) -> tuple[EngineLock, ...]:
    """Remove the locks whose engine is dead on this host, and give them. Raises Refused while any owner lives or cannot be asked.

    `pulumi cancel` would take the lock from a living engine too; then two engines write one state.
    """
    found = locks(state, project=project, stack=stack)
    for lock in found:
        if lock.host != socket.gethostname():
            raise Refused(_elsewhere(lock, stack))
        if (alive or process_lives)(lock.pid):
            raise Refused(_living(lock, stack))
    for lock in found:
        lock.path.unlink(missing_ok=True)
        lock.path.with_name(lock.path.name + ".attrs").unlink(missing_ok=True)
    return found


def drop_broken_attributes(state: Path, *, project: str, stack: str) -> bool:
    """Remove the attributes beside the stack's state where they are not whole; says whether they were.

    The file backend empties that file, fills it, and only then puts the state itself in place at once. An engine killed in between leaves a
    good state that no engine reads any more ("failed to load checkpoint: EOF"); without attributes it is read as ever. Only while no engine
    works on the stack.
    """
    broken = [path for path in (state / ".pulumi" / "stacks" / project).glob(f"{stack}.json*.attrs") if not _whole(path)]
    for path in broken:
        path.unlink()
    return bool(broken)


def _whole(path: Path) -> bool:
    try:
        return isinstance(json.loads(path.read_text()), dict)
    except ValueError:
        return False


def process_lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return not _is_zombie(pid)


def _is_zombie(pid: int) -> bool:
    """A killed engine whose parent has not yet asked for its end writes no state any more."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[-1].split()[0] == "Z"
    except (OSError, IndexError):
        return False


def _read(path: Path) -> EngineLock:
    try:
        content = json.loads(path.read_text())
        return EngineLock(path, int(content["pid"]), str(content["hostname"]), str(content["timestamp"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(
            f"The engine's lock file {path} cannot be read ({error}). Make sure that no `pulumi` runs on this stack, then remove the file."
        ) from error


def _living(lock: EngineLock, stack: str) -> str:
    return (
        f"A Pulumi engine (process {lock.pid}, since {lock.since}) is working on stack {stack}. Nothing was changed. "
        f"Wait until it ends, or interrupt it once (kill -INT {lock.pid}) and let it finish the steps that it has begun."
    )


def _elsewhere(lock: EngineLock, stack: str) -> str:
    return (
        f"Stack {stack} is locked by process {lock.pid} on host {lock.host} since {lock.since}; whether it still runs cannot be seen from "
        f"here. Nothing was changed. Look there; when it is gone, remove {lock.path}."
    )
