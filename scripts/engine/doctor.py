"""What this machine has and lacks for gpukit, and how to get it. Reads only; never shows a secret."""

from __future__ import annotations

import importlib
import importlib.metadata
import platform
import shutil
import subprocess
from dataclasses import dataclass
from typing import Any

from scripts.engine import host_wrapper, locate, recipe
from scripts.engine.checkout import Checkout
from scripts.engine.examined import Health, Item, asked
from scripts.errors import GpukitError

SCHEMA = "gpukit/doctor/1"
SDKS = (
    "pulumi",
    "pulumi-policy",
    "pulumi-kubernetes",
    "pulumi-aws",
    "boto3",
    "pulumi-gcp",
    "google-cloud-compute",
    "pulumi-azure-native",
    "kubernetes",
)
_EXTRAS = {"pulumi-aws": "aws", "boto3": "aws", "pulumi-gcp": "gcp", "google-cloud-compute": "gcp", "pulumi-azure-native": "azure"}
_CLOUDS = ("scripts.engine.aws_doctor", "scripts.engine.gcp_doctor", "scripts.engine.azure_doctor")
"""Modules with the `items` of each cloud."""
_LABEL_WIDTH = 34


@dataclass(frozen=True)
class Examination:
    items: tuple[Item, ...]

    def as_json(self) -> dict[str, Any]:
        rows = [{"name": each.name, "health": str(each.health), "found": each.found, "advice": each.advice} for each in self.items]
        return {"schema": SCHEMA, "items": rows}


def examine(checkout: Checkout, *, sandbox: bool = False) -> Examination:
    """Look at everything; what cannot be looked at is *unknown* and hides nothing else. `sandbox`: only what the simulated clouds need."""
    engine = _engine(sandbox=sandbox)
    clouds = () if sandbox else _clouds()
    return Examination((_python(), _uv(checkout), _go(), engine, *_sdks(), *clouds, _world(checkout)))


def _clouds() -> tuple[Item, ...]:
    """Each cloud's items; one whose SDKs are not installed is told by its packages."""
    return tuple(item for module in _CLOUDS for item in _of_cloud(module))


def _of_cloud(module: str) -> tuple[Item, ...]:
    try:
        return importlib.import_module(module).items()
    except ImportError:
        return ()


def text(examination: Examination) -> str:
    """One line an item, its advice below it."""
    lines: list[str] = []
    for item in examination.items:
        lines.append(f"{item.name:<{_LABEL_WIDTH}} {item.health:<9} {item.found}".rstrip())
        if item.advice:
            lines.append(f"{'':<{_LABEL_WIDTH}} -> {item.advice}")
    return "\n".join(lines)


def _python() -> Item:
    return Item("python", Health.OK, platform.python_version())


def _tool(name: str, command: tuple[str, ...], advice: str) -> Item:
    if shutil.which(command[0]) is None:
        return Item(name, Health.OPTIONAL, "", advice)
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Item(name, Health.UNKNOWN, str(error), advice)
    return Item(name, Health.OK if run.returncode == 0 else Health.UNKNOWN, (run.stdout or run.stderr).strip().splitlines()[0][:80])


def _uv(checkout: Checkout) -> Item:
    """On PATH, else the one that `make` puts into the checkout."""
    own = checkout.root / ".uv" / "bin" / "uv"
    command = str(own) if shutil.which("uv") is None and own.exists() else "uv"
    return _tool("uv", (command, "--version"), "only to change dependencies: https://docs.astral.sh/uv/")


def _go() -> Item:
    needed = ".".join(map(str, recipe.required_go()))
    return _tool(
        "go", ("go", "version"), f"only to build the engine where no pulumi is installed: Go {needed} or newer, https://go.dev/dl/"
    )


def _engine(*, sandbox: bool) -> Item:
    try:
        engine = locate.find()
    except GpukitError as error:
        return Item("pulumi engine", Health.MISSING, "", str(error))
    if engine is None:
        return Item(
            "pulumi engine",
            Health.MISSING,
            "",
            "`make up` builds it once (about 5 minutes), or install https://www.pulumi.com/docs/install/",
        )
    host = "Pulumi's own language host" if engine.official else f"gpukit's language host ({host_wrapper.NAME})"
    advice = (
        "" if engine.official or sandbox else "serves the sandbox; real clouds need Pulumi's release: https://www.pulumi.com/docs/install/"
    )
    return Item("pulumi engine", Health.OK, f"{engine.version} ({engine.origin}, {host})", advice)


def _sdks() -> tuple[Item, ...]:
    return tuple(_sdk(name) for name in SDKS)


def _sdk(name: str) -> Item:
    label = f"python package {name}"
    try:
        return Item(label, Health.OK, importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        extra = _EXTRAS.get(name)
        advice = f"uv sync --extra {extra}" if extra else "uv sync"
        return Item(label, Health.OPTIONAL if extra else Health.MISSING, "", advice)


def _world(checkout: Checkout) -> Item:
    return asked("sandbox", lambda: _ask_world(checkout))


def _ask_world(checkout: Checkout) -> Item:
    from scripts.sandbox.client import World

    running = World.at(checkout.root).running()
    found = f"the simulated world answers at {running.http}" if running else "the simulated world is stopped; it starts when needed"
    return Item("sandbox", Health.OK, found)
