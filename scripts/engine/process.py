"""One engine command as a process: its events as they come, one interrupt passed on, its end awaited."""

from __future__ import annotations

import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path

from scripts.engine.events import Report, Step
from scripts.errors import Failed

_LOOK_SECONDS = 0.1
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True)
class Ended:
    """How a command ended. `text` is what it printed; `interrupted` whether a signal asked it to stop."""

    code: int
    text: str
    interrupted: bool = False


def call(command: Sequence[str], *, cwd: Path, environment: Mapping[str, str], seconds: float = 120) -> Ended:
    """Run a short command (stack init, export …) to its end. Raises Failed when it cannot start or takes longer than `seconds`."""
    try:
        run = subprocess.run(
            list(command),
            cwd=cwd,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
            start_new_session=True,
        )
    except subprocess.TimeoutExpired as error:
        raise Failed(f"`{_shown(command)}` did not end within {seconds:.0f} s: the state's backend may be out of reach.") from error
    except OSError as error:
        raise Failed(f"The engine did not start: {error}. Run `gpukit doctor`.") from error
    return Ended(run.returncode, run.stdout if run.returncode == 0 else f"{run.stdout}{run.stderr}")


class EngineRun:
    """`preview`, `up`, `refresh` or `destroy` with its event log.

    The engine runs in a session of its own: a terminal's Ctrl-C reaches this process alone, which passes on one SIGINT, and a closed
    terminal does not kill the engine in the middle of a create (H12: never kill twice).
    """

    def __init__(self, command: Sequence[str], *, cwd: Path, environment: Mapping[str, str], note: Callable[[str], None]) -> None:
        self.report = Report()
        self._command = command
        self._cwd = cwd
        self._environment = environment
        self._note = note
        self._interrupts = 0

    def follow(self, on_step: Callable[[Step], None], on_wait: Callable[[], None]) -> Ended:
        """Run to the end; `on_step` gets each step, `on_wait` is called several times a second for a progress line."""
        with tempfile.TemporaryDirectory(prefix="gpukit-") as scratch:
            log = Path(scratch) / "events.jsonl"
            log.touch(mode=0o600)
            with (Path(scratch) / "output.txt").open("w+") as output, log.open() as events:
                process = self._start(log, output)
                with _signals(lambda: self._interrupt(process)):
                    while process.poll() is None:
                        self._read(events, on_step)
                        on_wait()
                        time.sleep(_LOOK_SECONDS)
                self._read(events, on_step)
                output.seek(0)
                return Ended(process.returncode, output.read(), self._interrupts > 0)

    def _start(self, log: Path, output: TextIOWrapper) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                [*self._command, "--event-log", str(log)],
                cwd=self._cwd,
                env=dict(self._environment),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            raise Failed(f"The engine did not start: {error}. Run `gpukit doctor`.") from error

    def _read(self, events: TextIOWrapper, on_step: Callable[[Step], None]) -> None:
        """Take the complete lines that are there; a half-written one is read again later."""
        while True:
            place = events.tell()
            line = events.readline()
            if not line.endswith("\n"):
                events.seek(place)
                return
            step = self.report.add(line)
            if step is not None:
                on_step(step)

    def _interrupt(self, process: subprocess.Popen[bytes]) -> None:
        self._interrupts += 1
        if self._interrupts == 1:
            self._note("interrupting: the engine finishes the steps that it has begun, then frees its lock")
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
        else:
            self._note(f"still waiting for running steps; killing the engine (process {process.pid}) would leave them half done")


@contextmanager
def _signals(interrupt: Callable[[], None]) -> Generator[None]:
    """Within, a signal that asks this process to end asks the engine instead. Only the main thread may set this."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    former = {signum: signal.signal(signum, lambda *_: interrupt()) for signum in _SIGNALS}
    try:
        yield
    finally:
        for signum, handler in former.items():
            signal.signal(signum, handler)


def _shown(command: Sequence[str]) -> str:
    return " ".join([Path(command[0]).name, *command[1:]])
