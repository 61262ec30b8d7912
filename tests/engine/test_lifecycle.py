"""The whole path on the real engine: our host, our runner, one toy provider."""

from __future__ import annotations

import json

import pytest

from scripts.engine.lookup import Leftover
from scripts.engine.session import Session
from scripts.errors import BadInput, Exit, Failed, Refused
from tests.engine.conftest import Toy
from tests.engine.toy_provider import Shelf

pytestmark = pytest.mark.engine


def test_a_stack_is_made_left_alone_changed_and_destroyed(toy: Toy) -> None:
    assert toy.act("preview").changes == {"create": 3}
    assert toy.shelf.made == []

    made = toy.act("up")
    assert (made.exit, made.changes) == (Exit.FINE, {"create": 3})
    assert made.outputs == {"answer": 42, "password": "[secret]"}

    assert toy.act("up").changes == {"same": 3}

    toy.mode("two")
    assert toy.act("up").changes == {"create": 2, "same": 3}
    assert toy.shelf.made == ["first-thing", "second-thing"]

    assert toy.act("refresh").exit is Exit.FINE
    assert toy.act("destroy").changes == {"delete": 5}
    assert toy.shelf.things == {}
    assert toy.processes() == []


def test_a_protected_thing_stops_a_destroy_before_anything_is_deleted(toy: Toy) -> None:
    toy.mode("protect")
    assert toy.act("up").exit is Exit.FINE
    there = dict(toy.shelf.things)
    outcome = toy.act("destroy")
    assert outcome.exit is Exit.NO
    assert "protected" in outcome.message
    assert toy.shelf.things == there


