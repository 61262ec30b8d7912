"""One run per stack: a lock that the kernel frees when its holder dies, with a note that says who holds it."""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from scripts.errors import Refused


@contextmanager
def stack_lock(directory: Path, *, world: str, stack: str, action: str) -> Generator[None]:
    """Hold the lock of `stack` in `world` ("sandbox" or "real").

    Raises Refused, naming the process and since when, while another run holds it: two runs on one stack would each see half.
    """
    directory.mkdir(parents=True, exist_ok=True)
    note = directory / f"{world}-{stack}.json"
    lock = FileLock(directory / f"{world}-{stack}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise Refused(_held(note, stack)) from None
    try:
        note.write_text(json.dumps({"pid": os.getpid(), "since": _now(), "action": action}))
        yield
    finally:
        note.unlink(missing_ok=True)
        lock.release()


def _held(note: Path, stack: str) -> str:
    return (
        f"Another run is working on stack {stack}: {_holder(note)}. Nothing was changed. Wait until it ends, or interrupt it once with "
        f"Ctrl-C and let it finish the steps that it has begun."
    )


def _holder(note: Path) -> str:
    try:
        holder = json.loads(note.read_text())
        return f"`gpukit {holder['action']}` in process {holder['pid']}, since {holder['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "a process that is just starting or ending"


def _now() -> str:
    """Wall time: the holder is a process of this machine, whatever the simulated world's clock says."""
    return datetime.now(UTC).strftime("%H:%M:%S UTC")
