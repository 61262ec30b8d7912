"""A Pulumi project on disk: what its Pulumi.yaml says about where the program, its interpreter, stacks and settings are."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from scripts.errors import BadInput
from scripts.plan import engine_yaml, go_json, stackfile

_NO_STACK_FILE = "there is no stack file: the program was run as a stack called dev, with no settings but those of Pulumi.yaml"
_DECLARATION_KEYS = {"type", "description", "default", "value", "secret", "items"}


@dataclass(frozen=True, kw_only=True)
class Project:
    """One Python project. Paths are absolute."""

    name: str
    root: Path
    program: Path
    """The file to run."""
    config_dir: Path
    python: Path
    defaults: Mapping[str, str]
    """Project-level configuration: full key to text."""

    @property
    def directory(self) -> Path:
        """Where the program runs and imports from."""
        return self.program.parent


@dataclass(frozen=True, kw_only=True)
class StackConfig:
    """The configuration of one stack: its file over the project's defaults."""

    stack: str
    config: Mapping[str, str]
    secret_keys: frozenset[str]
    note: str = ""
    """What the reader of its findings should know of the choice."""


def open_project(directory: Path, *, python: Path | None = None) -> Project:
    """The project in `directory`. `python` replaces its own interpreter.

    Raises BadInput where it is none, or none that this interpreter can run.
    """
    file = next((f for f in (directory / "Pulumi.yaml", directory / "Pulumi.yml") if f.is_file()), None)
    if file is None:
        raise BadInput(f"--program {directory} holds no Pulumi.yaml: give the folder of a Pulumi project.")
    settings = _settings(file)
    name = settings.get("name")
    if not isinstance(name, str) or not name:
        raise BadInput(f"{file.name} has no `name`: a Pulumi project needs one.")
    root = directory.resolve()
    return Project(
        name=name,
        root=root,
        program=_program(root, settings.get("main")),
        config_dir=root / _config_dir(settings),
        python=python or _python(root, settings.get("runtime")),
        defaults=_defaults(name, settings.get("config")),
    )


def stack_config(project: Project, wanted: str | None) -> StackConfig:
    """The stack called `wanted`, or the only one there is; a project without stack files is a stack `dev` without settings of its own."""
    names = stackfile.stack_names(project.config_dir, config_dir=".")
    if wanted is None and len(names) > 1:
        raise BadInput(f"{project.name} has several stacks: choose one with --stack ({', '.join(names)}).")
    stack = wanted or (names[0] if names else "dev")
    if not names and wanted is None:
        return StackConfig(stack=stack, config=project.defaults, secret_keys=frozenset(), note=_NO_STACK_FILE)
    if stack not in names:
        near = get_close_matches(stack, names, n=1, cutoff=0.5)
        guess = f" Did you mean {near[0]}?" if near else ""
        there = f"it has {', '.join(names)}" if names else "it has no stack file"
        raise BadInput(f"--stack {stack}: {project.name} has no such stack, {there}.{guess}")
    found = stackfile.read_file(project.config_dir / f"Pulumi.{stack}.yaml", stack=stack, project=project.name)
    return StackConfig(stack=stack, config={**project.defaults, **found.config}, secret_keys=found.secret_keys)


def _settings(file: Path) -> Mapping[str, Any]:
    try:
        document = engine_yaml.load(file.read_text(encoding="utf-8"))
    except (engine_yaml.YamlError, UnicodeDecodeError, OSError) as error:
        line = getattr(error, "line", None)
        where = f", line {line}" if line else ""
        raise BadInput(f"{file.name}{where}: {error}. Correct the file.") from None
    if not isinstance(document, dict):
        raise BadInput(f"{file.name} is no mapping: it is not a Pulumi project file.")
    return document


def _program(root: Path, main: object) -> Path:
    """`main` names the folder of the program, or its file; by default the program lies beside Pulumi.yaml."""
    place = root / main if isinstance(main, str) else root
    file = place / "__main__.py" if place.is_dir() else place
    if not file.is_file():
        raise BadInput(
            f"{file.relative_to(root) if file.is_relative_to(root) else file.name} is missing: Pulumi.yaml's `main` leads there."
        )
    return file.resolve()


def _config_dir(settings: Mapping[str, Any]) -> str:
    """`stackConfigDir`, which older projects write as `config: DIR`."""
    for key in ("stackConfigDir", "config"):
        if isinstance(settings.get(key), str):
            return str(settings[key])
    return "."


def _python(root: Path, runtime: object) -> Path:
    """The interpreter of the project's virtual environment when it names one, else the one that runs gpukit."""
    given: Mapping[str, Any] = runtime if isinstance(runtime, dict) else {"name": runtime}
    if given.get("name") != "python":
        raise BadInput(
            f"Pulumi.yaml's runtime is {given.get('name')!r}: only Python programs can be recorded. Check its `pulumi preview --json --show-sames`."
        )
    options = given.get("options")
    named = options.get("virtualenv") if isinstance(options, dict) else None
    if not isinstance(named, str) or not named:
        return Path(sys.executable)
    python = root / named / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not python.is_file():
        raise BadInput(f"Pulumi.yaml names the virtual environment {named}, which is not there: make it (`pulumi install`).")
    return python


def _defaults(project: str, config: object) -> dict[str, str]:
    """Project-level settings: a bare value, or a declaration with `value` or `default`; those without either only describe."""
    found: dict[str, str] = {}
    for key, entry in config.items() if isinstance(config, dict) else ():
        value: Any = entry
        if isinstance(entry, dict) and set(entry) <= _DECLARATION_KEYS:
            value = entry.get("value", entry.get("default"))
        if value is not None:
            full = key if ":" in key else f"{project}:{key}"
            found[full] = value if isinstance(value, str) else go_json.dumps(value)
    return found
