"""A server process of a test: started with its output in a file, waited for, stopped by its own process id."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

READY_SECONDS = 90
"""Longest wait for a server; a busy machine takes ten times as long as an idle one."""
_STOP_SECONDS = 20


def free_ports(count: int) -> list[int]:
    """Ports of the loopback that nobody listens on; all are held while they are chosen, so no two are the same."""
    held = [socket.socket() for _ in range(count)]
    try:
        for each in held:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in held]
    finally:
        for each in held:
            each.close()


class Server:
    """One running program. Its output stays in `log`."""

    def __init__(self, command: Sequence[str | Path], log: Path) -> None:
        self.log = log
        self._name = Path(command[0]).name
        with log.open("wb") as out:
            self._process = subprocess.Popen([str(part) for part in command], stdout=out, stderr=subprocess.STDOUT, cwd=log.parent)

    def wait(self, ready: Callable[[], bool]) -> None:
        """Until `ready`; raises AssertionError with the end of its output when it has ended or is late."""
        end = time.monotonic() + READY_SECONDS
        while not ready():
            ended = self._process.poll() is not None
            if ended or time.monotonic() > end:
                said = self.log.read_text(errors="replace")[-2000:]
                raise AssertionError(f"{self._name} {'has ended' if ended else 'is not ready'}:\n{said}")
            time.sleep(0.1)

    def stop(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
