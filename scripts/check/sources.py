"""From each source to the checked stacks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scripts.errors import Exit
from scripts.plan.judgement import Yardsticks

from .model import Checked, checked


def from_stacks(names: Sequence[str], by: Yardsticks) -> tuple[Checked, ...]:
    """The stacks of this project (none named: all), recorded in this process."""
    from scripts.plan.recorder import tune_collector

    tune_collector()
    from scripts.engine.checkout import here
    from scripts.plan.build import plan_stacks
    from scripts.plan.terminal import progress

    plan = plan_stacks(here().root, names, by, progress=progress)
    return tuple(
        Checked(
            name=s.name,
            project=s.project,
            source="stack file",
            resources=len(s.resources.resources) if s.resources is not None else 0,
            cost=s.cost,
            quota=s.quota,
            findings=s.findings,
            notes=s.notes,
            error=s.error,
            exit=s.exit,
        )
        for s in plan.stacks
    )


def from_program(directory: Path, stack: str | None, by: Yardsticks, *, timeout_s: float) -> Checked:
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
        return Checked(name=config.stack, project=project.name, source="program", notes=notes, error=recording.error, exit=Exit.USAGE)
    return checked(recording.resources, by, source="program", notes=notes)


def from_preview(file: Path, by: Yardsticks) -> Checked:
    """The output of `pulumi preview --json --show-sames`."""
    from . import preview_json

    return checked(preview_json.read(file), by, source="preview")


def from_state(file: Path, by: Yardsticks) -> Checked:
    """The output of `pulumi stack export`."""
    from . import state

    resources, notes = state.read(file)
    return checked(resources, by, source="state", notes=notes)
