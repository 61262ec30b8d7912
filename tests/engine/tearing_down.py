"""`gpukit teardown` on a checkout of its own, nobody being there to be asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scripts.engine.prepare import workspace_of
from scripts.teardown import commands
from scripts.teardown.asking import Person
from tests.engine.clouds import Clouds

NOBODY = Person(there=False, answer=lambda _: "")


def teardown(clouds: Clouds, stack: str, /, **options: Any) -> int:
    """Confirmed for `stack`, with its end as JSON; `options` add to the command's own or take their place. Gives the exit code."""
    given: dict[str, Any] = {"stack": stack, "yes": True, "confirm": stack, "person": NOBODY, **options}
    return commands.teardown(sandbox=True, here=clouds.checkout, json_=True, **given)


def lose_the_state(clouds: Clouds, stack: str) -> None:
    state: Path | None = workspace_of(clouds.checkout, "sandbox", lambda _: None).state_directory
    assert state is not None
    (state / ".pulumi" / "stacks" / "gpukit" / f"{stack}.json").unlink()
