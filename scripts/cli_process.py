"""The process around the command line: its streams, and an end that waits for nothing."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, TextIO

from scripts.errors import Exit


def run(command: Callable[[], object]) -> NoReturn:
    """`command` to its end, and the process with it: without tearing down the SDKs' heap, which takes as long as a plan."""
    _open_closed_streams()
    code = Exit.FINE
    lost: str | None = None
    try:
        command()
    except SystemExit as end:
        if not isinstance(end.code, int | None):
            raise
        code = end.code or Exit.FINE
    except OSError as error:  # of `--help` and `--version`, which print before there is a command
        lost = _why(error)
    lost = _flushed(sys.stdout) or lost
    _flushed(sys.stderr)
    if lost is not None:
        code = _half_written(lost, code)
    atexit._run_exitfuncs()  # noqa: SLF001 - os._exit would skip them, and there is no public way to run them
    _flushed(sys.stdout)
    _flushed(sys.stderr)
    os._exit(code)


def _open_closed_streams() -> None:
    """Whoever starts us with a closed output (`gpukit plan >&-`) wants its exit code alone; Python has None for such a stream."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 # it stays open to the end


def _flushed(stream: TextIO) -> str | None:
    """Why what was written did not arrive; Python would complain at its end otherwise."""
    try:
        stream.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return _why(error)
    return None


def _why(error: OSError) -> str | None:
    """None for a reader that went away (`gpukit plan | head`), which is no error."""
    return None if isinstance(error, BrokenPipeError) else str(error.strerror)


def _half_written(why: str, code: int) -> int:
    """A half-written answer must not pass for a whole one; what went wrong before is told already."""
    if code != Exit.FINE:
        return code
    with contextlib.suppress(OSError):
        sys.stderr.write(f"gpukit: The output cannot be written ({why}): give it a place with room.\n")
    return Exit.USAGE
