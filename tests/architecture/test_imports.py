"""Imports go one way, and a part loads only what it needs."""

from __future__ import annotations

import subprocess
import sys

import pytest


def modules_after(statement: str) -> set[str]:
    out = subprocess.run(
        [sys.executable, "-c", f"import sys\n{statement}\nprint('\\n'.join(sys.modules))"], capture_output=True, text=True, check=True
    )
    return {m.split(".")[0] for m in out.stdout.splitlines()}


def test_the_import_contracts_hold() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "importlinter.cli", "lint-imports", "--no-cache"], capture_output=True, text=True, check=False
    )
    if run.returncode and "No module named" in run.stderr:
        run = subprocess.run(["lint-imports", "--no-cache"], capture_output=True, text=True, check=False)  # pragma: no cover
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize(
    "module", ["components.catalog", "components.spec", "components.costing", "components.demand", "components.ownership"]
)
def test_a_pure_module_loads_no_sdk(module: str) -> None:
    assert not modules_after(f"import {module}") & {"pulumi", "pulumi_aws", "pulumi_kubernetes", "boto3", "pulumi_policy"}


SDKS = {"aws": "pulumi_aws", "gcp": "pulumi_gcp", "azure": "pulumi_azure_native"}


@pytest.mark.parametrize("cloud", sorted(SDKS))
def test_one_cloud_loads_one_sdk(cloud: str) -> None:
    loaded = modules_after(f"from components.{cloud} import TrainingCluster")
    assert {sdk for sdk in SDKS.values() if sdk in loaded} == {SDKS[cloud]}


def test_help_loads_no_sdk() -> None:
    loaded = modules_after("import scripts.cli")
    assert not loaded & {"pulumi", "pulumi_aws", "pulumi_kubernetes", "boto3", "pydantic", "grpc"}


def test_rules_and_readers_load_no_policy_sdk() -> None:
    assert "pulumi_policy" not in modules_after("import policies.readers, policies.rules")
