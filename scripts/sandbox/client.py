"""The simulated world from outside: start it on demand, talk to its control door, stop it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
from filelock import FileLock, Timeout

from scripts.errors import BadInput, Exit, Failed, GpukitError, Refused
from scripts.sandbox.fingerprint import fingerprint

HOME = Path(".gpukit") / "world"
STATES = Path("sandbox") / "state"
"""Where the engine keeps the states of sandbox stacks, beside the world (`scripts.engine.checkout`, which tests compare)."""
_START_SECONDS = 30.0
_MENDS_SECONDS = 3.0
"""A running server puts its server file right sooner (`scripts.sandbox.server.LOOKS_SECONDS`)."""
_FACTS = {"pid", "providers", "http", "token"}
"""What the server file must tell; one without them is corrupt, and as good as none."""
_REAL = ("AWS_", "GOOGLE_", "CLOUDSDK_", "AZURE_", "ARM_", "KUBECONFIG", "PULUMI_")
"""Credentials and settings of real clouds: the server has no use for them."""


@dataclass(frozen=True)
class Endpoints:
    """Where a running world answers."""

    providers: Mapping[str, int]
    """Port of each simulated provider, by package."""
    http: str
    """`http://127.0.0.1:PORT`; the doors are `/aws` and `/eks/REGION/CLUSTER`."""

    @property
    def debug_providers(self) -> str:
        """The value of PULUMI_DEBUG_PROVIDERS."""
        return ",".join(f"{name}:{port}" for name, port in self.providers.items())

    @property
    def aws(self) -> str:
        """The value of AWS_ENDPOINT_URL."""
        return f"{self.http}/aws"


class World:
    """The simulated world of one checkout: at most one, in `.gpukit/world` below its root."""

    def __init__(self, home: Path, *, speed: float | None = None) -> None:
        self.home = home
        self._speed = speed

    @classmethod
    def at(cls, root: Path, *, speed: float | None = None) -> World:
        """The world of the checkout `root`. `speed`: simulated seconds per real second (0: instant); default by environment."""
        return cls(root / HOME, speed=speed)

    def start(self) -> Endpoints:
        """Make sure that a server runs and return where it answers. Started anew, it is as it was when it last ended, or was killed.

        Raises BadInput on a corrupt journal, Failed when it does not come up.
        """
        self.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            with FileLock(self.home / "start.lock", timeout=_START_SECONDS + 10):
                facts = self._current() or self._launch()
        except Timeout as error:
            raise Failed(f"another process has been starting the simulated world in {self.home} for too long.") from error
        return Endpoints(providers=facts["providers"], http=facts["http"])

    def _current(self) -> dict[str, Any] | None:
        """The running server; one that runs older code than is on disk is ended first, its world stays."""
        facts = self._running()
        if facts is not None and facts.get("code") != fingerprint():
            self._end(facts)
            return None
        return facts

    def running(self) -> Endpoints | None:
        """Where the world answers, or None when no server runs."""
        facts = self._running()
        return Endpoints(providers=facts["providers"], http=facts["http"]) if facts else None

    def _running(self) -> dict[str, Any] | None:
        """The server file, if the server that wrote it still holds the world's lock. A spoilt one is mended by the server soon."""
        end = time.monotonic() + _MENDS_SECONDS
        while self._held():
            facts = self._told()
            if facts is not None or time.monotonic() > end:
                return facts
            time.sleep(0.02)
        return None

    def _told(self) -> dict[str, Any] | None:
        try:
            facts = json.loads((self.home / "server.json").read_text())
            return facts if facts.keys() >= _FACTS else None
        except (OSError, ValueError, AttributeError):
            return None

    def _held(self) -> bool:
        """Whether a server runs this world."""
        if not (self.home / "lock").exists():
            return False
        lock = FileLock(self.home / "lock", timeout=0)
        try:
            lock.acquire()
        except Timeout:
            return True
        lock.release()
        return False

    def _launch(self) -> dict[str, Any]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_REAL)}
        environment = {**kept, "GPUKIT_WORLD": "sandbox"}
        if self._speed is not None:
            environment["GPUKIT_SANDBOX_SPEED"] = str(self._speed)
        log = self.home / "server.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "scripts.sandbox.server", "--dir", str(self.home.resolve())],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment, start_new_session=True,
            )  # fmt: skip
        end = time.monotonic() + _START_SECONDS
        while time.monotonic() < end:
            code = process.poll()
            if code is not None:
                raise self._died(code, log)
            facts = self._running()
            if facts is not None and facts["pid"] == process.pid:
                return facts
            time.sleep(0.02)
        process.kill()
        raise Failed(f"the simulated world did not start within {_START_SECONDS:.0f} s; see {log}.")

    def _died(self, code: int, log: Path) -> GpukitError:
        text = log.read_text(errors="replace").strip()
        last = text.splitlines()[-1] if text else "no message"
        if code == Exit.USAGE:
            return BadInput(last)
        return Refused(last) if code == Exit.NO else Failed(f"the simulated world did not start: {last} (log: {log})")

    def stop(self) -> bool:
        """End the server; the world stays on disk. Returns whether one was running."""
        facts = self._running()
        if facts is None:
            if self._held():
                raise Failed(f"a server runs the simulated world in {self.home}, but says nowhere how to reach it: {self._by_hand()}.")
            return False
        self._end(facts)
        return True

    def _by_hand(self) -> str:
        return f"end the process `python -m scripts.sandbox.server --dir {self.home.resolve()}` yourself; its world stays"

    def _end(self, facts: Mapping[str, Any]) -> None:
        try:
            self._call(facts, "stop", {})
        except GpukitError:
            os.kill(int(facts["pid"]), signal.SIGTERM)
        lock = FileLock(self.home / "lock", timeout=10)
        try:
            with lock:
                return
        except Timeout as error:
            raise Failed(f"the simulated world (process {facts['pid']}) did not end within 10 s.") from error

    def reset(self) -> None:
        """End the server and forget everything: the next start makes a new, empty world.

        The engine's states of sandbox stacks go too: a preview would call their resources unchanged, and a refresh find no cluster. So do the
        notes of destroys that were cut off (`scripts.engine.dropped`), of old data (`scripts.engine.beside`) and of doubt (`scripts.engine.unread`).
        """
        self.stop()
        for directory in (self.home, self.home.parent / STATES):
            if directory.exists():
                shutil.rmtree(directory)
        for notes in ("destroying", "beside", "unread"):
            for note in (self.home.parent / notes).glob("sandbox-*.json"):
                note.unlink()

    def advance(self, duration: str | timedelta) -> datetime:
        """Let simulated time pass (`2h`, `1d 6h`). Returns the new time. Raises BadInput on anything that is not a duration."""
        text = f"{duration.total_seconds():.0f}s" if isinstance(duration, timedelta) else duration
        return datetime.fromisoformat(self._ask("advance", {"duration": text})["now"])

    def now(self) -> datetime:
        """The world's time."""
        return datetime.fromisoformat(self.status()["now"])

    def load(self, stack: str, pool: str, *, nodes: int, gpu_busy: float = 1.0, pods: int | None = None) -> dict[str, Any]:
        """Let `nodes` pods fill as many nodes of a stack's pool, GPUs busy to the share `gpu_busy`; 0 removes the load.

        `pods` fewer than nodes leaves nodes that nothing uses.

        Returns desired, running and pending counts and why some are pending. Raises BadInput when there is no such pool.
        """
        return self._ask("load", {"stack": stack, "pool": pool, "nodes": nodes, "gpu_busy": gpu_busy, "pods": pods})

    def fault(self, kind: str, **where: Any) -> dict[str, Any]:
        """Inject a fault (`faults.KINDS`). Returns it with its id. Raises BadInput on an unknown kind or setting."""
        return self._ask("fault/add", {"kind": kind, "where": where})

    def faults(self) -> list[dict[str, Any]]:
        return self._ask("fault/list", {})["faults"]

    def clear_faults(self, id_: str | None = None) -> int:
        """Remove one fault or all. Returns how many there were."""
        return int(self._ask("fault/clear", {"id": id_})["cleared"])

    def declare(
        self,
        *,
        accounts: Mapping[str, str] | None = None,
        quotas: Mapping[str, float | str] | None = None,
        reservations: Sequence[Mapping[str, Any]] | None = None,
    ) -> dict[str, Any]:
        """Declare accounts by cloud (account id, project, subscription), limits of quotas by code (`L-417A185B`), reservations (`declared`).

        It adds to what was declared before; what is not declared is plenty. Returns all that is declared now. Raises BadInput for an
        unknown code or cloud, and for a reservation that lacks something.
        """
        reserved = [dict(each) for each in reservations] if reservations is not None else None
        given = {
            "accounts": dict(accounts) if accounts is not None else None,
            "quotas": dict(quotas) if quotas is not None else None,
            "reservations": reserved,
        }
        return self._ask("declare", {name: value for name, value in given.items() if value is not None})

    def status(self) -> dict[str, Any]:
        """What is in the world (`gpukit/world/status/1`)."""
        return self._ask("status", {})

    def _ask(self, action: str, given: Mapping[str, Any]) -> dict[str, Any]:
        self.start()
        facts = self._running()
        if facts is None:
            raise Failed("the simulated world ended while it was asked.")
        return self._call(facts, action, given)

    def _call(self, facts: Mapping[str, Any], action: str, given: Mapping[str, Any]) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {facts['token']}"}
        try:
            with httpx.Client(trust_env=False, timeout=60) as client:
                answer = client.post(f"{facts['http']}/gpukit/{action}", json=given, headers=headers)
        except httpx.HTTPError as error:
            raise Failed(f"the simulated world does not answer at {facts['http']}: {error}") from error
        body = answer.json()
        if answer.status_code >= 400:
            raise (BadInput if body.get("exit") == Exit.USAGE else Failed)(str(body.get("error", body)))
        return body
