"""Stacks of several clouds, each cloud in a process of its own: importing the clouds' SDKs is most of a plan's time, and they share none."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.errors import Exit, GpukitError
from stacks import settings

from . import stackfile
from .build import Progress, plan_stacks, wanted, whole
from .judgement import Yardsticks
from .model import Plan, StackPlan
from .packing import packed, unpacked

_PACKAGES = Path(__file__).parents[2]
_CHILD = "scripts.plan.cloud_process"


def planned(root: Path, names: Sequence[str], by: Yardsticks, *, progress: Progress | None = None) -> Plan:
    """As `build.plan_stacks`; stacks of one cloud in this process, those of several in one process a cloud, in the order of `names`.

    Whatever happens to one of the processes is an error of its stacks alone. None outlives this call, also not when it is interrupted.
    """
    order = wanted(root, names)
    groups = by_cloud(root, order)
    if len(groups) < 2 or (os.cpu_count() or 1) < 2:  # one core would only import what the clouds share several times
        return plan_stacks(root, names, by, progress=progress)
    if progress is not None:
        progress("planning " + "; ".join(f"{cloud}: {', '.join(mine)}" for cloud, mine in groups.items()))
    found: dict[str, StackPlan] = {}
    with started(root, groups, by) as children:
        for child in children:
            found.update((plan.name, plan) for plan in child.answer())
            if progress is not None:
                progress(f"{child.cloud} is planned")
    return whole([found[name] for name in order], by)


def by_cloud(root: Path, names: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """`names` by the cloud that their files say; a file that says none needs no SDK and goes with the first group."""
    groups: dict[str, list[str]] = {}
    lost: list[str] = []
    for name in names:
        cloud = _cloud(root, name)
        (lost if cloud is None else groups.setdefault(cloud, [])).append(name)
    if lost:
        groups.setdefault(next(iter(groups), "no cloud"), []).extend(lost)
    return {cloud: tuple(mine) for cloud, mine in groups.items()}


def _cloud(root: Path, name: str) -> str | None:
    try:
        return settings.cloud_of(json.loads(stackfile.read(root, name).config.get(settings.KEY, "null")))
    except (GpukitError, ValueError, RecursionError):
        return None


@dataclass(frozen=True, kw_only=True)
class Child:
    cloud: str
    stacks: tuple[str, ...]
    process: subprocess.Popen[bytes]
    scratch: Path

    def answer(self) -> tuple[StackPlan, ...]:
        """Its plans, waited for. A process that left none is the error of all its stacks."""
        code = self.process.wait()
        file = self.scratch / "answer"
        if code or not file.is_file():
            error = self._silent(code)
            return tuple(StackPlan(name=name, project=stackfile.PROJECT, error=error, exit=Exit.FAILED) for name in self.stacks)
        plans: tuple[StackPlan, ...] = unpacked(file.read_bytes())
        return plans

    def _silent(self, code: int) -> str:
        lines = (self.scratch / "complaints").read_text(encoding="utf-8", errors="replace").strip().splitlines()
        ended = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return f"the process that plans stacks of {self.cloud} {ended}{f': {lines[-1][:300]}' if lines else ''}. Plan them alone."

    def end(self) -> None:
        """With everything that it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextlib.contextmanager
def started(root: Path, groups: Mapping[str, tuple[str, ...]], by: Yardsticks) -> Generator[list[Child]]:
    """One process a group. All are gone when the block ends."""
    children: list[Child] = []
    with tempfile.TemporaryDirectory(prefix="gpukit-plan-") as scratch:
        try:
            for number, (cloud, names) in enumerate(groups.items()):
                place = Path(scratch) / str(number)
                place.mkdir()
                (place / "request").write_bytes(packed((root, names, by)))
                children.append(Child(cloud=cloud, stacks=names, process=_run(place), scratch=place))
            yield children
        finally:
            for child in children:
                child.end()


def _run(place: Path) -> subprocess.Popen[bytes]:
    """In a session of its own, so that Ctrl-C reaches this process alone, which then ends it. What it prints reaches no answer."""
    path = os.pathsep.join(filter(None, (str(_PACKAGES), os.environ.get("PYTHONPATH"))))
    with (place / "complaints").open("wb") as complaints:
        return subprocess.Popen(
            [sys.executable, "-m", _CHILD, str(place / "request"), str(place / "answer")],
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.DEVNULL,
            stdout=complaints,
            stderr=sys.stderr if os.environ.get("GPUKIT_DEBUG") == "1" else complaints,
            start_new_session=True,
        )
