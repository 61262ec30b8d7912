"""The world's process: `python -m scripts.sandbox.server --dir DIR`. One per directory; everything it knows is in DIR's journal."""

from __future__ import annotations

import argparse
import importlib
import json
import logging
import os
import secrets
import signal
import sys
import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout

from scripts.errors import BadInput, Exit, Failed, GpukitError, Refused
from scripts.sandbox.clock import DEFAULT_SPEED
from scripts.sandbox.fingerprint import fingerprint

if TYPE_CHECKING:
    from scripts.sandbox.doors.http import Door, Request, Response
    from scripts.sandbox.simulation import Simulation

SPEED = "GPUKIT_SANDBOX_SPEED"
SERVER_FILE = "server.json"
PORT_FILE = "port"
LOOKS_SECONDS = 0.5
"""Between two looks at the server file."""


def speed_from(text: str | None) -> float:
    """Simulated seconds per real second from the environment; 0 means instant. Raises Failed when it is no number."""
    if not text:
        return DEFAULT_SPEED
    try:
        speed = float(text)
    except ValueError:
        speed = -1.0
    if speed < 0:
        raise Failed(f"{SPEED} is {text!r}: give a number, 0 for instant operations, {DEFAULT_SPEED:g} is the default.")
    return speed


class Server:
    """The simulated world with its doors open."""

    def __init__(self, home: Path, *, speed: float) -> None:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.home = home
        self._lock = FileLock(home / "lock", timeout=0)
        try:
            self._lock.acquire()
        except Timeout as error:
            raise Refused(
                f"{home}: another server runs this simulated world already. Where its server.json is missing or corrupt, end that process "
                f"(`python -m scripts.sandbox.server --dir {home}`); its world stays, and the next command starts it again."
            ) from error
        self._ours = _identity(home / "lock")
        self._done = threading.Event()
        self._open(speed)

    def _open(self, speed: float) -> None:
        from scripts.sandbox import clouds
        from scripts.sandbox.doors import control, kubernetes, prometheus
        from scripts.sandbox.provider.packages import NAMES
        from scripts.sandbox.provider.serving import serve
        from scripts.sandbox.simulation import Simulation

        token = secrets.token_urlsafe(24)
        doors: dict[str, Any] = {}
        self.http = self._listen(doors)
        self.address = f"http://127.0.0.1:{self.http.port}"
        self.world = Simulation(self.home, speed=speed, address=self.address)
        doors.update({f"/{cloud}": _when_asked(self.world, cloud) for cloud in clouds.NAMES})
        doors.update(dict.fromkeys((f"/{word}" for word in clouds.DOORS), kubernetes.door(self.world)))
        doors["/prometheus"] = prometheus.door(self.world)
        doors["/gpukit"] = control.door(self.world, token, self._done.set)
        self.providers = {name: serve(self.world, name) for name in NAMES}
        threading.Thread(target=self.http.serve_forever, args=(0.05,), name="doors", daemon=True).start()
        self._announce(token)

    def _listen(self, doors: dict[str, Any]) -> Any:
        """The same port as ever in this directory: cluster endpoints in the engine's state point at it."""
        from scripts.sandbox.doors.http import DoorServer

        kept = self.home / PORT_FILE
        wanted = _port(kept)
        try:
            server = DoorServer(wanted, doors)
        except OSError as error:
            raise Failed(
                f"{self.home}: port {wanted} of this simulated world is taken by another program ({error.strerror}). "
                "Free it, or start a new world with `gpukit sandbox reset`."
            ) from error
        kept.write_text(str(server.port))
        return server

    def _announce(self, token: str) -> None:
        facts = {
            "pid": os.getpid(),
            "http": self.address,
            "providers": {name: serving.port for name, serving in self.providers.items()},
            "token": token,
            "code": fingerprint(),
            "speed": self.world.clock.speed,
        }
        self._told = json.dumps(facts)
        self._write()

    def _write(self) -> None:
        fresh = self.home / f"{SERVER_FILE}.new"
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(self._told)
        fresh.replace(self.home / SERVER_FILE)

    def _announce_again(self) -> None:
        """A server file that somebody spoilt is mended; a server whose directory is gone, or another's by now, ends: nobody can find it."""
        if _identity(self.home / "lock") != self._ours:
            self._done.set()
            return
        try:
            if _text(self.home / SERVER_FILE) != self._told:
                self._write()
        except OSError as error:
            logging.getLogger(__name__).warning("%s cannot be written: %s", self.home / SERVER_FILE, error)

    def run(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: self._done.set())
        while not self._done.wait(LOOKS_SECONDS):
            self._announce_again()
        self.close()

    def close(self) -> None:
        if _identity(self.home / "lock") == self._ours:
            (self.home / SERVER_FILE).unlink(missing_ok=True)
        for serving in self.providers.values():
            serving.stop()
        self.http.shutdown()
        self.http.server_close()
        self.world.close()
        self._lock.release()


def _when_asked(world: Simulation, cloud: str) -> Door:
    """A cloud's API door, whose libraries are loaded by the first request: most runs use one cloud."""

    @lru_cache(maxsize=1)
    def door() -> Door:
        return importlib.import_module(f"scripts.sandbox.doors.{cloud}.door").door(world)

    def answer(request: Request) -> Response:
        return door()(request)

    return answer


def _identity(file: Path) -> tuple[int, int] | None:
    """Which file it is, whatever it holds; None when there is none. A file that is held open keeps its number to itself."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _text(file: Path) -> str | None:
    try:
        return file.read_text()
    except (OSError, ValueError):
        return None


def _port(file: Path) -> int:
    """The world's port, 0 while it has none. Raises BadInput when its file holds no port."""
    if not file.exists():
        return 0
    text = file.read_text().strip()
    if not text.isdigit() or not 0 < int(text) < 65536:
        raise BadInput(f"{file} holds {text!r}, not a port: remove the file, or start a new world with `gpukit sandbox reset`.")
    return int(text)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.sandbox.server", description="Serve the simulated clouds on the loopback.")
    parser.add_argument("--dir", type=Path, required=True, help="directory of the world")
    options = parser.parse_args(argv)
    os.environ["GPUKIT_WORLD"] = "sandbox"
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(asctime)s %(name)s %(message)s")
    try:
        Server(options.dir, speed=speed_from(os.environ.get(SPEED))).run()
    except GpukitError as error:
        sys.stderr.write(f"{error}\n")
        return int(error.exit)
    return int(Exit.FINE)


if __name__ == "__main__":
    sys.exit(main())
