"""Build the engine once from its Go module into the cache. The build is pinned, checksummed by go.sum and reproducible."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

from filelock import FileLock, Timeout

from scripts.engine import host_wrapper, recipe
from scripts.engine.recipe import Go
from scripts.errors import Failed

Progress = Callable[[str], None]
"""Called with one line to show, at most about once a second."""

BUILD_SECONDS = 3600
"""A build that another process has not ended by then has hung."""
_WHAT = f"building the Pulumi engine {recipe.VERSION} from its Go module (once, about 5 minutes)"
_TOLD_EVERY_SECONDS = 1.0
_HOW_ELSE = "Install Pulumi (https://www.pulumi.com/docs/install/) so that `pulumi` is on PATH, or set GPUKIT_PULUMI to its path."


def find_go() -> Go:
    """The Go toolchain on PATH. Raises Failed, with what to do, when it is absent or too old."""
    needed = ".".join(map(str, recipe.required_go()))
    command = shutil.which("go")
    if command is None:
        raise Failed(
            f"No Pulumi engine was found, and there is no Go to build it: `go` is not on PATH. Install Go {needed} or newer. {_HOW_ELSE}"
        )
    run = subprocess.run([command, "env", "GOVERSION"], capture_output=True, text=True, env=_local_toolchain(), check=False)
    if run.returncode:
        raise Failed(f"`{command} env GOVERSION` failed: {run.stderr.strip()[-500:]}. Repair Go. {_HOW_ELSE}")
    go = Go(command, recipe.parse_version(run.stdout))
    if go.version < recipe.required_go():
        raise Failed(f"Go {go.text} at {command} is too old to build the Pulumi engine: Go {needed} or newer is needed. {_HOW_ELSE}")
    return go


def build(place: Path, progress: Progress) -> Path:
    """The built `pulumi` under `place`, built now unless another process has just done so. Raises Failed with the compiler's words."""
    go = find_go()
    target = place / recipe.build_key(go)
    place.mkdir(parents=True, exist_ok=True)
    with _lock(place, progress):
        if not works(target / "bin" / "pulumi"):
            _build_into(target, go, progress)
    return target / "bin" / "pulumi"


def works(pulumi: Path) -> bool:
    """Whether the binary runs and is the pinned version. A truncated or foreign file is not used."""
    return version_of(pulumi) == recipe.VERSION


_VERSIONS: dict[tuple[str, int, int, int], str] = {}
"""What a command has printed, by the file that it was."""


def version_of(pulumi: Path) -> str | None:
    """What `pulumi version` prints; None when it does not run. Asked once a process of each file."""
    try:
        file = pulumi.resolve().stat()
    except OSError:
        return None
    key = (str(pulumi), file.st_ino, file.st_mtime_ns, file.st_size)
    if key not in _VERSIONS and (printed := _asked(pulumi)) is not None:
        _VERSIONS[key] = printed
    return _VERSIONS.get(key)


def _asked(pulumi: Path) -> str | None:
    try:
        with tempfile.TemporaryDirectory(prefix="gpukit-") as home:
            run = subprocess.run([str(pulumi), "version"], capture_output=True, text=True, timeout=60, env=_quiet(home), check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return run.stdout.strip() or None if run.returncode == 0 else None


def _build_into(target: Path, go: Go, progress: Progress) -> None:
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".build-") as scratch:
        binaries = Path(scratch) / "bin"
        _compile(go, binaries, progress)
        if not works(binaries / "pulumi"):
            raise Failed(
                f"The Pulumi engine was built but does not print {recipe.VERSION}. Remove {target.parent} and try again. {_HOW_ELSE}"
            )
        host_wrapper.write(binaries)
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir()
        binaries.rename(target / "bin")


def _compile(go: Go, binaries: Path, progress: Progress) -> None:
    """Run the recipe. The compiler names each package that it has downloaded or compiled, which is the progress shown."""
    started = time.monotonic()
    told = 0.0
    packages = 0
    last_lines: deque[str] = deque(maxlen=15)
    with subprocess.Popen(
        recipe.build_command(go),
        cwd=recipe.MODULE,
        env=recipe.build_environment(dict(os.environ), binaries),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            for line in process.stderr or ():
                packages += not line.startswith("go: ")
                last_lines.append(line)
                elapsed = time.monotonic() - started
                if elapsed - told >= _TOLD_EVERY_SECONDS:
                    told = elapsed
                    progress(f"{_WHAT}: {elapsed:.0f} s, {packages} of about {recipe.PACKAGES} packages")
        except BaseException:
            process.terminate()
            raise
    if process.returncode:
        raise Failed(
            f"Building the Pulumi engine failed:\n{''.join(last_lines).rstrip()}\nCorrect what it names and try again. {_HOW_ELSE}"
        )


def _lock(place: Path, progress: Progress) -> FileLock:
    lock = FileLock(place / ".build.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        progress("another process is building the Pulumi engine: waiting for it")
        try:
            lock.acquire(timeout=BUILD_SECONDS)
        except Timeout:
            raise Failed(
                f"Another process has been building the Pulumi engine for over {BUILD_SECONDS // 60} minutes. End it, then try again."
            ) from None
    return lock


def _local_toolchain() -> dict[str, str]:
    """Go must not fetch another toolchain behind our back: it would be neither pinned nor expected."""
    return dict(os.environ) | {"GOTOOLCHAIN": "local"}


def _quiet(home: str) -> dict[str, str]:
    """Every engine command leaves a log in PULUMI_HOME, which nobody would ever clear away."""
    return dict(os.environ) | {"PULUMI_SKIP_UPDATE_CHECK": "true", "PULUMI_HOME": home}
