"""A change against its base: another revision of the repository, or a saved plan."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from components.clock import CATALOGUE_DATE
from policies import Limits
from scripts.check.model import Report
from scripts.check.revision import revision
from scripts.check.sources import Sources, report
from scripts.errors import BadInput, Exit
from scripts.plan.judgement import Yardsticks
from scripts.plan.model import Plan
from scripts.plan.plan_json import plan_json

BY = Yardsticks(now=CATALOGUE_DATE, limits=Limits())
PROGRAM = """
import pulumi, pulumi_aws as aws
machine = "{machine}"
aws.ec2.Instance("trainer", instance_type=machine, ami="ami-0123456789abcdef0", region="us-east-1",
    user_data=pulumi.Output.secret("canary-of-the-program"))
"""


def git(directory: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=directory, check=True, capture_output=True)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program of someone's, whose working tree asks for a larger machine than its last commit."""
    root = tmp_path_factory.mktemp("repository")
    program = root / "infra"
    program.mkdir()
    (program / "Pulumi.yaml").write_text("name: lab\nruntime: python\n")
    (program / "__main__.py").write_text(PROGRAM.format(machine="g5.xlarge"))
    git(root, "init", "--quiet", "--initial-branch=main")
    hook = root / ".git" / "hooks" / "post-checkout"
    hook.write_text(f"#!/bin/sh\ntouch {root}/hook-ran\n")
    hook.chmod(0o755)
    git(root, "add", ".")
    git(root, "commit", "--quiet", "-m", "small")
    (program / "__main__.py").write_text(PROGRAM.format(machine="p5.48xlarge"))
    return root


@pytest.fixture(scope="module")
def against_main(repository: Path) -> Report:
    return report(Sources(program=str(repository / "infra"), base="main"), BY)


def test_a_foreign_program_is_compared_with_a_revision_of_its_repository(against_main: Report) -> None:
    assert against_main.differences is not None
    [difference] = against_main.differences
    [change] = difference.changed
    assert [(p.path, p.before, p.after) for p in change.properties] == [("instanceType", "g5.xlarge", "p5.48xlarge")]
    assert difference.before is not None
    assert difference.after is not None
    assert difference.after.maximum > difference.before.maximum
    assert "canary" not in repr(difference)


def test_the_revision_is_laid_out_without_its_hooks_and_leaves_nothing_behind(repository: Path, against_main: Report) -> None:
    del against_main
    assert not (repository / "hook-ran").exists()
    listed = subprocess.run(["git", "worktree", "list"], cwd=repository, capture_output=True, text=True, check=True).stdout
    assert len(listed.splitlines()) == 1


def test_the_working_tree_stays_as_it_was(repository: Path, against_main: Report) -> None:
    del against_main
    assert "p5.48xlarge" in (repository / "infra" / "__main__.py").read_text()


def test_a_git_hook_s_variables_do_not_lead_astray(repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path))
    with revision("main", repository / "infra") as (at, there):
        assert there.parent == at.root
        assert "g5.xlarge" in (there / "__main__.py").read_text()


def test_a_saved_plan_is_a_base_without_git(repository: Path, tmp_path: Path) -> None:
    before = report(Sources(program=str(repository / "infra")), BY)
    saved = tmp_path / "before.json"
    saved.write_text(json.dumps(plan_json(Plan(stacks=before.checked, as_of=CATALOGUE_DATE))))
    assert "canary" not in saved.read_text()
    same = report(Sources(program=str(repository / "infra"), base=str(saved)), BY)
    assert same.differences is not None
    assert same.differences[0].empty


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "is no JSON"),
        ("[]", "no JSON object"),
        ('{"schema": "gpukit/check/1"}', "'gpukit/plan/1' is expected"),
        ('{"schema": "gpukit/plan/1", "stacks": [{}]}', "is damaged"),
    ],
)
def test_a_file_that_is_no_plan_is_named_with_what_it_should_be(repository: Path, tmp_path: Path, content: str, words: str) -> None:
    saved = tmp_path / "plan.json"
    saved.write_text(content)
    with pytest.raises(BadInput, match=words) as caught:
        report(Sources(program=str(repository / "infra"), base=str(saved)), BY)
    assert "plan.json" in str(caught.value)


@pytest.mark.parametrize("name", ["no-such-branch", "--upload-pack=touch x", "main:infra", ""])
def test_a_text_that_names_nothing_is_refused_and_runs_nothing(repository: Path, name: str) -> None:
    with pytest.raises(BadInput, match="--base"):
        report(Sources(program=str(repository / "infra"), base=name), BY)


def test_a_directory_that_the_revision_lacks_is_refused(repository: Path) -> None:
    fresh = repository / "fresh"
    fresh.mkdir(exist_ok=True)
    (fresh / "Pulumi.yaml").write_text("name: lab\nruntime: python\n")
    (fresh / "__main__.py").write_text("")
    with pytest.raises(BadInput, match="has no directory fresh"):
        report(Sources(program=str(fresh), base="main"), BY)


def test_a_directory_outside_of_any_repository_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", os.fspath(tmp_path.parent))
    (tmp_path / "Pulumi.yaml").write_text("name: lab\nruntime: python\n")
    (tmp_path / "__main__.py").write_text("")
    with pytest.raises(BadInput, match="lies in no git repository"):
        report(Sources(program=str(tmp_path), base="main"), BY)


def test_a_preview_is_compared_with_a_saved_plan_only(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="compared with a plan"):
        report(Sources(preview=str(tmp_path / "preview.json"), base="main"), BY)


def test_the_limits_of_the_base_judge_and_loosened_ones_are_a_finding(repository: Path) -> None:
    policies = repository / "policies"
    policies.mkdir()
    (policies / "limits.yaml").write_text("schema: gpukit/limits/1\nceilings: {default: {hourly_usd: 2}}\n")
    git(repository, "add", "policies")
    git(repository, "commit", "--quiet", "-m", "limits")
    found = report(Sources(program=str(repository / "infra"), base="main"), BY)
    [stack] = found.checked
    assert found.exit is Exit.NO
    assert {f.rule for f in stack.failing} >= {"GPU-COST-01"}
    loosened = [f for f in stack.findings if f.rule == "GPU-LIM-04"]
    assert [f.path for f in loosened] == ["ceilings.default.hourly_usd"]
    assert "from 2 to no ceiling" in loosened[0].message
