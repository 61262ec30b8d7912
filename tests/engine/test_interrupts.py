"""Ctrl-C, kill -9, and what the next run does about them."""

from __future__ import annotations

import os
import signal

import pytest

from scripts.engine import engine_lock
from scripts.engine.locate import Engine
from scripts.engine.lookup import Absent, Exists
from scripts.errors import Exit, Refused
from tests.engine.conftest import Past, Toy, meanwhile, soon, toy_at

pytestmark = pytest.mark.engine


@pytest.mark.parametrize(
    "signum", [signal.SIGINT, *(pytest.param(each, marks=pytest.mark.long) for each in (signal.SIGTERM, signal.SIGHUP))]
)
def test_one_interrupt_lets_running_steps_end_and_frees_the_lock(toy: Toy, signum: signal.Signals) -> None:
    toy.shelf.hold.add("first-thing")

    def interrupt() -> None:
        os.kill(os.getpid(), signum)
        soon(lambda: "interrupting" in toy.said.getvalue())
        toy.shelf.release.set()

    thread = meanwhile(toy.shelf.held.is_set, interrupt)
    outcome = toy.act("up")
    thread.join()
    assert outcome.exit is Exit.INTERRUPTED
    assert engine_lock.locks(toy.checkout.sandbox_state, project="toyproject", stack="dev") == ()
    assert soon(lambda: toy.processes() == [])
    assert toy.act("up").exit is Exit.FINE
    assert toy.shelf.made == ["first-thing"]


def test_a_second_interrupt_does_not_kill_what_is_under_way(toy: Toy) -> None:
    toy.shelf.hold.add("first-thing")

    def interrupt_twice() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        soon(lambda: "interrupting" in toy.said.getvalue())
        os.kill(os.getpid(), signal.SIGINT)
        soon(lambda: "still waiting" in toy.said.getvalue())
        toy.shelf.release.set()

    thread = meanwhile(toy.shelf.held.is_set, interrupt_twice)
    assert toy.act("up").exit is Exit.INTERRUPTED
    thread.join()
    assert toy.act("up").exit is Exit.FINE
    assert toy.shelf.made == ["first-thing"]


def test_an_interrupted_program_leaves_no_process(toy: Toy) -> None:
    toy.mode("sleep")
    thread = meanwhile(toy.mark.exists, lambda: os.kill(os.getpid(), signal.SIGINT))
    assert toy.act("up").exit is Exit.INTERRUPTED
    thread.join()
    assert soon(lambda: toy.processes() == [])


def kill_engine_during_create(toy: Toy, *, before: bool = False) -> None:
    """Kill the engine while the provider makes `first-thing` (`before`: while it has not begun)."""
    (toy.shelf.hold_before if before else toy.shelf.hold).add("first-thing")
    thread = meanwhile(toy.shelf.held.is_set, lambda: os.kill(toy.engine_process(), signal.SIGKILL))
    outcome = toy.act("up")
    thread.join()
    assert outcome.exit is Exit.FAILED
    assert "signal 9" in outcome.message
    assert soon(lambda: toy.processes() == [])
    toy.shelf.hold.clear()
    toy.shelf.hold_before.clear()


@pytest.fixture(scope="module")
def a_kill_during_a_create(tmp_path_factory: pytest.TempPathFactory, engine: Engine) -> Past:
    with toy_at(tmp_path_factory.mktemp("killed") / "project", engine) as toy:
        kill_engine_during_create(toy)
        return Past.of(toy)


@pytest.fixture
def killed(toy: Toy, a_kill_during_a_create: Past) -> Toy:
    """The toy after its first `up`, whose engine was killed when `first-thing` was made and nobody had heard of it."""
    return a_kill_during_a_create.given_to(toy)


@pytest.mark.failure("H12")
def test_a_thing_made_by_a_killed_engine_is_found_and_not_made_twice(killed: Toy) -> None:
    killed.lookup.answers["first-thing"] = Exists(("thing-0",))
    outcome = killed.act("up")
    assert outcome.exit is Exit.FINE
    assert killed.shelf.made == ["first-thing"]
    assert killed.lookup.settled == ["thing-0"]
    assert "found as thing-0, recorded" in killed.said.getvalue()
    assert "removed the lock of engine process" in killed.said.getvalue()
    assert killed.act("up").changes == {"same": 3}


@pytest.mark.failure("H12")
def test_an_engine_killed_while_it_saves_leaves_a_state_that_is_still_read(killed: Toy) -> None:
    """The backend keeps attributes beside the state and fills them before it puts the state in place."""
    killed.state_file.with_name("dev.json.attrs").write_text("")
    killed.lookup.answers["first-thing"] = Exists(("thing-0",))
    assert killed.act("up").exit is Exit.FINE
    assert "half-written attributes" in killed.said.getvalue()
    assert killed.shelf.made == ["first-thing"]


@pytest.mark.failure("H12")
def test_a_thing_that_nobody_can_tell_of_stops_the_next_run(killed: Toy) -> None:
    with pytest.raises(Refused, match=r"(?s)toy:index:Thing first-thing: nobody knows"):
        killed.act("up")
    assert killed.shelf.made == ["first-thing"]


def test_a_thing_that_a_killed_engine_did_not_make_is_made_by_the_next(toy: Toy) -> None:
    kill_engine_during_create(toy, before=True)
    made = len(toy.shelf.made)
    toy.lookup.answers["first-thing"] = Absent()
    toy.shelf.held.clear()
    assert toy.act("up").exit is Exit.FINE
    assert len(toy.shelf.made) == made + 1


def test_destroy_takes_along_what_a_killed_engine_made(killed: Toy) -> None:
    killed.lookup.answers["first-thing"] = Exists(("thing-0",))
    assert killed.act("destroy").exit is Exit.FINE
    assert killed.shelf.things == {}


def test_a_run_is_refused_while_another_works_on_the_stack(toy: Toy) -> None:
    toy.shelf.hold.add("first-thing")
    refused: list[str] = []

    def second_run() -> None:
        try:
            toy.act("destroy")
        except Refused as error:
            refused.append(str(error))
        toy.shelf.release.set()

    thread = meanwhile(toy.shelf.held.is_set, second_run)
    assert toy.act("up").exit is Exit.FINE
    thread.join()
    assert len(refused) == 1
    assert f"process {os.getpid()}" in refused[0]
    assert "thing-0" in toy.shelf.things
