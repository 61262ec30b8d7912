"""Doing the steps: each asked for, waited for within its time, and written down."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from scripts.errors import Failed, GpukitError
from scripts.teardown.clouds.cloud import Busy
from scripts.teardown.cluster import Unreachable
from scripts.teardown.journal import Journal
from scripts.teardown.looking import look
from scripts.teardown.model import Scope, Thing
from scripts.teardown.step import Scene, Step

_NAMED = 200
"""Most things of a step that its journal entry names."""


@dataclass(frozen=True, kw_only=True)
class Pace:
    """How waiting goes. Real clouds are looked at every `look_seconds`; `now` and `sleep` are replaced in tests."""

    look_seconds: float = 15
    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    longest: float = 1.0
    """Share of each step's time that is waited: 0 looks once more and goes on."""


@dataclass(frozen=True, kw_only=True)
class Done:
    """How one step ended."""

    step: str
    touched: tuple[Thing, ...]
    left: tuple[Thing, ...]
    """What was still there when its time was over."""
    why: str = ""
    """The last reason that the cloud, cluster or engine gave."""
    left_out: str = ""


@dataclass
class Runner:
    """Runs steps over one scene. What it has learned is in the journal before the next request."""

    scene: Scene
    journal: Journal
    scope: Scope
    say: Callable[[str], None]
    pace: Pace = field(default_factory=Pace)
    wait_line: Callable[[str], None] = lambda _: None
    """Shown while waiting, and overwritten."""

    def run(self, steps: Sequence[Step]) -> tuple[Done, ...]:
        """Raises Failed when a cloud ends the run; the next one goes on from there."""
        return tuple(self._step(at, len(steps), step) for at, step in enumerate(steps, 1))

    def _step(self, at: int, count: int, step: Step) -> Done:
        if step.in_cluster and self.scene.cluster is None:
            self.journal.append("left out", step=step.id, why="no API server to ask")
            return Done(step=step.id, touched=(), left=(), left_out="no API server to ask")
        touched = self._left(step, self._end(step))
        if not touched:
            return Done(step=step.id, touched=(), left=())
        self.say(f"{at}/{count} {step.title}: {_count(touched)}")
        self.journal.append("begin", step=step.id, things=[thing.label for thing in touched[:_NAMED]])
        left, why = self._until_gone(step, touched)
        self.journal.append("end", step=step.id, left=[thing.label for thing in left[:_NAMED]], why=why)
        if left:
            self.say(f"    not gone after {self._minutes(step):g} min: {_few(left)}{f' ({why})' if why else ''}")
        return Done(step=step.id, touched=touched, left=left, why=why)

    def _until_gone(self, step: Step, left: tuple[Thing, ...]) -> tuple[tuple[Thing, ...], str]:
        began, why, end = self.pace.now(), "", self._end(step)
        while True:
            why = self._ask(step, left) or ("" if step.once else why)
            left = self._left(step, end)
            if not left or step.once or self.pace.now() >= end:
                return left, why if left else ""
            self.wait_line(f"{step.title}: {len(left)} left, {self.pace.now() - began:.0f} of {self._minutes(step) * 60:.0f} s")
            self.pace.sleep(self.pace.look_seconds)

    def _ask(self, step: Step, left: tuple[Thing, ...]) -> str:
        try:
            step.act(self.scene, left)
        except Busy as reason:
            return " ".join(str(reason).split())[:500]
        except Unreachable:
            return "the API server does not answer any more"
        return ""

    def _left(self, step: Step, end: float) -> tuple[Thing, ...]:
        """Raises Failed when the API server, which answered at first, is silent until `end`: what it does not show is not gone (H6)."""
        while True:
            seen = look(self.scene, step.needs, self.scope)
            if not (step.in_cluster and seen.silent):
                return step.touches(seen)
            if self.pace.now() >= end:
                raise Failed(
                    f"The cluster's API server stopped answering during the step {step.id!r}. What has been done stays done; the cluster itself was not "
                    f"touched. Run the same command again when it answers, or with --without-api to end the rest through the cloud alone."
                )
            self.wait_line(f"{step.title}: the API server does not answer")
            self.pace.sleep(self.pace.look_seconds)

    def _end(self, step: Step) -> float:
        return self.pace.now() + self._minutes(step) * 60 * self.pace.longest

    def _minutes(self, step: Step) -> float:
        return self.scene.choices.minutes.get(step.id, step.minutes)


def interrupted(error: BaseException) -> str:
    """What is told when a run ends before its last step."""
    words = str(error) if isinstance(error, GpukitError) else type(error).__name__
    return f"{words}\nThe teardown has not ended. Run the same command again: it goes on with what is left."


def _count(things: Sequence[Thing]) -> str:
    return f"{len(things)} {'thing' if len(things) == 1 else 'things'} ({_few(things)})"


def _few(things: Sequence[Thing]) -> str:
    named = ", ".join(thing.label for thing in things[:3])
    return f"{named}, and {len(things) - 3} more" if len(things) > 3 else named
