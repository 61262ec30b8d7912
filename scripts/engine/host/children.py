"""The processes that the host started, each with the engine connection that asked for it."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence


class Children:
    """One host may serve several engines (attach mode), so an engine's Cancel must reach its own children only."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._peers: dict[subprocess.Popen[bytes], str] = {}
        self._closing = False
        self.lifeline, self._held = os.pipe()
        """Read end of a pipe that every child inherits; the other end is this process's alone, so it ends with us, even by SIGKILL."""

    def spawn(
        self,
        command: Sequence[str],
        *,
        peer: str,
        cwd: str | None,
        environment: Mapping[str, str],
        piped: bool = False,
    ) -> subprocess.Popen[bytes]:
        """Start `command` without standard input; `piped` captures its output instead of sharing the host's."""
        output = subprocess.PIPE if piped else None
        process = subprocess.Popen(
            list(command),
            cwd=cwd,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=(self.lifeline,),
        )
        with self._lock:
            self._peers[process] = peer
            closing = self._closing
        if closing:
            process.terminate()
        return process

    def forget(self, process: subprocess.Popen[bytes]) -> None:
        with self._lock:
            self._peers.pop(process, None)

    def interrupt(self, peer: str) -> None:
        """SIGINT to what `peer` asked for. Cancel comes at every normal end too, so nothing sticky is set."""
        for process in self._of(peer):
            interrupt(process)

    def terminate_all(self) -> None:
        """The host ends: every child ends with it, and what starts from now on is ended at once."""
        with self._lock:
            self._closing = True
        for process in self._of(None):
            if process.poll() is None:
                process.terminate()

    def _of(self, peer: str | None) -> list[subprocess.Popen[bytes]]:
        with self._lock:
            return [process for process, owner in self._peers.items() if peer is None or owner == peer]


def interrupt(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
