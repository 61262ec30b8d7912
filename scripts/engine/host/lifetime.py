"""When the host must end: a signal, or the engine's death however it came."""

from __future__ import annotations

import os
import signal
import stat
import sys
import threading


def end_of_engine() -> threading.Event:
    """An event that is set on SIGINT or SIGTERM, or when standard input ends.

    The engine holds the pipe on our standard input, so its end means that the engine is gone, even by SIGKILL.
    """
    ended = threading.Event()
    for signum in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signum, lambda *_: ended.set())
    if _stdin_is_a_pipe():
        threading.Thread(target=_wait_for_end_of_input, args=(ended,), daemon=True).start()
    return ended


def _stdin_is_a_pipe() -> bool:
    try:
        return stat.S_ISFIFO(os.fstat(0).st_mode)
    except OSError:
        return False


def _wait_for_end_of_input(ended: threading.Event) -> None:
    sys.stdin.buffer.read()
    ended.set()
