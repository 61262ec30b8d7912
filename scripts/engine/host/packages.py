"""What an interpreter has installed: Pulumi packages for the engine's plug-ins, and all distributions for `pulumi about`."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from typing import Any

from scripts.engine.host.interpreter import Interpreter

LISTING = """
import importlib.metadata as metadata, json, pathlib, sys
plugins = {}
for path in map(pathlib.Path, sys.path):
    for file in path.glob("*/pulumi-plugin.json"):
        plugins.setdefault(file.parent.name.lower(), json.loads(file.read_text()))
def listed():
    if "--plugins" not in sys.argv:
        return metadata.distributions()
    found = []
    for name in sorted(plugins):
        try:
            found.append(metadata.distribution(name))
        except metadata.PackageNotFoundError:
            pass
    return found
print(json.dumps([[d.metadata["Name"], d.version, plugins.get(d.metadata["Name"].lower().replace("-", "_"))] for d in listed()]))
"""
"""Runs in the program's own interpreter, which may be older than the host's and needs no package of ours.

A package's folder bears the distribution's name; reading every file list instead takes a quarter of a second, and every distribution's
description, where those with a plug-in alone are asked for, a tenth.
"""


@dataclass(frozen=True)
class Installed:
    name: str
    version: str
    plugin: dict[str, Any] | None
    """Content of the distribution's pulumi-plugin.json."""


@dataclass(frozen=True)
class Provider:
    """A resource plug-in that the program's packages need; `version` starts with v."""

    name: str
    version: str
    server: str


def installed(interpreter: Interpreter, *, with_plugin: bool = False) -> tuple[Installed, ...]:
    """Every distribution of `interpreter`, or those with a Pulumi plug-in. Raises RuntimeError with its own words when it cannot list them."""
    command = [interpreter.python, "-c", LISTING, *(["--plugins"] if with_plugin else [])]
    run = subprocess.run(command, capture_output=True, text=True, env=dict(interpreter.environment), check=False)
    if run.returncode:
        raise RuntimeError(f"{interpreter.python} could not list its packages: {run.stderr.strip()[-2000:]}")
    return tuple(Installed(*row) for row in json.loads(run.stdout))


def providers(distributions: tuple[Installed, ...]) -> tuple[Provider, ...]:
    """The resource plug-ins among `distributions`."""
    return tuple(_provider(each, each.plugin) for each in distributions if each.plugin and each.plugin.get("resource"))


def _provider(distribution: Installed, plugin: dict[str, Any]) -> Provider:
    default_name = distribution.name.lower().replace("-", "_").removeprefix("pulumi_")
    version = str(plugin.get("version") or distribution.version)
    return Provider(str(plugin.get("name") or default_name), "v" + version.lstrip("v"), str(plugin.get("server") or ""))
