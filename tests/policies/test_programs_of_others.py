"""Small programs as people write them, understood as they stand: nothing wrongly unknown, nothing wrongly told."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from policies import Finding, Limits, Settings, Status, evaluate
from scripts.plan.recorder import record
from tests.policies.raw import NOW

HERE = Path(__file__).with_name("programs")
CONFIG = {
    "aws": {"aws:region": "us-west-2"},
    "gcp": {"gcp:project": "my-project", "gcp:region": "us-central1", "gcp:zone": "us-central1-a"},
    "azure": {"azure-native:location": "eastus"},
}
FAILING = {
    "aws_default_network": {"GPU-NODE-05", "GPU-NODE-06", "GPU-NODE-08"},
    "aws_delivery": {"GPU-DRV-01", "GPU-JOB-01", "GPU-NODE-06"},
    "aws_karpenter": set[str](),
    "aws_machines": set[str](),
    "aws_own_nodes": {"GPU-EFA-01", "GPU-EFA-03", "GPU-SCALE-01", "GPU-ZONE-02", "GPU-ZONE-03"},
    "azure_machine": set[str](),
    "azure_operators": {"GPU-AKS-24", "GPU-AKS-30", "GPU-DRV-01", "GPU-DRV-02", "GPU-STACK-06"},
    "azure_scale_sets": {"GPU-ZONE-02", "GPU-ZONE-03"},
    "azure_serving": {"GPU-NODE-08"},
    "gcp_fabric": {"GPU-GKE-01", "GPU-GKE-02", "GPU-GKE-05"},
    "gcp_machines": set[str](),
    "gcp_reserved": set[str](),
    "gcp_serving": {"GPU-GKE-22", "GPU-GKE-45"},
}
"""What a reviewer would hold against each: machines nobody owns, counts with two writers, no room for the cluster's own pods, a driver
that Argo CD installs a second time, interfaces without cards, nodes of one placement group in two zones.
"""


@cache
def found(program: str) -> tuple[Finding, ...]:
    config = CONFIG[program.partition("_")[0]]
    recorded = record(HERE / f"{program}.py", project="theirs", stack="dev", config=config, directory=HERE)
    assert recorded.error is None
    return evaluate(recorded.resources, Settings(now=NOW, limits=Limits()))


@pytest.mark.parametrize("program", FAILING)
def test_what_is_wrong_is_told_and_nothing_else(program: str) -> None:
    assert {f.rule for f in found(program) if f.fails} == FAILING[program]


@pytest.mark.parametrize("program", FAILING)
def test_nothing_is_unknown_that_the_program_says(program: str) -> None:
    assert [f.message for f in found(program) if f.status is Status.UNKNOWN] == []


@pytest.mark.parametrize(
    ("program", "path"), [("aws_machines", "instanceType"), ("gcp_machines", "machineType"), ("azure_machine", "hardwareProfile.vmSize")]
)
def test_a_machine_of_its_own_that_runs_always_is_named_where_it_stands(program: str, path: str) -> None:
    assert path in {f.path for f in found(program) if f.rule == "GPU-SCALE-08"}


def test_every_program_is_judged() -> None:
    assert {file.stem for file in HERE.glob("*.py")} == set(FAILING)
