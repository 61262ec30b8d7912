"""The program itself: what it refuses, in which words, and what it exports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from components.resource import Secret
from scripts.plan.recorder import Recording, record

STACKS = Path(__file__).parents[2] / "stacks"


SHIPPED: dict[str, Any] = yaml.safe_load((STACKS / "Pulumi.aws-inference-dev.yaml").read_text(encoding="utf-8"))["config"]


def run(**cluster: Any) -> Recording:
    """The program with the shipped inference stack's file, some of its fields changed."""
    return program({"aws:region": "us-east-1"}, {**SHIPPED["gpukit:cluster"], **cluster})


def program(region: dict[str, str], cluster: dict[str, Any]) -> Recording:
    config = {**region, "gpukit:cluster": json.dumps(cluster)}
    return record(STACKS / "__main__.py", project="gpukit", stack="aws-inference-dev", config=config, directory=STACKS)


def test_it_exports_how_to_reach_the_cluster_and_what_is_in_it() -> None:
    outputs = run().outputs
    assert outputs["cluster"] == "aws-inference-dev"
    assert outputs["pools"] == ["a10g"]


@pytest.mark.failure("H8")
def test_the_exported_kubeconfig_shows_nothing_in_a_plan() -> None:
    assert isinstance(run().outputs["kubeconfig"], Secret)


def test_what_aws_does_not_build_yet_is_refused_by_name_and_nothing_is_made() -> None:
    recording = run(monitoring={"metrics": "cloud"}, serving={"server": "vllm"})
    assert recording.error is not None
    assert "monitoring.metrics = cloud: not built on AWS yet" in recording.error
    assert "serving: not built on AWS yet" in recording.error
    assert [r.type for r in recording.resources] == ["pulumi:pulumi:Stack"]
