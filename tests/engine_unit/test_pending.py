from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.engine.lookup import Absent, Answer, CannotTell, Exists
from scripts.engine.pending import Adopt, Clear, Stop, decide, repaired
from scripts.engine.state import PendingOperation, State
from scripts.errors import Refused

TYPE = "aws:eks/nodeGroup:NodeGroup"
URN = f"urn:pulumi:dev::gpukit::gpukit:aws:NodePool${TYPE}::a100"


def pending(kind: str = "creating", **changes: Any) -> PendingOperation:
    return PendingOperation(kind, {"urn": URN, "type": TYPE, "custom": True, "inputs": {"clusterName": "c"}, **changes})


def never(_: PendingOperation) -> Answer:
    pytest.fail("nobody needs to be asked")


def state(*operations: PendingOperation) -> State:
    held = [{"operations": None, "type": operation.kind, "resource": operation.resource} for operation in operations]
    return State({"version": 3, "deployment": {"resources": [{"urn": "u", "type": "t"}], "pending_operations": held}})


@pytest.mark.failure("H12")
def test_an_object_that_was_made_is_adopted_and_not_made_again() -> None:
    decision = decide(pending(), lambda _: Exists(("c:a100",)))
    assert decision == Adopt(pending(), "c:a100")
    fixed = repaired(state(pending()), (decision,), stack="dev")
    assert fixed.pending == ()
    assert fixed.resources[-1]["id"] == "c:a100"
    assert fixed.resources[-1]["urn"] == URN
    assert fixed.resources[-1]["outputs"]["clusterName"] == "c"


@pytest.mark.failure("H12")
def test_an_object_that_cannot_be_told_stops_the_run_and_is_named() -> None:
    decision = decide(pending(), lambda _: CannotTell("nobody knows"))
    with pytest.raises(Refused, match=rf"(?s){TYPE} a100: nobody knows.*Nothing was changed.*pulumi import"):
        repaired(state(pending()), (decision,), stack="dev")


def test_an_object_that_was_not_made_is_forgotten() -> None:
    decision = decide(pending(), lambda _: Absent())
    assert decision == Clear(pending(), "it was not made")
    assert repaired(state(pending()), (decision,), stack="dev").resources == ({"urn": "u", "type": "t"},)


def test_two_objects_with_one_identity_are_a_persons_matter() -> None:
    decision = decide(pending(), lambda _: Exists(("b", "a")))
    assert decision == Stop(pending(), "there are 2 with its identity: a, b")


@pytest.mark.parametrize("kind", ["updating", "deleting", "reading"])
def test_what_the_engine_repeats_by_itself_is_left_to_it(kind: str) -> None:
    assert isinstance(decide(pending(kind), never), Clear)


@pytest.mark.parametrize("changes", [{"type": "pulumi:providers:aws"}, {"custom": False}])
def test_what_exists_in_the_state_only_is_forgotten_without_asking(changes: dict[str, Any]) -> None:
    assert isinstance(decide(pending(**changes), never), Clear)


@given(st.lists(st.sampled_from([Exists(("x",)), Absent(), CannotTell("?"), Exists(("x", "y"))]), min_size=1, max_size=6))
def test_one_open_question_stops_everything_and_the_state_stays(answers: list[Answer]) -> None:
    """All or nothing: a state repaired by half would hide the question."""
    operations = [pending(urn=f"{URN}{index}") for index in range(len(answers))]
    decisions = tuple(decide(operation, lambda _, answer=answer: answer) for operation, answer in zip(operations, answers, strict=True))
    if any(isinstance(decision, Stop) for decision in decisions):
        with pytest.raises(Refused):
            repaired(state(*operations), decisions, stack="dev")
    else:
        fixed = repaired(state(*operations), decisions, stack="dev")
        assert len(fixed.resources) == 1 + sum(isinstance(answer, Exists) for answer in answers)
