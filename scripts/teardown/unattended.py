"""A teardown that nobody sits at: of a stack that says so itself, with no choice beyond the defaults."""

from __future__ import annotations

from scripts.engine.checkout import Checkout
from scripts.engine.show import Show
from scripts.teardown import preparing
from scripts.teardown.model import World
from scripts.teardown.preparing import Wanted
from scripts.teardown.step import Choices
from scripts.teardown.verifying import Ending


def end(here: Checkout, *, stack: str, world: World, show: Show) -> Ending:
    """Look, refuse or act, verify: the steps, journal and lock of `gpukit teardown STACK --yes`.

    Nothing is forced: work that runs, protection and a silent API server stop it before its first step, and data is kept. Raises Refused with all
    of it, Failed where a cloud stops it half-way; the next run goes on from there.
    """
    ready = preparing.prepared(here, Wanted(stack=stack, world=world), show)
    with ready.lock():
        made = ready.teardown(Choices())
        return made.act(made.plan())
