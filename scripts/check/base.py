"""What a change is compared with: a git revision, whose program is recorded as it was, or a plan that was saved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from policies import Limits
from policies.settings import LIMITS_FILE
from scripts.errors import BadInput, Exit
from scripts.plan import stackfile
from scripts.plan.judgement import Yardsticks
from scripts.plan.model import StackPlan

from . import saved_plan
from .model import checked
from .program import record_program
from .project import Project, StackConfig, open_project, stack_config
from .revision import revision


@dataclass(frozen=True, kw_only=True)
class Base:
    """Judged by today's rules and prices, so that only the change makes a difference."""

    name: str
    stacks: tuple[StackPlan, ...]
    limits: Limits | None = None
    """Those of the revision; None where it has none, or of a saved plan."""


def base(text: str, *, directory: Path, stacks: Sequence[str], by: Yardsticks, timeout_s: float) -> Base:
    """The base that `text` names, of the program in `directory`. `stacks`: those that are compared; one that the base lacks is new.

    Raises BadInput for a text that names nothing, or limits that cannot be read.
    """
    if Path(text).is_file():
        found = saved_plan.read(Path(text), by)
        return Base(name=text, stacks=tuple(stack for stack in found if stack.name in stacks))
    with revision(text, directory) as (at, there):
        before = _limits(at.root, text)
        by = by if before is None else replace(by, limits=before)
        project = open_project(there, python=open_project(directory).python)
        names = [name for name in stacks if name in _names(project)] or ([] if _names(project) else list(stacks))
        recorded = [_recorded(project, _config(project, name), by, root=at.root, timeout_s=timeout_s) for name in names]
        return Base(name=f"{text} ({at.commit[:10]})", stacks=tuple(recorded), limits=before)


def _names(project: Project) -> tuple[str, ...]:
    return stackfile.stack_names(project.config_dir, config_dir=".")


def _config(project: Project, name: str) -> StackConfig:
    return stack_config(project, name if _names(project) else None)


def _recorded(project: Project, config: StackConfig, by: Yardsticks, *, root: Path, timeout_s: float) -> StackPlan:
    recording = record_program(project, config, timeout_s=timeout_s, import_from=root)
    if recording.error is not None:
        return StackPlan(name=config.stack, project=project.name, source="base", error=recording.error, exit=Exit.USAGE)
    return checked(recording.resources, by, source="base", notes=tuple(recording.notes))


def _limits(root: Path, name: str) -> Limits | None:
    file = root / LIMITS_FILE
    if not file.is_file():
        return None
    try:
        return Limits.load(file)
    except ValueError as error:
        raise BadInput(f"--base {name}: {error}") from None
