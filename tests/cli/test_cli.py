"""How commands of `gpukit` end: exit codes, one paragraph on standard error, nothing but the result on standard output."""

from __future__ import annotations

import errno
import json
import re
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from scripts import cli, cli_group, cli_plan, errors
from scripts.errors import BadInput, Failed, Refused
from tests.check.conftest import FIXTURES

RUNNER = CliRunner()


def run(*args: str) -> Result:
    return RUNNER.invoke(cli.app, list(args), prog_name="gpukit")


def all_commands() -> list[tuple[str, ...]]:
    """Every command as the words that name it."""

    def walk(group: Any, prefix: tuple[str, ...]) -> list[tuple[str, ...]]:
        found: list[tuple[str, ...]] = []
        for name, command in group.commands.items():
            found += walk(command, (*prefix, name)) if hasattr(command, "commands") else [(*prefix, name)]
        return found

    return walk(typer.main.get_command(cli.app), ())


@pytest.mark.parametrize("command", all_commands(), ids=" ".join)
def test_every_command_has_help_with_an_example(command: tuple[str, ...]) -> None:
    result = run(*command, "--help")
    assert result.exit_code == 0
    assert re.search(rf"Example: .*gpukit {' '.join(command)}", result.output)


def test_the_commands_of_the_contract_are_there() -> None:
    names = {" ".join(c) for c in all_commands()}
    assert {"plan", "check", "cost", "quota", "up", "preview", "refresh", "destroy", "env", "kubeconfig", "doctor"} <= names
    assert {f"sandbox {c}" for c in ("start", "stop", "reset", "advance", "load", "status", "fault add")} <= names


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (Refused("no"), 1),
        (BadInput("no"), 2),
        (PermissionError(errno.EACCES, "Permission denied", ".gpukit/locks"), 2),
        (OSError(errno.EROFS, "Read-only file system", ".gpukit/world"), 2),
        (Failed("no"), 3),
        (ValueError("no"), 3),
    ],
)
def test_an_error_is_one_paragraph_and_its_code(monkeypatch: pytest.MonkeyPatch, error: Exception, code: int) -> None:
    def fail(*_args: object, **_options: object) -> int:
        raise error

    monkeypatch.setattr(cli_plan, "run_part", fail)
    result = run("plan")
    assert result.exit_code == code
    assert result.stdout == ""
    assert result.stderr.startswith("gpukit: ")
    assert "Traceback" not in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_an_unexpected_error_says_how_to_see_more(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_args: object, **_options: object) -> int:
        raise KeyError("inner")

    monkeypatch.setattr(cli_plan, "run_part", fail)
    assert "GPUKIT_DEBUG=1" in run("plan").stderr
    monkeypatch.setenv(errors.DEBUG, "1")
    assert "Traceback" in run("plan").stderr


def test_ctrl_c_is_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_args: object, **_options: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli_plan, "run_part", interrupt)
    assert run("plan").exit_code == 130


def test_the_code_that_a_part_returns_is_the_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli_plan, "run_part", lambda *_args, **_options: 1)
    assert run("plan").exit_code == 1


@pytest.mark.parametrize(("args", "said"), [(("pln",), "'plan'"), (("plan", "--jsn"), "--json"), (("sandbox", "strat"), "'start'")])
def test_a_misspelt_word_gives_the_nearest(args: tuple[str, ...], said: str) -> None:
    result = run(*args)
    assert result.exit_code == 2
    assert said in result.stderr


@pytest.mark.parametrize("command", [("plan",), ("check",), ("up",), ("destroy", "--yes"), ("kubeconfig",)])
def test_a_misspelt_stack_gives_the_nearest(command: tuple[str, ...]) -> None:
    result = run(*command, "aws-training-de")
    assert result.exit_code == 2
    assert "Did you mean aws-training-dev" in result.stderr
    assert result.stdout == ""


def test_the_sandbox_can_be_chosen_before_and_after_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    seen: list[str | None] = []
    monkeypatch.setattr(cli_plan, "run_part", lambda *_args, **_options: seen.append(os.environ.get(cli_group.WORLD)) or 0)
    for args in (("plan",), ("--sandbox", "plan"), ("plan", "--sandbox")):
        monkeypatch.setenv(cli_group.WORLD, "")
        run(*args)
    assert seen == ["", "sandbox", "sandbox"]


