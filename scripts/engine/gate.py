"""What is told before a run needs an engine or a world: that there is nothing to do, or that nobody could confirm it."""

from __future__ import annotations

from scripts.engine import engine_lock, identity, locate
from scripts.engine import state as states
from scripts.engine.checkout import Checkout
from scripts.engine.outcome import Outcome
from scripts.engine.run import Action
from scripts.engine.stack_settings import settings_of
from scripts.engine.workspace import World, project_name, real_workspace
from scripts.errors import BadInput, Exit

_ENDING = ("refresh", "destroy")


def nothing_left(checkout: Checkout, action: Action, stack: str, world: World) -> Outcome | None:
    """The end of a refresh or destroy for which the simulated world need not be started; None where there is work, or may be.

    Raises BadInput when the stack's state is corrupt.
    """
    if world != "sandbox" or action not in _ENDING:
        return None
    project = project_name(checkout.root)
    state = states.read_file(checkout.sandbox_state / ".pulumi" / "stacks" / project / f"{stack}.json")
    if state is not None and (state.pending or not state.empty):
        return None
    if engine_lock.locks(checkout.sandbox_state, project=project, stack=stack):
        return None  # someone is just making it
    why = "was never made in this world" if state is None else "has nothing in its state"
    message = f"Stack {stack} {why}: nothing to {action}."
    return Outcome(action=action, stack=stack, world=world, exit=Exit.FINE, message=message)


def refuse_unasked(checkout: Checkout, action: Action, stack: str, world: World) -> None:
    """Raises BadInput: there is no terminal to ask on.

    On real clouds what else is missing comes first, since `--yes` alone would not help: Failed without Pulumi's own engine, Refused
    without the account's credentials.
    """
    if world == "real":
        real_workspace(checkout, locate.find())
        settings = settings_of(checkout, stack)
        identity.refuse_other_account(cloud=settings.spec.cloud, account=settings.spec.account, region=settings.region, stack=stack)
    other = ", or --sandbox to try it on the simulated clouds" if world == "real" else ""
    raise BadInput(f"`gpukit {action} {stack}` asks before it changes anything, and there is no terminal to ask on. Add --yes{other}.")
