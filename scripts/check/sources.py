"""From each source to the checked stacks, and from those to the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from components import clock
from policies import Limits
from policies.settings import LIMITS_FILE
from scripts.errors import BadInput, Exit, GpukitError
from scripts.plan.judgement import Yardsticks
from scripts.plan.model import StackPlan

from .model import Report, checked


@dataclass(frozen=True, kw_only=True)
class Sources:
    """What is checked: one of stacks of this project (none named: all), a program, a preview, a state; and with what it is compared."""

    stacks: tuple[str, ...] = ()
    program: str | None = None
    preview: str | None = None
    state: str | None = None
    stack: str | None = None
    """Of the program."""
    base: str | None = None
    """A git revision or a saved plan."""
    timeout_s: float = 300


def report(asked: Sources, by: Yardsticks) -> Report:
    """Raises BadInput for what cannot be read. With a base its limits count, and those that the change brings are compared with them."""
    if asked.base is None:
        return Report(checked=_checked(asked, by))
    from .base import base
    from .difference import differences

    before = base(asked.base, directory=_directory(asked), stacks=_names(asked), by=by, timeout_s=asked.timeout_s)
    if before.limits is not None and "limits" not in by.files:
        by = replace(by, limits=before.limits, proposed=by.limits, files={**by.files, "limits": f"{LIMITS_FILE} of {before.name}"})
    after = _checked(asked, by)
    return Report(checked=after, base=before.name, differences=differences(before.stacks, after))


def not_judged(asked: Sources, error: GpukitError) -> Report:
    """The report where `error` left nothing to judge."""
    named = {"program": asked.program, "preview": asked.preview, "state": asked.state}
    source, name = next(((s, n) for s, n in named.items() if n is not None), ("stack file", ", ".join(asked.stacks) or "all stacks"))
    return Report(checked=(StackPlan(name=name, project="", source=source, error=str(error), exit=error.exit),))


def _checked(asked: Sources, by: Yardsticks) -> tuple[StackPlan, ...]:
    if asked.program is not None:
        return (from_program(Path(asked.program), asked.stack, by, timeout_s=asked.timeout_s),)
    if asked.preview is not None:
        return (from_preview(Path(asked.preview), by),)
    if asked.state is not None:
        return (from_state(Path(asked.state), by),)
    return from_stacks(asked.stacks, by)


def _directory(asked: Sources) -> Path:
    from scripts.engine.checkout import here

    return here().root if asked.program is None else Path(asked.program)


def _names(asked: Sources) -> tuple[str, ...]:
    """Stacks of the change; those of a preview or a state are in their files."""
    from scripts.engine.checkout import here
    from scripts.plan import stackfile

    from .project import open_project, stack_config

    if asked.program is not None:
        return (stack_config(open_project(Path(asked.program)), asked.stack).stack,)
    if asked.preview is not None or asked.state is not None:
        if asked.base is not None and not Path(asked.base).is_file():
            raise BadInput(
                f"--base {asked.base}: a preview or a state is compared with a plan that `gpukit plan --json` wrote: give its file."
            )
        return tuple(s.name for s in _checked(asked, Yardsticks(now=clock.now(), limits=Limits())))
    root = here().root
    return tuple(stackfile.name_of(name, root) for name in asked.stacks) or stackfile.stack_names(root)


def from_stacks(names: Sequence[str], by: Yardsticks) -> tuple[StackPlan, ...]:
    """The stacks of this project (none named: all), recorded in this process."""
    from scripts.plan.recorder import tune_collector

    tune_collector()
    from scripts.engine.checkout import here
    from scripts.plan.parallel import planned
    from scripts.plan.terminal import progress

    return planned(here().root, names, by, progress=progress).stacks


def from_program(directory: Path, stack: str | None, by: Yardsticks, *, timeout_s: float) -> StackPlan:
    """Any Python program, in a process of its own."""
    from .program import record_program
    from .project import open_project, stack_config

    project = open_project(directory)
    config = stack_config(project, stack)
    recording = record_program(project, config, timeout_s=timeout_s)
    notes = (
        *((config.note,) if config.note else ()),
        *recording.notes,
        *(f"{severity}: {text}" for severity, text in recording.logs if severity != "info"),
    )
    if recording.error is not None:
        return StackPlan(name=config.stack, project=project.name, source="program", notes=notes, error=recording.error, exit=Exit.USAGE)
    return checked(recording.resources, by, source="program", notes=notes)


def from_preview(file: Path, by: Yardsticks) -> StackPlan:
    """The output of `pulumi preview --json --show-sames`."""
    from . import preview_json

    return checked(preview_json.read(file), by, source="preview")


def from_state(file: Path, by: Yardsticks) -> StackPlan:
    """The output of `pulumi stack export`."""
    from . import state

    resources, notes = state.read(file)
    return checked(resources, by, source="state", notes=notes)
