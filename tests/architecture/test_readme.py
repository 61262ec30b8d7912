"""The README tells what is there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scripts import cli, cli_engine, cli_idle, cli_plan, cli_sandbox, cli_teardown, command_table
from tests import support_matrix

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_table_of_commands_is_current() -> None:
    assert command_table.with_table(README) == README, "run: python -m scripts.command_table"


def test_without_its_markers_the_table_cannot_be_placed() -> None:
    with pytest.raises(ValueError, match="markers"):
        command_table.with_table("# a README")


def test_the_support_matrix_is_current() -> None:
    assert support_matrix.with_table(README) == README, "run: python -m tests.support_matrix"


def test_a_stack_that_no_engine_test_brings_up_is_proven_on_the_schema_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(support_matrix, "ENGINE_TESTS", ("test_azure_stacks",))
    rows = [row for row in support_matrix.table().splitlines() if support_matrix.SIMULATED in row]
    assert rows
    assert all("`azure-" in row for row in rows)


@pytest.mark.parametrize(("params", "shown"), [("stackfile.stack_names(ROOT)", True), ("['aws-training-dev']", False)])
def test_only_a_test_of_every_stack_proves_it_on_a_real_server(params: str, shown: bool) -> None:
    assert support_matrix.shows_every_stack(f"@pytest.fixture(params={params})\ndef objects(): ...") is shown


def test_its_example_is_a_part_of_the_shipped_stack_file() -> None:
    example = re.search(r"```yaml\n(.*?)```", README, re.DOTALL)
    assert example
    shipped = (ROOT / "stacks" / "Pulumi.aws-training-dev.yaml").read_text(encoding="utf-8")
    plain = [line.partition("#")[0].strip() for line in example.group(1).splitlines()]
    assert [line for line in plain if line and "{name:" not in line and "network:" not in line and line not in shipped] == []


def test_its_links_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    assert targets
    assert [t for t in targets if not (ROOT / t).exists()] == []


def test_the_make_targets_that_it_names_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert [t for t in set(re.findall(r"make ([a-z-]+)", README)) if not re.search(rf"^{t}:", makefile, re.MULTILINE) and t != "and"] == []


def shown_commands() -> list[str]:
    """Every `gpukit …` with arguments that the README shows, in a console block or between backticks, without comment and pipe."""
    blocks = "\n".join(re.findall(r"```console\n(.*?)```", README, re.DOTALL))
    inline = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", README, flags=re.DOTALL))
    prose = [text for text in inline if text.startswith((".venv/bin/gpukit ", "gpukit ")) and "…" not in text and "\\|" not in text]
    return re.findall(r"(?:\.venv/bin/)?gpukit (?=[a-z])[^#\n)\"]+", "\n".join([blocks, *prose]))


@pytest.mark.parametrize("shown", shown_commands())
def test_the_commands_that_it_shows_have_the_form_that_gpukit_takes(shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words = shlex.split(shown.replace(".venv/bin/", "").replace("my-stack", "aws-training-dev"))[1:]
    if words in ([name] for name in ("plan", "check", "up", "preview", "refresh", "destroy", "kubeconfig", "resume")):
        words.append("aws-training-dev")  # the table of commands names them without their stack
    if words == ["heartbeat"]:
        words += ["--cloud", "aws", "--region", "us-east-1", "--cluster", "lab"]
    for module in (cli_engine, cli_idle, cli_plan, cli_sandbox, cli_teardown):
        monkeypatch.setattr(module, "run_part", lambda *_args, **_options: 0)
    result = CliRunner().invoke(cli.app, words, prog_name="gpukit")
    assert result.exit_code == 0, result.output
