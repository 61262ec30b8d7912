from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.engine import state as states
from scripts.engine.state import State, parse, read_file
from scripts.errors import BadInput

STACK = {"urn": "urn:pulumi:dev::p::pulumi:pulumi:Stack::p-dev", "type": "pulumi:pulumi:Stack", "outputs": {"a": 1}}
VPC = {
    "urn": "urn:pulumi:dev::p::aws:ec2/vpc:Vpc::v",
    "type": "aws:ec2/vpc:Vpc",
    "id": "vpc-1",
    "outputs": {"arn": "arn:aws:ec2:::vpc/vpc-1"},
}


def file(path: Path, deployment: object) -> Path:
    path.write_text(json.dumps({"version": 3, "checkpoint": {"stack": "organization/p/dev", "latest": deployment}}))
    return path


def test_a_stack_that_was_never_made_has_no_state(tmp_path: Path) -> None:
    assert read_file(tmp_path / "dev.json") is None


def test_a_new_stack_is_empty(tmp_path: Path) -> None:
    state = read_file(file(tmp_path / "dev.json", None))
    assert state is not None
    assert state.empty
    assert state.pending == ()


def test_ids_arns_and_outputs_are_read(tmp_path: Path) -> None:
    state = read_file(file(tmp_path / "dev.json", {"resources": [STACK, VPC]}))
    assert state is not None
    assert not state.empty
    assert state.ids == {"vpc-1", "arn:aws:ec2:::vpc/vpc-1"}
    assert state.outputs == {"a": 1}


@pytest.mark.parametrize("length", [0, 1, 30, 80])
def test_a_file_that_was_cut_off_is_refused_with_what_to_do(tmp_path: Path, length: int) -> None:
    path = file(tmp_path / "dev.json", {"resources": [STACK, VPC]})
    path.write_text(path.read_text()[:length])
    with pytest.raises(BadInput, match=r"(?s)state file .*dev\.json is corrupt.*Nothing was changed.*dev\.json\.bak"):
        read_file(path)


@given(
    st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))
)
def test_any_other_json_is_corrupt_and_never_a_crash(content: object) -> None:
    wrong = {"deployment": {"resources": [content]}}
    with pytest.raises(BadInput, match="is corrupt"):
        parse(json.dumps(wrong), source="x")


def test_a_repaired_state_keeps_everything_but_what_was_pending() -> None:
    document = {
        "version": 3,
        "deployment": {"manifest": {"m": 1}, "resources": [STACK], "pending_operations": [{"type": "creating", "resource": VPC}]},
    }
    repaired = State(document).with_resources((VPC,))
    assert repaired.document == {"version": 3, "deployment": {"manifest": {"m": 1}, "resources": [STACK, VPC]}}
    assert states.State(document).pending[0].name == "v"
