"""The plan of this project's own stacks: stack file, recording, judgement; one stack's error never hides another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from components import clock
from components.inventory import Cloud
from scripts.errors import BadInput, Exit, GpukitError, unexpected
from stacks import settings
from stacks.region import unread_keys

from . import stackfile
from .judgement import Yardsticks, judged
from .model import Plan, PoolPlan, StackPlan
from .recorder import Recording, record
from .stackfile import StackFile
from .together import judged_together, of_account, with_judgement

if TYPE_CHECKING:
    from components.aws import PoolOutline

Progress = Callable[[str], None]


def plan_stacks(root: Path, names: Sequence[str], by: Yardsticks, *, progress: Progress | None = None) -> Plan:
    """The plan of `names` (none: every stack file under `root`), in this process.

    Raises BadInput for a name without a file; whatever is wrong with one stack is in its own `error`.
    """
    stacks: list[StackPlan] = []
    for name in wanted(root, names):
        if progress is not None:
            progress(f"planning {name}")
        stacks.append(plan_stack(root, name, by))
    return whole(stacks, by)


def wanted(root: Path, names: Sequence[str]) -> tuple[str, ...]:
    """The stacks that `names` mean (none: every stack file under `root`), each once. Raises BadInput for a name without a file."""
    found = [stackfile.name_of(name, root) for name in names] or stackfile.stack_names(root)
    if not found:
        raise BadInput("there is no stack file in stacks/: copy one of the examples of stacks/README.md to stacks/Pulumi.NAME.yaml.")
    _refuse_unknown(root, found)
    return tuple(dict.fromkeys(found))


def whole(stacks: Sequence[StackPlan], by: Yardsticks) -> Plan:
    """The plan that `stacks` make together."""
    return Plan(stacks=judged_together(stacks, by), as_of=by.now, simulated=clock.in_sandbox(), inputs=by.files)


def plan_stack(root: Path, name: str, by: Yardsticks) -> StackPlan:
    """The plan of one stack; never raises for what is wrong with it, nor for a fault of ours, which would hide every other stack."""
    plan = StackPlan(name=name, project=stackfile.PROJECT)
    try:
        file = stackfile.read(root, name)
        return judged_plan(_described(plan, file), recorded(root, file), by)
    except GpukitError as error:
        return replace(plan, error=str(error), exit=error.exit)
    except Exception as error:  # noqa: BLE001 # as above; the stack is neither judged nor passed
        return replace(plan, error=unexpected(error), exit=Exit.FAILED)


def recorded(root: Path, file: StackFile) -> Recording:
    """The stack program, run in this process."""
    return record(
        root / "stacks" / "__main__.py",
        project=stackfile.PROJECT,
        stack=file.stack,
        config=file.config,
        secret_keys=sorted(file.secret_keys),
        directory=root / "stacks",
        root=root,
    )


def judged_plan(plan: StackPlan, recording: Recording, by: Yardsticks) -> StackPlan:
    """`plan` completed by what its program registers; a program that failed is not judged, as half a stack would pass for the whole."""
    notes = (*plan.notes, *recording.notes, *(f"{severity}: {text}" for severity, text in recording.logs if severity != "info"))
    plan = replace(plan, resources=recording.resources, notes=notes)
    if recording.error is not None:
        return replace(plan, error=recording.error, exit=Exit.USAGE)
    mine = of_account(plan, by)
    if mine.snapshot is None and by.snapshot is not None:
        plan = replace(plan, notes=(*plan.notes, f"the quota snapshot is of account {by.snapshot.account}, this stack of {plan.account}"))
    return with_judgement(plan, judged(recording.resources, mine))


def _refuse_unknown(root: Path, names: Sequence[str]) -> None:
    """A misspelt name ends the command before anything is planned; a broken file is that stack's own matter."""
    for name in names:
        if name not in stackfile.stack_names(root):
            stackfile.read(root, name)


def _described(plan: StackPlan, file: StackFile) -> StackPlan:
    """What the stack file says before any program runs. Its errors are left to the program, which tells them all at once."""
    try:
        here = settings.of_config(file.config, file.secret_keys, stack=file.stack, file=file.path.name, project=plan.project)
        family = import_module(f"components.{here.spec.cloud}")
        pools = tuple(map(_pool, family.pool_outlines(here.spec)))
        notes = (*_unread(here.spec.cloud, file), *family.remarks(here.spec))
    except (ValueError, LookupError, TypeError, RecursionError, ImportError):
        return plan
    spec = here.spec
    return replace(
        plan,
        cloud=spec.cloud,
        account=spec.account,
        region=here.region,
        workload=spec.workload,
        environment=spec.environment,
        pools=pools,
        notes=(*plan.notes, *notes),
    )


def _unread(cloud: Cloud, file: StackFile) -> Iterator[str]:
    """What stands in the file and changes nothing is said, never ignored."""
    for key in unread_keys(cloud, file.config):
        yield f"{key} in the stack file changes nothing: the stack makes its own provider, with the account and region of this file and credentials of the environment; remove it"


def _pool(outline: PoolOutline) -> PoolPlan:
    return PoolPlan(
        name=outline.name,
        machines=tuple(m.name for m in outline.machines),
        market=outline.market,
        minimum=outline.nodes.min,
        maximum=outline.nodes.max,
        zones=outline.zones,
        image=outline.image_kind,
        gpus_per_node=outline.gpus_per_node,
        gpu=outline.machine.gpu_model,
        slots=outline.slots,
        placement=outline.placement,
        ownership=outline.ownership,
        window=f"{outline.window} ({outline.phase})" if outline.window else "",
    )
