from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from scripts.engine.checkout import Checkout
from scripts.errors import BadInput
from scripts.sandbox import commands
from scripts.sandbox.client import World


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


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


BLOCK = {"id": "cr-1", "region": "us-east-1", "machine": "p5.48xlarge", "zone": "us-east-1d", "count": 4}


def test_quotas_accounts_and_files_of_reservations_are_declared_and_shown(root: Path, capsys: pytest.CaptureFixture[str]):
    one, two = root / "one.json", root / "two.json"
    one.write_text(json.dumps(BLOCK))
    two.write_text(json.dumps([BLOCK | {"id": "cr-2"}, BLOCK | {"id": "cr-3"}]))
    assert commands.declare(quotas=["L-417A185B=192"], reservations=[one, two], accounts=["aws=999999999999"], root=root, json_=True) == 0
    assert json.loads(capsys.readouterr().out)["reservations"] == ["cr-1", "cr-2", "cr-3"]
    commands.declare(root=root)
    shown = capsys.readouterr().out
    assert "aws 999999999999" in shown
    assert "L-417A185B 192" in shown


@pytest.mark.parametrize(("content", "message"), [(None, r"block\.json cannot be read"), ("{", r"block\.json is no JSON")])
def test_a_file_that_holds_no_reservation_is_named(tmp_path: Path, content: str | None, message: str):
    file = tmp_path / "block.json"
    if content is not None:
        file.write_text(content)
    with pytest.raises(BadInput, match=message):
        commands.declare(reservations=[file], root=tmp_path)


@pytest.mark.parametrize("text", ["machine", "=p5", "machine="])
def test_a_setting_without_name_or_value_is_refused(root: Path, text: str):
    with pytest.raises(BadInput, match="name=value"):
        commands.fault_add(kind="capacity", where=[text], root=root)


@pytest.mark.parametrize(
    ("options", "settings", "asked"),
    [
        ({"nodes": 2}, [], (2, 1.0, None)),
        ({}, ["nodes=2", "gpu_busy=0.5"], (2, 0.5, None)),
        ({"gpu_busy": 0.25}, ["nodes=0"], (0, 0.25, None)),
        ({"pods": 0}, ["nodes=2"], (2, 1.0, 0)),
    ],
)
def test_a_load_is_given_by_options_or_by_settings(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], settings: list[str], asked: tuple[int, float, int | None]
):
    seen: list[tuple[int, float, int | None]] = []

    def load(_: World, __: str, ___: str, *, nodes: int, gpu_busy: float, pods: int | None) -> dict[str, Any]:
        seen.append((nodes, gpu_busy, pods))
        return {"desired": nodes, "running": nodes, "pending": 0}

    monkeypatch.setattr(World, "load", load)
    commands.load(stack="s", pool="p", settings=settings, **options)
    assert seen == [asked]


@pytest.mark.parametrize(
    ("options", "settings", "said"),
    [
        ({}, [], "nodes is missing.*nodes=2"),
        ({"nodes": 2}, ["nodes=3"], "nodes is given twice"),
        ({}, ["node=2"], "'node' is no setting of a load"),
        ({}, ["nodes=two"], "nodes is 'two'"),
        ({}, ["nodes=1", "gpu_busy=2"], "gpu_busy is '2'"),
        ({}, ["2"], "name=value, such as nodes=2"),
    ],
)
def test_a_load_that_makes_no_sense_is_refused_before_a_world_is_asked(options: dict[str, Any], settings: list[str], said: str):
    with pytest.raises(BadInput, match=said):
        commands.load(stack="s", pool="p", settings=settings, **options)


def test_the_status_of_a_stopped_world_does_not_start_it(root: Path, capsys: pytest.CaptureFixture[str]):
    commands.status(root=root)
    assert "not running" in capsys.readouterr().out
    assert World.at(root).running() is None


def test_a_reset_forgets_everything(root: Path):
    commands.start(root=root)
    commands.fault_add(kind="api_unreachable", root=root)
    state = Checkout(root).sandbox_state / ".pulumi" / "stacks"
    state.mkdir(parents=True)
    commands.reset(root=root, yes=True)
    assert World.at(root).faults() == []
    assert not Checkout(root).sandbox_state.exists()


def test_a_reset_asks_and_a_no_leaves_the_world_as_it_was(root: Path, monkeypatch: pytest.MonkeyPatch):
    commands.start(root=root)
    monkeypatch.setattr("sys.stdin", io.StringIO("yes\n"))
    with pytest.raises(BadInput, match=r"no terminal to ask on\. Add --yes"):
        commands.reset(root=root)
    monkeypatch.setattr("sys.stdin", Terminal("no\n"))
    assert commands.reset(root=root) == 1
    assert World.at(root).running() is not None
    monkeypatch.setattr("sys.stdin", Terminal("yes\n"))
    assert commands.reset(root=root) == 0
    assert World.at(root).running() is None
