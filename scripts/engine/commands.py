"""What `gpukit up|preview|refresh|destroy|env|kubeconfig|doctor` do. Each function returns its exit code."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from scripts.engine import checkout as checkouts
from scripts.engine import locate, shell
from scripts.engine.checkout import Checkout
from scripts.engine.environment import SANDBOX, WORLD
from scripts.engine.outcome import Outcome
from scripts.engine.run import Action
from scripts.engine.show import Show
from scripts.engine.workspace import World
from scripts.errors import BadInput, Exit, Refused

SAID = {
    "sandbox": "simulated clouds: nothing real is read, made or paid",
    "real": "REAL clouds: what this changes is real and may cost money",
}
"""Printed at the start of every action."""


_OWN_FILES: Mapping[str, str] = MappingProxyType({})
"""Of `files`: nothing but the project's own limits and list prices."""


def up(*, stack: str, sandbox: bool = False, yes: bool = False, json_: bool = False, files: Mapping[str, str] = _OWN_FILES) -> int:
    return _act("up", stack, sandbox=sandbox, yes=yes, json_=json_, files=files)


def preview(*, stack: str, sandbox: bool = False, json_: bool = False, files: Mapping[str, str] = _OWN_FILES) -> int:
    return _act("preview", stack, sandbox=sandbox, yes=True, json_=json_, files=files)


def refresh(*, stack: str, sandbox: bool = False, yes: bool = False, json_: bool = False) -> int:
    return _act("refresh", stack, sandbox=sandbox, yes=yes, json_=json_)


def destroy(*, stack: str, sandbox: bool = False, yes: bool = False, json_: bool = False) -> int:
    return _act("destroy", stack, sandbox=sandbox, yes=yes, json_=json_)


def env(*, sandbox: bool = False) -> int:
    """Print shell lines for `eval`: afterwards plain `pulumi` works on the simulated clouds, in the copy of the project."""
    from scripts.engine.sandbox_workspace import sandbox_workspace
    from scripts.engine.session import Session

    if world_of(sandbox=sandbox) == "real":
        raise BadInput('`gpukit env` prepares the simulated clouds only: run eval "$(gpukit env --sandbox)".')
    here = checkouts.here()
    workspace = sandbox_workspace(here, locate.show_progress)
    for stack in here.stack_names():
        Session(workspace, stack).make_unless_there()
    sys.stdout.write("\n".join(shell.lines(workspace, os.environ)) + "\n")
    sys.stderr.write(f"[sandbox] {SAID['sandbox']}. Then: pulumi up --stack NAME\n{shell.COPY_NOTE}\n")
    return Exit.FINE


def kubeconfig(*, stack: str, sandbox: bool = False, out: str | None = None) -> int:
    """Print the stack's kubeconfig, or write it to `out`, readable by its owner alone."""
    from scripts.engine.prepare import workspace_of
    from scripts.engine.session import Session

    here = checkouts.here()
    require_stack(here, stack)
    world = world_of(sandbox=sandbox)
    text = Session(workspace_of(here, world, locate.show_progress), stack).secret_output("kubeconfig")
    if text is None:
        up = f"gpukit up {stack}{' --sandbox' if world == SANDBOX else ''}"
        raise Refused(f"Stack {stack} has no kubeconfig: its cluster does not exist in this world. Run `{up}` first.")
    if out is None:
        sys.stdout.write(text + "\n")
        return Exit.FINE
    write_private(Path(out), text + "\n")
    sys.stderr.write(f"Wrote {out} (readable by you alone).\n")
    return Exit.FINE


def doctor(*, json_: bool = False) -> int:
    """Show what is installed, whose credentials answer, and what to do."""
    from scripts.engine.doctor import examine, text

    findings = examine(checkouts.here(), sandbox=world_of(sandbox=False) == "sandbox")
    sys.stdout.write(json.dumps(findings.as_json(), indent=2) + "\n" if json_ else text(findings) + "\n")
    return Exit.FINE


def world_of(*, sandbox: bool) -> World:
    return "sandbox" if sandbox or os.environ.get(WORLD) == SANDBOX else "real"


def require_stack(here: Checkout, stack: str) -> None:
    """Raises BadInput, naming the stacks that there are, unless `stack` has a file."""
    if stack not in here.stack_names():
        names = ", ".join(here.stack_names()) or "none"
        raise BadInput(f"There is no stack {stack!r}: its file would be stacks/Pulumi.{stack}.yaml. Stacks: {names}.")


def write_private(path: Path, text: str) -> None:
    """Write `text` to `path` with mode 0600 from the first byte on. Raises BadInput when it cannot be written."""
    try:
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(text)
    except OSError as error:
        raise BadInput(f"{path} cannot be written ({error.strerror}): give --out a file in a folder that you may write to.") from error


def _act(  # noqa: PLR0913 # one parameter an option
    action: Action, stack: str, *, sandbox: bool, yes: bool, json_: bool, files: Mapping[str, str] = _OWN_FILES
) -> int:
    from scripts.engine import gate
    from scripts.engine.prepare import Order, job_of
    from scripts.engine.run import act

    here = checkouts.here()
    require_stack(here, stack)
    world = world_of(sandbox=sandbox)
    ended = gate.nothing_left(here, action, stack, world)
    if ended is not None:
        _tell(ended, json_=json_)
        return ended.exit
    if not yes and not sys.stdin.isatty():
        gate.refuse_unasked(here, action, stack, world)
    show = Show(f"[{world}]")
    show.line(f"{_said(world, action)}. {action} {stack}")
    order = Order(action=action, stack=stack, world=world, files=files)
    outcome = act(job_of(here, order, show=show, approve=_approval(action, stack, yes=yes)))
    _tell(outcome, json_=json_)
    return outcome.exit


def _said(world: World, action: Action) -> str:
    return "REAL clouds: a preview reads them and changes nothing" if (world, action) == ("real", "preview") else SAID[world]


def _approval(action: Action, stack: str, *, yes: bool) -> Callable[[Outcome], bool]:
    """Asks with the preview in sight; destroying takes the stack's name, so that no habit confirms it."""

    def ask(preview: Outcome) -> bool:
        if yes:
            return True
        from scripts.engine.summary import summary

        sys.stderr.write(summary(preview) + "\n")
        wanted = stack if action == "destroy" else "yes"
        sys.stderr.write(f"[{preview.world}] {action} {stack}? Type {wanted!r} to go on: ")
        sys.stderr.flush()
        return sys.stdin.readline().strip() == wanted

    return ask


def _tell(outcome: Outcome, *, json_: bool) -> None:
    from scripts.engine.summary import summary

    if json_:
        sys.stdout.write(json.dumps(outcome.as_json(), indent=2) + "\n")
    else:
        sys.stdout.write(summary(outcome) + "\n")
    if outcome.message and json_:
        sys.stderr.write(f"gpukit: {outcome.message}\n")
