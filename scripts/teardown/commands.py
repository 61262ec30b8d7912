"""What `gpukit teardown` does."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from scripts.engine import checkout as checkouts
from scripts.engine.checkout import Checkout
from scripts.engine.commands import SAID, world_of
from scripts.engine.show import Show
from scripts.errors import BadInput, Exit
from scripts.teardown import asking, preparing
from scripts.teardown.asking import Person
from scripts.teardown.model import Target
from scripts.teardown.plan_text import text
from scripts.teardown.preparing import Wanted
from scripts.teardown.step import Choices
from scripts.teardown.steps.order import steps
from scripts.teardown.teardown import Teardown


def teardown(  # noqa: PLR0913 # one parameter an option
    *,
    stack: str | None = None,
    cluster: str | None = None,
    cloud: str | None = None,
    region: str | None = None,
    account: str | None = None,
    sandbox: bool = False,
    yes: bool = False,
    confirm: str | None = None,
    json_: bool = False,
    force_running: bool = False,
    without_api: bool = False,
    strip_finalizers: bool = False,
    cancel_reservations: bool = False,
    delete_data: Sequence[str] = (),
    wait: Sequence[str] = (),
    person: Person | None = None,
    here: Checkout | None = None,
) -> int:
    """Plan a teardown, or do it. `wait` holds `STEP=MINUTES`. Returns the exit code."""
    choices = Choices(
        force_running=force_running,
        without_api=without_api,
        strip_finalizers=strip_finalizers,
        cancel_reservations=cancel_reservations,
        delete_data=frozenset(delete_data),
        minutes=minutes(wait),
    )
    here = here or checkouts.here()
    world = world_of(sandbox=sandbox)
    show = Show(f"[{world}]")
    wanted = Wanted(stack=stack, cluster=cluster, cloud=cloud, region=region, account=account, world=world)
    show.line(f"{SAID[world]}. teardown {stack or cluster}")
    ready = preparing.prepared(here, wanted, show)
    with ready.lock():
        made = ready.teardown(choices)
        return _run(made, ready.target, person or Person.at_terminal(), yes=yes, given=confirm, json_=json_)


def _run(made: Teardown, target: Target, person: Person, *, yes: bool, given: str | None, json_: bool) -> int:  # noqa: PLR0913 # by name
    planned = made.plan()
    if not yes:
        sys.stdout.write((json.dumps(planned.as_json(), indent=2) if json_ else text(planned)) + "\n")
        return Exit.NO if planned.preflight.blockers else Exit.FINE
    if not planned.preflight.blockers and not planned.empty:
        sys.stderr.write(text(planned, acting=True) + "\n")
        asking.confirm(target, person, given=given, data=made.scene.choices.delete_data)
    ending = made.act(planned)
    sys.stdout.write((json.dumps(ending.as_json(), indent=2) if json_ else ending.text()) + "\n")
    return ending.exit


def minutes(wait: Sequence[str]) -> dict[str, float]:
    """`STEP=MINUTES` pairs. Raises BadInput naming the steps that there are."""
    known = {
        step.id for step in steps(Choices(strip_finalizers=True, cancel_reservations=True, delete_data=frozenset({"-"})), state_known=True)
    }
    found: dict[str, float] = {}
    for pair in wait:
        name, _, number = pair.partition("=")
        try:
            found[name] = float(number)
        except ValueError:
            found[name] = -1
        if name not in known or not 0 <= found[name] <= 24 * 60:
            raise BadInput(f"--wait {pair!r}: give STEP=MINUTES with 0 to 1440 minutes. Steps: {', '.join(sorted(known))}.")
    return found
