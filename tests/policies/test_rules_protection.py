"""GPU-KEEP-01: GPU clusters of environments that last are protected from deletion, by their cloud or by Pulumi."""

from __future__ import annotations

from dataclasses import replace

import pytest

from policies import Finding, Level, Settings, Status, evaluate
from tests.policies.azure_raw import inference as azure
from tests.policies.gcp_raw import inference as gcp
from tests.policies.raw import SETTINGS, Raw, said
from tests.policies.raw import training as aws

PROD = replace(SETTINGS, environment="prod")


def kept(program: Raw, settings: Settings = PROD, stack: str = "dev") -> list[Finding]:
    return said(evaluate(replace(program.built(), stack=stack), settings), "GPU-KEEP-01")


def test_a_production_cluster_that_nothing_protects_is_told() -> None:
    (finding,) = kept(aws())
    assert (finding.status, finding.level, finding.path) == (Status.VIOLATED, Level.ADVISORY, "deletionProtection")
    assert finding.message == (
        "eks: a GPU cluster of prod that nothing protects. A destroy of the wrong stack, or a change that replaces it, ends every job and service "
        "on it, and its capacity may not come back. Set deletionProtection true, and take it off in a step of its own when the cluster is to go."
    )


@pytest.mark.parametrize(
    ("program", "name"),
    [(aws(), "eks"), (gcp().set("gke", False, "deletionProtection"), "gke"), (azure(), "aks")],
    ids=["aws", "gcp", "azure"],
)
def test_pulumis_own_protection_repairs_it_on_every_cloud(program: Raw, name: str) -> None:
    assert len(kept(program)) == 1
    assert kept(program.with_options(name, protect=True)) == []


@pytest.mark.parametrize(
    "program",
    [
        aws().set("eks", True, "deletionProtection"),
        gcp().set("gke", True, "deletionProtection"),
        gcp().set("gke", None, "deletionProtection"),
    ],
)
def test_the_clouds_protection_repairs_it_and_gkes_is_on_by_default(program: Raw) -> None:
    assert kept(program) == []


@pytest.mark.parametrize(
    ("stack", "environment", "found"),
    [("ml-prod", None, 1), ("Production", None, 1), ("products", None, 0), ("dev", None, 0), ("prod", "dev", 0), ("x", "staging", 1)],
)
def test_the_stack_file_says_what_lasts_and_otherwise_the_name_of_the_stack(stack: str, environment: str | None, found: int) -> None:
    assert len(kept(aws(), replace(SETTINGS, environment=environment), stack)) == found


def test_a_protection_that_is_not_known_is_unknown() -> None:
    (finding,) = kept(aws().hide("eks", "deletionProtection"))
    assert finding.status is Status.UNKNOWN


def test_a_cluster_without_gpus_is_not_ours_to_judge() -> None:
    assert kept(aws().without("gpu")) == []
