"""What this machine has and lacks for gpukit, and how to get it. Reads only; never shows a secret."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from components.aws.budget_outline import BLIND_SPOT
from scripts.engine import host_wrapper, locate, recipe
from scripts.engine.checkout import Checkout
from scripts.errors import GpukitError

SCHEMA = "gpukit/doctor/1"
SDKS = ("pulumi", "pulumi-policy", "pulumi-kubernetes", "pulumi-aws", "pulumi-gcp", "pulumi-azure-native", "boto3", "kubernetes")
_EXTRAS = {"pulumi-aws": "aws", "boto3": "aws"}
_UNBUILT = {"pulumi-gcp": "GCP", "pulumi-azure-native": "Azure"}
"""SDKs of clouds that no family builds yet: nobody needs to install them."""
_LABEL_WIDTH = 34


class Health(StrEnum):
    OK = "ok"
    MISSING = "missing"
    """Absent, and something does not work without it."""
    OPTIONAL = "not there"
    """Absent, and needed only for what `advice` names."""
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Item:
    name: str
    health: Health
    found: str
    advice: str = ""


@dataclass(frozen=True)
class Examination:
    items: tuple[Item, ...]

    def as_json(self) -> dict[str, Any]:
        rows = [{"name": each.name, "health": str(each.health), "found": each.found, "advice": each.advice} for each in self.items]
        return {"schema": SCHEMA, "items": rows}


def examine(checkout: Checkout, *, sandbox: bool = False) -> Examination:
    """Look at everything; what cannot be looked at is *unknown* and hides nothing else. `sandbox`: only what the simulated clouds need."""
    engine = _engine(sandbox=sandbox)
    clouds = () if sandbox else (_aws_credentials(), _cost_tag())
    return Examination((_python(), _uv(checkout), _go(), engine, *_sdks(), *clouds, _world(checkout)))


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
        if name in _UNBUILT:
            return Item(label, Health.OPTIONAL, "", f"not needed: {_UNBUILT[name]} is not built yet")
        extra = _EXTRAS.get(name)
        advice = f"uv sync --extra {extra}" if extra else "uv sync"
        return Item(label, Health.OPTIONAL if extra else Health.MISSING, "", advice)


def _aws_credentials() -> Item:
    return _asked("aws credentials", _ask_aws)


def _ask_aws() -> Item:
    from scripts.engine.identity import aws_caller

    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or "us-east-1"
    caller = aws_caller(region)
    if caller is None:
        return Item("aws credentials", Health.OPTIONAL, "", "only for real clouds: sign in, for example `aws sso login` and AWS_PROFILE")
    return Item("aws credentials", Health.OK, f"{caller.name} in account {caller.account}")


def _cost_tag() -> Item:
    """Only the account that pays could tell, and Cost Explorer bills every question."""
    return Item("aws cost tag", Health.UNKNOWN, "not looked at", BLIND_SPOT)


def _world(checkout: Checkout) -> Item:
    return _asked("sandbox", lambda: _ask_world(checkout))


def _ask_world(checkout: Checkout) -> Item:
    from scripts.sandbox.client import World

    running = World.at(checkout.root).running()
    found = f"the simulated world answers at {running.http}" if running else "the simulated world is stopped; it starts when needed"
    return Item("sandbox", Health.OK, found)


def _asked(name: str, ask: Callable[[], Item]) -> Item:
    try:
        return ask()
    except (GpukitError, ImportError, OSError) as error:
        return Item(name, Health.UNKNOWN, "", str(error))
