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
GCP = {
    "cloud": "gcp",
    "account": "my-project",
    "workload": "training",
    "owner": "ml-platform",
    "access": {"api": "private"},
    "pools": [{"name": "h100", "machine": "a3-megagpu-8g", "zone": "us-central1-a", "capacity": {"mode": "flex_start"}}],
}
AZURE = {
    "cloud": "azure",
    "account": "00000000-0000-0000-0000-000000000000",
    "workload": "training",
    "owner": "ml-platform",
    "access": {"api": "private"},
    "pools": [{"name": "h100", "machine": "Standard_ND96isr_H100_v5"}],
}


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


@pytest.mark.parametrize(("key", "region", "cluster"), [("gcp:region", "us-central1", GCP), ("azure-native:location", "eastus", AZURE)])
def test_clouds_without_a_family_are_refused_as_a_whole(key: str, region: str, cluster: dict[str, Any]) -> None:
    recording = program({key: region}, cluster)
    cloud = cluster["cloud"]
    assert recording.error == f"stack aws-inference-dev: 1 error to correct.\n  - cloud = {cloud}: {cloud} is not built yet; allowed: aws"
    assert [r.type for r in recording.resources] == ["pulumi:pulumi:Stack"]
