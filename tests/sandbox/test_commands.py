from __future__ import annotations

import json
from pathlib import Path

import pytest

from scripts.errors import BadInput
from scripts.sandbox import commands
from scripts.sandbox.client import World


@pytest.fixture
def root(live: World) -> Path:
    return live.home.parents[1]


def test_a_world_is_started_asked_and_stopped_and_says_that_it_is_simulated(root: Path, capsys: pytest.CaptureFixture[str]):
    assert commands.start(root=root) == 0
    assert commands.status(root=root) == 0
    assert commands.stop(root=root) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines
    assert all(line.startswith("[sandbox] ") for line in lines)


def test_json_has_a_schema_and_says_so_too(root: Path, capsys: pytest.CaptureFixture[str]):
    commands.advance(duration="2h", root=root, json_=True)
    told = json.loads(capsys.readouterr().out)
    assert told["schema"] == "gpukit/sandbox/1"
    assert told["simulated"] is True
    assert "now" in told


def test_faults_are_added_listed_and_cleared(root: Path, capsys: pytest.CaptureFixture[str]):
    commands.fault_add(kind="capacity", where=["machine=p5*", "zone=us-east-1a"], root=root, json_=True)
    id_ = json.loads(capsys.readouterr().out)["id"]
    commands.fault_list(root=root)
    assert "machine=p5*, zone=us-east-1a" in capsys.readouterr().out
    commands.fault_clear(id_=id_, root=root)
    with pytest.raises(BadInput, match="no fault"):
        commands.fault_clear(id_=id_, root=root)


@pytest.mark.parametrize("text", ["machine", "=p5", "machine="])
def test_a_setting_without_name_or_value_is_refused(root: Path, text: str):
    with pytest.raises(BadInput, match="name=value"):
        commands.fault_add(kind="capacity", where=[text], root=root)


def test_the_status_of_a_stopped_world_does_not_start_it(root: Path, capsys: pytest.CaptureFixture[str]):
    commands.status(root=root)
    assert "not running" in capsys.readouterr().out
    assert World.at(root).running() is None


def test_a_reset_forgets_everything(root: Path):
    commands.start(root=root)
    commands.fault_add(kind="api_unreachable", root=root)
    commands.reset(root=root)
    assert World.at(root).faults() == []
