"""Which Pulumi engine runs: an explicit setting, an official one on PATH, the cache, else a build from its Go module.

The official release is never downloaded here: a build from the pinned module needs no trust in more than go.sum.
`python -m scripts.engine.locate` prints the engine's path, building it first when there is none.
"""

from __future__ import annotations

import math
import os
import shutil
import sys
import time
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from scripts.engine import build, host_wrapper, recipe
from scripts.engine.build import Progress
from scripts.engine.checkout import cache
from scripts.errors import BadInput, GpukitError

SETTING = "GPUKIT_PULUMI"
OLDEST = (3, 255, 0)
"""The first engine that takes a policy pack as an executable; the newest feature that gpukit asks for."""
_LINE_EVERY_SECONDS = 20


class Origin(StrEnum):
    SETTING = "setting"
    OFFICIAL = "official"
    CACHE = "cache"


@dataclass(frozen=True)
class Engine:
    """A Pulumi command line that runs Python programs."""

    command: Path
    version: str
    origin: Origin

    @property
    def host(self) -> Path:
        """The language host, which lies beside the real file of the command."""
        return self.command.resolve().parent / host_wrapper.NAME

    @property
    def official(self) -> bool:
        """Whether Pulumi's own language host runs the program. Only then may it act on real clouds."""
        return not host_wrapper.is_ours(self.host)


def find() -> Engine | None:
    """The engine to use, without building one. Raises BadInput when GPUKIT_PULUMI names none that works."""
    setting = os.environ.get(SETTING)
    return _from_setting(setting) if setting else _on_path() or _in_cache()


def ensure(progress: Progress) -> Engine:
    """The engine to use, built now (once) when there is none. Raises Failed when it cannot be built, telling what to install."""
    engine = find()
    if engine is not None:
        return engine
    command = build.build(cache() / "engine", progress)
    return Engine(command, recipe.VERSION, Origin.CACHE)


def _from_setting(setting: str) -> Engine:
    engine = _engine(Path(setting), Origin.SETTING)
    if engine is None:
        raise BadInput(
            f"{SETTING} is {setting!r}: that is no Pulumi command line of version {_text(OLDEST)} or newer with {host_wrapper.NAME} "
            f"beside it. Give the path of such a `pulumi`, or unset {SETTING}."
        )
    return engine


def _on_path() -> Engine | None:
    command = shutil.which("pulumi")
    engine = _engine(Path(command), Origin.OFFICIAL) if command else None
    if engine is not None and not engine.official:
        return Engine(engine.command.resolve(), engine.version, Origin.CACHE)
    return engine


def _in_cache() -> Engine | None:
    """A build of this very module. Among several compilers' builds the last by name wins; one that does not run is passed over."""
    for directory in sorted((cache() / "engine").glob(f"{recipe.module_key()}-go*"), reverse=True):
        command = directory / "bin" / "pulumi"
        if build.works(command):
            host_wrapper.write(command.parent)
            return Engine(command, recipe.VERSION, Origin.CACHE)
    return None


def _engine(command: Path, origin: Origin) -> Engine | None:
    """An engine at `command`, None unless it is new enough and has its language host."""
    version = build.version_of(command)
    if version is None or not (command.resolve().parent / host_wrapper.NAME).is_file():
        return None
    return Engine(command, version, origin) if recipe.parse_version(version) >= OLDEST else None


def _text(version: tuple[int, int, int]) -> str:
    return "v" + ".".join(map(str, version))


class ProgressLine:
    """One line on standard error: rewritten in place on a terminal, elsewhere a new one now and then."""

    def __init__(self) -> None:
        self._last = -math.inf

    def __call__(self, line: str) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\033[K{line}")
        elif time.monotonic() - self._last >= _LINE_EVERY_SECONDS:
            self._last = time.monotonic()
            sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


show_progress = ProgressLine()


def main() -> int:
    try:
        engine = ensure(show_progress)
    except GpukitError as error:
        sys.stderr.write(f"{error}\n")
        return int(error.exit)
    sys.stdout.write(f"{engine.command}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
