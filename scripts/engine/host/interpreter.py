"""Which Python runs a program or a pack: the official host's rules, but nothing is ever installed."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pulumi.runtime.proto import language_pb2


class NoEnvironment(Exception):
    """The virtual environment that Pulumi.yaml, PulumiPolicy.yaml or uv names is not there. Its text is shown by the engine."""


@dataclass(frozen=True)
class Interpreter:
    python: str
    environment: Mapping[str, str]


def option(info: language_pb2.ProgramInfo, name: str) -> str:
    """A string under `runtime: options:`, "" when absent or no string."""
    value = info.options.fields.get(name)
    return value.string_value if value is not None and value.HasField("string_value") else ""


def interpreter_of(info: language_pb2.ProgramInfo, *, plugin: bool = False) -> Interpreter:
    """Interpreter and environment for the program or pack at `info`; a component plugin defaults to the `venv` beside it.

    Raises NoEnvironment when the virtual environment is missing: another Python would fail later and less clearly.
    """
    environment = dict(os.environ)
    venv = _virtualenv(info, plugin=plugin)
    if venv is None:
        return Interpreter(os.environ.get("PULUMI_PYTHON_CMD") or sys.executable, environment)
    python = venv / "bin" / "python"
    if not python.exists():
        raise NoEnvironment(f"{venv} is not a virtual environment: make it, or correct `virtualenv` in the runtime's options")
    environment.pop("PYTHONHOME", None)
    environment["VIRTUAL_ENV"] = str(venv)
    environment["PATH"] = f"{venv / 'bin'}{os.pathsep}{environment.get('PATH', '')}"
    return Interpreter(str(python), environment)


def _virtualenv(info: language_pb2.ProgramInfo, *, plugin: bool) -> Path | None:
    """`virtualenv` is relative to the directory of Pulumi.yaml (or of the pack); without it a uv project brings its own."""
    root = Path(info.root_directory)
    named = option(info, "virtualenv")
    if named:
        return Path(os.path.normpath(root / named))
    if _is_uv(info):
        program = Path(info.program_directory)
        base = _upwards(program, "uv.lock") or _upwards(program, "pyproject.toml") or root
        return base / (os.environ.get("UV_PROJECT_ENVIRONMENT") or ".venv")
    return root / "venv" if plugin else None


def _is_uv(info: language_pb2.ProgramInfo) -> bool:
    toolchain = option(info, "toolchain")
    return toolchain == "uv" or (not toolchain and _upwards(Path(info.program_directory), "uv.lock") is not None)


def _upwards(directory: Path, name: str) -> Path | None:
    return next((place for place in (directory, *directory.parents) if (place / name).exists()), None)
