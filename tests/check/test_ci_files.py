"""The files that run the guardrails in continuous integration: valid for their services, and safe with code of strangers."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import validators

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
JUDGE, COMMENT = (ROOT / ".github" / "workflows" / name for name in ("guardrails.yml", "guardrails-comment.yml"))


def document(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def refusals(path: Path, schema_name: str) -> list[str]:
    """What the service's published schema, which check-jsonschema carries, says against a file."""
    schema = json.loads((files("check_jsonschema") / "builtin_schemas" / "vendor" / f"{schema_name}.json").read_text(encoding="utf-8"))
    value = {("on" if key is True else key): inner for key, inner in document(path).items()}  # YAML 1.1 reads a bare `on` as true
    return [error.message for error in validators.validator_for(schema)(schema).iter_errors(value)]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda p: p.name)
def test_a_workflow_is_valid(path: Path) -> None:
    assert refusals(path, "github-workflows") == []


def test_the_gitlab_job_is_valid() -> None:
    assert refusals(ROOT / "scripts" / "check" / "gitlab-ci.yml", "gitlab-ci") == []


def test_what_runs_the_code_of_a_pull_request_can_read_and_nothing_else() -> None:
    judge = document(JUDGE)
    assert judge["permissions"] == {"contents": "read"}
    text = JUDGE.read_text(encoding="utf-8")
    assert "secrets." not in text
    assert "pull_request_target" not in text
    assert "persist-credentials: false" in text


def test_what_may_write_comments_runs_nothing_of_the_pull_request() -> None:
    comment = document(COMMENT)
    steps = comment["jobs"]["comment"]["steps"]
    assert not any("run" in step for step in steps)
    assert not any("checkout" in step.get("uses", "") for step in steps)
    assert "pull_request" not in comment[True]


def test_expressions_never_stand_inside_a_script() -> None:
    """A branch may be called `$(rm -rf …)`: names reach scripts by the environment alone."""
    for path in WORKFLOWS:
        for job in document(path)["jobs"].values():
            for step in job["steps"]:
                assert "${{" not in step.get("run", "") + str(step.get("with", {}).get("script", ""))


def test_the_limits_are_those_of_the_base() -> None:
    assert '--base "$BASE"' in JUDGE.read_text(encoding="utf-8")


IDLE = ROOT / ".github" / "workflows" / "idle.yml"
SIGN_IN = {
    "aws-actions/configure-aws-credentials": ("GPUKIT_IDLE_ROLE", {"role-to-assume", "aws-region"}),
    "google-github-actions/auth": ("GPUKIT_IDLE_GCP_PROVIDER", {"workload_identity_provider", "service_account"}),
    "azure/login": ("GPUKIT_IDLE_AZURE_CLIENT", {"client-id", "tenant-id", "subscription-id"}),
}
"""Action to the variable that switches it on and what it is given."""


@pytest.mark.parametrize("action", SIGN_IN)
def test_the_idle_workflow_signs_in_to_each_cloud_without_a_stored_key(action: str) -> None:
    idle = document(IDLE)
    job = idle["jobs"]["idle"]
    (step,) = (step for step in job["steps"] if step.get("uses", "").split("@")[0] == action)
    variable, given = SIGN_IN[action]
    assert step["if"] == f"vars.{variable} != ''"
    assert set(step["with"]) == given
    assert all(value.startswith("${{ vars.") for value in step["with"].values())
    assert variable in job["if"]
    assert idle["permissions"] == {"contents": "read", "id-token": "write"}


def test_the_idle_workflow_signs_in_before_it_looks_and_acts_only_when_told() -> None:
    steps = document(IDLE)["jobs"]["idle"]["steps"]
    looks = [at for at, step in enumerate(steps) if "gpukit idle" in step.get("run", "")]
    signs_in = [at for at, step in enumerate(steps) if step.get("uses", "").split("@")[0] in SIGN_IN]
    assert max(signs_in) < min(looks)
    assert [step["if"] for step in steps if "--act" in step.get("run", "")] == ["vars.GPUKIT_IDLE_ACT == 'true'"]