def test_plan_prints_json_alone() -> None:
    result = run("plan", "aws-training-dev", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["schema"] == "gpukit/plan/1"


def test_check_explains_one_rule_with_an_example() -> None:
    result = run("check", "--explain", "gpu-node-02")
    assert result.exit_code == 0
    assert "Root disks of GPU nodes hold their images" in result.stdout
    assert json.loads(run("check", "--explain", "GPU-NODE-02", "--json").stdout)["schema"] == "gpukit/rule/1"


@pytest.mark.parametrize(
    "args", [("--explain", "GPU-NODE-99"), ("--explain", "GPU-NODE-02", "--state", "x.json"), ("x", "--explain", "GPU-NODE-02")]
)
def test_a_rule_that_does_not_exist_or_a_source_beside_it_is_wrong_usage(args: tuple[str, ...]) -> None:
    assert run("check", *args).exit_code == 2


@pytest.fixture
def lenient(tmp_path: Path) -> str:
    """Limits under which the recorded stacks, which are as small as a stack can be, have nothing mandatory."""
    path = tmp_path / "lenient.yaml"
    rules = ("GPU-NODE-05", "GPU-NODE-06", "GPU-NODE-08")
    path.write_text(json.dumps({"schema": "gpukit/limits/1", "levels": dict.fromkeys(rules, "advisory")}), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(("format_", "schema"), [("json", "gpukit/check/1"), ("sarif", "2.1.0")])
def test_check_prints_a_document_though_nothing_could_be_judged(format_: str, schema: str, tmp_path: Path) -> None:
    broken = tmp_path / "preview.json"
    broken.write_text("{}", encoding="utf-8")
    result = run("check", "--preview", str(broken), "--format", format_)
    document = json.loads(result.stdout)
    assert schema in {document.get("schema"), document.get("version")}
    assert "has no `steps`" in result.stdout
    assert result.exit_code == 2


def test_check_prints_json_of_a_preview(lenient: str) -> None:
    result = run("check", "--preview", str(FIXTURES / "preview.json"), "--format", "json", "--limits", lenient)
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document["schema"] == "gpukit/check/1"
    assert document["ok"] is True
    assert document["stacks"][0]["source"] == "preview"


@pytest.mark.failure("J1")
def test_a_mandatory_finding_is_exit_code_1(tmp_path: Path) -> None:
    limits = tmp_path / "limits.yaml"
    limits.write_text("schema: gpukit/limits/1\nceilings: {default: {hourly_usd: 1}}\n", encoding="utf-8")
    result = run("check", "--state", str(FIXTURES / "state.json"), "--limits", str(limits))
    assert result.exit_code == 1
    assert "must be repaired" in result.stdout


def test_the_same_state_within_its_limits_is_fine(lenient: str) -> None:
    assert run("check", "--state", str(FIXTURES / "state.json"), "--limits", lenient).exit_code == 0


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("check", "--preview", "a.json", "--state", "b.json"), "--preview, --state were given together"),
        (("check", "aws-training-dev", "--state", "b.json"), "stack names were given together"),
        (("check", "--stack", "dev"), "--program"),
        (("check", "--format", "xml"), "xml is unknown"),
        (("check", "--program", "gone"), "no Pulumi.yaml"),
        (("plan", "--quota-snapshot", "gone.json"), "--quota-snapshot gone.json cannot be read"),
        (("plan", "--prices", "gone.json"), "--prices gone.json cannot be read"),
        (("plan", "--limits", "gone.yaml"), "--limits gone.yaml cannot be read"),
    ],
)
def test_wrong_usage_is_told_and_is_exit_code_2(args: tuple[str, ...], said: str) -> None:
    result = run(*args)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("option", ["--quota-snapshot", "--prices", "--limits"])
@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe\xff", b"[1, 2]", b'{"schema": "other/1"}'])
def test_a_damaged_file_is_exit_code_2(tmp_path: Path, option: str, content: bytes) -> None:
    file = tmp_path / "damaged"
    file.write_bytes(content)
    result = run("check", "--state", str(FIXTURES / "state.json"), option, str(file))
    assert result.exit_code == 2, result.output
    assert option in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("group", [(), ("sandbox",), ("sandbox", "fault"), ("catalog",)], ids=lambda group: " ".join(group) or "gpukit")
def test_no_summary_of_a_command_is_cut_on_a_terminal_of_80_columns(group: tuple[str, ...]) -> None:
    result = RUNNER.invoke(cli.app, [*group, "--help"], prog_name="gpukit", terminal_width=80)
    assert result.exit_code == 0
    assert [line for line in result.output.splitlines() if line.endswith("...") and not line.startswith("Usage")] == []


def test_a_misspelt_world_is_refused_since_it_would_be_the_real_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cli_group.WORLD, "sanbox")
    result = run("plan", "aws-training-dev")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "GPUKIT_WORLD is 'sanbox': set it to sandbox" in result.stderr


def test_an_output_that_takes_nothing_more_is_told_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_args: object, **_options: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(cli_plan, "run_part", full)
    result = run("plan")
    assert result.exit_code == 2
    assert "The output cannot be written (No space left on device)" in result.stderr
