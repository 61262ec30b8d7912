"""The runner on a cloud of plain values: waits, reasons, kills."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from scripts.errors import Failed
from scripts.teardown import kinds as k
from scripts.teardown.clouds.cloud import Busy, ClusterFacts
from scripts.teardown.cluster import Unreachable
from scripts.teardown.journal import Journal
from scripts.teardown.model import Scope, Target, Thing
from scripts.teardown.running import Done, Pace, Runner
from scripts.teardown.step import Choices, Scene
from scripts.teardown.steps import engine
from scripts.teardown.steps.order import steps
from scripts.teardown.teardown import Teardown
from tests.killed import Killed
from tests.teardown.lab import Ticks
from tests.teardown.things import pool, thing

empty_pool = pool

TARGET = Target(cloud="aws", account="1", region="r", cluster="lab", world="sandbox")


@dataclass
class Shelf:
    """A cloud in which things go after `slow` looks; what has `holder` is busy as long as that is there."""

    things: dict[str, Thing]
    slow: int = 0
    asked: list[str] = field(default_factory=list[str])
    _looks: int = 0

    def cluster(self) -> ClusterFacts | None:
        return None

    def namesakes(self) -> tuple[str, ...]:
        return ()

    def find(self, kinds: Collection[str], scope: Scope) -> tuple[Thing, ...]:
        del scope
        self._looks += 1
        return tuple(each for each in self.things.values() if each.kind in kinds)

    def to_zero(self, pool: Thing) -> None:
        self.asked.append(f"zero {pool.id}")
        self.things[pool.id] = empty_pool()

    def delete(self, thing: Thing) -> None:
        self.asked.append(thing.id)
        if thing.detail.get("holder") in self.things:
            raise Busy(f"{thing.id} has a dependent object")
        if self._looks > self.slow:
            self.things.pop(thing.id, None)


def shelf(*things: Thing, **changes: Any) -> Shelf:
    return Shelf({each.id: each for each in things}, **changes)


def network() -> tuple[Thing, ...]:
    return (
        thing(k.NETWORK, "vpc", detail={"holder": "subnet"}),
        thing(k.SUBNET, "subnet", detail={"holder": "group"}),
        thing(k.FIREWALL, "group", detail={"holder": "eni"}),
        thing(k.INTERFACE, "eni"),
        thing(k.INSTANCE, "i-1"),
        thing(k.LOGS, "logs"),
        pool(running=2),
    )


def runner(cloud: Shelf, journal: Journal, said: list[str] | None = None, **choices: Any) -> tuple[Runner, Ticks]:
    ticks = Ticks()
    scene = Scene(target=TARGET, cloud=cloud, cluster=None, engine=None, cluster_gone=True, choices=Choices(**choices))
    pace = Pace(look_seconds=30, now=ticks.now, sleep=ticks.sleep)
    return Runner(scene=scene, journal=journal, scope=Scope(), say=(said if said is not None else []).append, pace=pace), ticks


def run(cloud: Shelf, journal: Journal, **choices: Any) -> dict[str, Done]:
    made, _ = runner(cloud, journal, **choices)
    return {each.step: each for each in made.run(steps(made.scene.choices, state_known=False))}


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "journal.jsonl")


def test_what_is_busy_is_asked_again_until_what_holds_it_is_gone(journal: Journal) -> None:
    cloud = shelf(*network())
    done = run(cloud, journal)
    assert cloud.things == {}
    assert all(not each.left for each in done.values())


def test_a_wait_ends_when_its_time_is_over_and_the_run_goes_on_with_the_reason(journal: Journal) -> None:
    cloud = shelf(*network(), thing(k.VOLUME, "held", detail={"holder": "i-2"}), thing(k.INSTANCE, "i-2", kept="someone else's"))
    made, ticks = runner(cloud, journal, minutes={"sweep": 2})
    done = {each.step: each for each in made.run(steps(made.scene.choices, state_known=False))}
    assert [each.id for each in done["sweep"].left] == ["held"]
    assert done["sweep"].why == "held has a dependent object"
    assert ticks.seconds == 120
    assert set(cloud.things) == {"held", "i-2"}


def test_every_wait_is_shown(journal: Journal) -> None:
    shown: list[str] = []
    made, _ = runner(shelf(*network(), slow=20), journal)
    made.wait_line = shown.append
    made.run(steps(made.scene.choices, state_known=False))
    assert shown
    assert all(" left, " in line and line.endswith(" s") for line in shown)


def test_steps_inside_a_cluster_that_is_gone_are_left_out_and_say_so(journal: Journal) -> None:
    done = run(shelf(), journal)
    assert {each for each, how in done.items() if how.left_out} == {
        *("re-creators", "workloads", "balancers", "claims", "budgets", "karpenter", "operators"),
    }


@pytest.mark.parametrize("at", range(1, 25))
def test_killed_after_any_journal_entry_a_second_run_ends_like_the_first_would_have(tmp_path: Path, at: int) -> None:
    count = [0]

    def appended(_: Any) -> None:
        count[0] += 1
        if count[0] == at:
            raise Killed

    cloud = shelf(*network(), thing(k.BUCKET, "data", kept="data"), slow=3)
    path = tmp_path / "journal.jsonl"
    try:
        run(cloud, Journal(path, appended))
    except Killed:
        run(cloud, Journal(path))
    assert set(cloud.things) == {"data"}
    assert Journal(path).entries()


def test_a_second_run_asks_for_nothing(journal: Journal) -> None:
    cloud = shelf(*network())
    run(cloud, journal)
    asked = list(cloud.asked)
    run(cloud, journal)
    assert cloud.asked == asked


@dataclass
class StandIn:
    """A state that a destroy empties once nothing blocks it."""

    cloud: Shelf
    left: list[str]
    forgot: int = 0

    def recorded(self) -> tuple[Thing, ...]:
        return tuple(Thing(kind=f"{engine.STATE}: a", id=each) for each in self.left)

    def ids(self) -> frozenset[str]:
        return frozenset(self.left)

    def destroy(self) -> str:
        if "eni" in self.cloud.things:
            self.left = ["subnet"]
            return "DependencyViolation"
        self.left = []
        self.cloud.things.clear()
        return ""

    def forget_objects(self) -> None:
        self.forgot += 1


@pytest.mark.failure("K5")
def test_an_engine_that_was_blocked_by_an_interface_is_run_again_after_it_is_gone(journal: Journal) -> None:
    cloud = shelf(thing(k.INTERFACE, "eni"), thing(k.SUBNET, "subnet"))
    state = StandIn(cloud, ["cluster", "subnet"])
    scene = Scene(target=TARGET, cloud=cloud, cluster=None, engine=state)
    ticks = Ticks()
    made = Runner(scene=scene, journal=journal, scope=Scope(), say=lambda _: None, pace=Pace(now=ticks.now, sleep=ticks.sleep))
    done = [each for each in made.run(steps(Choices(), state_known=True)) if each.touched]
    assert [each.step for each in done] == ["destroy", "interfaces", "destroy-again"]
    assert (done[0].why, state.left, cloud.things) == ("DependencyViolation", [], {})


@pytest.mark.failure("H6")
@pytest.mark.parametrize(("gone", "forgot"), [(True, 1), (False, 0)])
def test_objects_are_dropped_from_the_state_only_when_their_cluster_is_proven_gone(journal: Journal, gone: bool, forgot: int) -> None:
    cloud = shelf()
    state = StandIn(cloud, ["release"])
    scene = Scene(target=TARGET, cloud=cloud, cluster=None, engine=state, cluster_gone=gone)
    Runner(scene=scene, journal=journal, scope=Scope(), say=lambda _: None).run((engine.DESTROY,))
    assert state.forgot == forgot


class Flaky:
    """An API server that does not answer for its first `silent` questions."""

    def __init__(self, silent: int) -> None:
        self.silent = silent

    def find(self, _: Collection[str]) -> tuple[Thing, ...]:
        self.silent -= 1
        if self.silent >= 0:
            raise Unreachable
        return ()

    def delete(self, thing: Thing) -> None:
        del thing

    def change(self, thing: Thing, body: object) -> None:
        del thing, body


def inside(journal: Journal, silent: int) -> list[Done]:
    made, _ = runner(shelf(pool(running=1)), journal)
    made.scene = replace(made.scene, cluster=Flaky(silent), cluster_gone=False)
    return list(made.run(steps(Choices(), state_known=False)))


@pytest.mark.failure("H6")
def test_an_api_server_that_falls_silent_stops_the_run_before_its_cluster_is_touched(journal: Journal) -> None:
    with pytest.raises(Failed, match=r"stopped answering during the step 're-creators'.*--without-api"):
        inside(journal, silent=10_000)
    assert [entry["step"] for entry in journal.entries()] == ["gpu-pools", "gpu-pools"]


def test_one_that_answers_again_within_the_steps_time_is_waited_for(journal: Journal) -> None:
    assert all(not each.left for each in inside(journal, silent=3))


@pytest.mark.failure("H6")
def test_one_that_falls_silent_between_the_first_question_and_the_look_blocks_like_one_that_never_answered(journal: Journal) -> None:
    made, _ = runner(shelf(), journal)
    scene = replace(made.scene, cluster=Flaky(10_000), cluster_gone=False)
    facts = ClusterFacts(name="lab", ready=True, protected=False, endpoint="", authority="", token_command=(), scope=Scope())
    plan = Teardown(scene=scene, facts=facts, journal=journal, say=lambda _: None).plan()
    assert any("--without-api" in blocker for blocker in plan.preflight.blockers)