def test_a_destroy_shows_every_thing_once(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine's own preview would be written into the same event log and mix with the work."""
    monkeypatch.setenv("GPUKIT_VERBOSE", "1")
    toy.mode("many")
    toy.act("up")
    before = len(toy.said.getvalue())
    toy.act("destroy")
    shown = [line for line in toy.said.getvalue()[before:].splitlines() if "toy:index:Thing" in line]
    assert sorted(shown) == sorted({*shown})
    assert len(shown) == 41


def test_resources_are_shown_by_component_as_each_is_complete(toy: Toy) -> None:
    toy.mode("two")
    toy.act("up")
    lines = toy.said.getvalue().splitlines()
    assert lines.count("   + Part: 2 resources") == 1
    assert not any("first-thing" in line for line in lines)


def test_no_secret_reaches_screen_or_plain_state(toy: Toy) -> None:
    outcome = toy.act("up")
    assert "canary-secret" not in toy.said.getvalue() + json.dumps(outcome.as_json()) + toy.state_file.read_text()


def test_a_secret_output_is_given_on_request_only(toy: Toy) -> None:
    session = Session(toy.workspace(), "dev")
    assert session.secret_output("password") is None
    toy.act("up")
    assert session.secret_output("password") == "canary-secret"
    assert session.secret_output("kubeconfig") is None
    toy.state_file.write_text("{")
    with pytest.raises(Failed, match="could not read its output password"):
        session.secret_output("password")


def test_a_mandatory_policy_stops_the_preview_and_nothing_is_made(toy: Toy) -> None:
    toy.mode("two")
    outcome = toy.act("up", pack=True)
    assert outcome.exit is Exit.NO
    assert outcome.findings[0].message == "One part is enough.\nsecond in stack dev of toyproject"
    assert toy.shelf.made == []


def test_the_repaired_program_passes_the_same_pack(toy: Toy) -> None:
    assert toy.act("up", pack=True).exit is Exit.FINE
    assert toy.shelf.made == ["first-thing"]


@pytest.mark.parametrize(
    ("mode", "words"),
    [("raise", "ValueError: broken on purpose"), ("error", "the stack file is wrong"), ("exit", "ended with exit code 7")],
)
def test_a_program_that_fails_is_told_once_in_its_own_words(toy: Toy, mode: str, words: str) -> None:
    toy.mode(mode)
    outcome = toy.act("preview")
    assert outcome.exit is Exit.FAILED
    assert outcome.message.count(words) == 1
    assert "program.py" not in outcome.message


def test_a_create_that_fails_is_named_and_the_next_up_goes_on(toy: Toy) -> None:
    toy.mode("two")
    toy.shelf.fail.add("second-thing")
    failed = toy.act("up")
    assert failed.exit is Exit.FAILED
    assert "toy:index:Thing second-thing" in failed.message
    assert "no capacity for second-thing" in failed.message
    toy.shelf.fail.clear()
    assert toy.act("up").exit is Exit.FINE
    assert toy.shelf.made.count("first-thing") == 1


def test_what_was_not_confirmed_is_not_done(toy: Toy) -> None:
    toy.approve = lambda _: False
    outcome = toy.act("up")
    assert (outcome.exit, outcome.message) == (Exit.NO, "Not confirmed: nothing was changed.")
    assert toy.shelf.made == []


@pytest.mark.parametrize("action", ["refresh", "destroy"])
def test_a_stack_that_was_never_made_has_nothing_to_end(toy: Toy, action: str) -> None:
    outcome = toy.act(action)
    assert outcome.exit is Exit.FINE
    assert "was never made" in outcome.message


def test_the_first_up_refuses_where_the_stacks_things_already_exist(toy: Toy) -> None:
    toy.lookup.leftovers = (Leftover("arn:aws:eks:us-east-1:123456789012:cluster/dev", "dev"),)
    with pytest.raises(Refused, match=r"(?s)1 resource with its identity exists:.*cluster/dev.*Nothing was changed"):
        toy.act("up")
    assert toy.shelf.made == []


@pytest.mark.long
def test_what_a_pool_made_itself_holds_up_no_later_run(up: Toy) -> None:
    up.lookup.leftovers = (Leftover("arn:aws:ec2:us-east-1:123456789012:instance/i-0", "a100"),)
    assert up.act("up").exit is Exit.FINE


@pytest.mark.failure("H12")
def test_a_thing_whose_create_lost_its_answer_is_not_made_twice(up: Toy) -> None:
    up.mode("two")
    up.lookup.leftovers = (Leftover("toy://second", "second-thing", ("toy:index:Thing",)),)
    with pytest.raises(Refused, match=r"(?s)would make again what exists.*toy://second \(second-thing\).*Nothing was changed"):
        up.act("up")
    assert up.shelf.made == ["first-thing"]


@pytest.mark.long
@pytest.mark.failure("H12")
def test_a_thing_of_the_same_name_and_another_kind_is_no_twin(up: Toy) -> None:
    up.mode("two")
    up.lookup.leftovers = (Leftover("toy://second", "second-thing", ("toy:index:Other",)),)
    assert up.act("up").exit is Exit.FINE


OLD_DATA = Leftover("toy://old", "second-thing", ("toy:index:Thing",), kept=True)


@pytest.mark.long
@pytest.mark.failure("H12")
def test_old_data_that_new_data_was_to_stand_beside_holds_up_no_up_after_a_failed_one(toy: Toy) -> None:
    toy.mode("raise")
    toy.lookup.leftovers = (OLD_DATA,)
    assert toy.act("up").exit is not Exit.FINE
    assert "left as it is" in toy.said.getvalue()
    toy.mode("plain")
    toy.act("up")
    toy.mode("two")
    assert toy.act("up").exit is Exit.FINE
    assert toy.shelf.made == ["first-thing", "second-thing"]


@pytest.mark.failure("H12")
def test_data_of_which_nothing_is_noted_may_be_a_lost_create_and_both_ways_on_are_told(up: Toy) -> None:
    up.mode("two")
    up.lookup.leftovers = (OLD_DATA,)
    with pytest.raises(Refused, match=r"(?s)pulumi import.*1 of them hold data.*take away its tag or label"):
        up.act("up")
    assert up.shelf.made == ["first-thing"]


@pytest.mark.parametrize("action", ["up", *(pytest.param(each, marks=pytest.mark.long) for each in ("preview", "refresh", "destroy"))])
def test_a_corrupt_state_file_ends_every_action_before_the_engine_starts(up: Toy, action: str) -> None:
    up.state_file.write_text(up.state_file.read_text()[:500])
    with pytest.raises(BadInput, match=r"state file .*dev\.json is corrupt"):
        up.act(action)
    assert up.shelf.things == {"thing-0": {"name": "first-thing"}}


def test_a_state_whose_parts_do_not_fit_is_corrupt_too(up: Toy) -> None:
    content = json.loads(up.state_file.read_text())
    content["checkpoint"]["latest"]["resources"].pop(0)
    up.state_file.write_text(json.dumps(content))
    outcome = up.act("up")
    assert outcome.exit is Exit.USAGE
    assert "state is corrupt" in outcome.message
    assert "goroutine" not in outcome.message


def test_the_users_stack_files_stay_as_they_were(toy: Toy) -> None:
    before = {path.name: path.read_bytes() for path in toy.checkout.stacks.glob("*.yaml")}
    toy.act("up")
    toy.act("destroy")
    assert {path.name: path.read_bytes() for path in toy.checkout.stacks.glob("*.yaml")} == before


@pytest.mark.long
def test_a_provider_out_of_reach_is_a_failure(toy: Toy) -> None:
    toy.port = 9
    toy.shelf = Shelf()
    assert toy.act("up").exit is Exit.FAILED
