"""GPU-KEEP-02 and 03: what a preview makes anew."""

from __future__ import annotations

from dataclasses import replace

import pytest

from components.resource import ResourceSet
from policies import Finding, Level, Status, evaluate
from tests.policies.azure_raw import infiniband
from tests.policies.gcp_raw import a3_mega
from tests.policies.raw import SETTINGS, Raw, said


def anew(program: Raw, name: str, *because: str) -> ResourceSet:
    found = program.built()
    return replace(found, resources=tuple(replace(r, replaced=because) if r.name == name else r for r in found))


def judged(resources: ResourceSet, rule: str) -> list[Finding]:
    return said(evaluate(resources, SETTINGS), rule)


@pytest.mark.failure("E10")
def test_a_gpu_profile_that_changes_is_told_with_what_it_ends() -> None:
    program = infiniband()
    (finding,) = judged(anew(program, "h100", "gpuProfile.driver"), "GPU-KEEP-02")
    assert (finding.status, finding.level, finding.urn, finding.path) == (
        Status.VIOLATED,
        Level.ADVISORY,
        program.urn("h100"),
        "gpuProfile.driver",
    )
    assert "the GPU pool is made anew for a change of gpuProfile.driver" in finding.message
    assert "Make another pool beside it" in finding.message


@pytest.mark.failure("D10")
def test_a_driver_version_that_changes_is_told() -> None:
    because = "nodeConfig.guestAccelerators[0].gpuDriverInstallationConfig"
    (finding,) = judged(anew(a3_mega(), "h100", because, "name"), "GPU-KEEP-02")
    assert (finding.level, finding.path) == (Level.ADVISORY, because)


@pytest.mark.failure("D11")
@pytest.mark.parametrize(("because", "fails"), [(("initialNodeCount",), True), (("initialNodeCount", "cluster"), False)])
def test_a_replacement_that_comes_of_a_resize_alone_is_refused(because: tuple[str, ...], fails: bool) -> None:
    (finding,) = judged(anew(a3_mega(), "h100", *because), "GPU-KEEP-02")
    assert finding.fails is fails
    assert ("ignore_changes" in finding.message) is fails


def test_a_replacement_without_a_reason_is_told_too() -> None:
    (finding,) = judged(anew(a3_mega(), "h100"), "GPU-KEEP-02")
    assert (finding.path, "is made anew, and" in finding.message) == ("", True)


def test_the_cluster_of_a_gpu_pool_is_told_as_the_larger_loss() -> None:
    (finding,) = judged(anew(infiniband(), "aks", "dnsPrefix"), "GPU-KEEP-02")
    assert "the cluster is made anew for a change of dnsPrefix" in finding.message


@pytest.mark.parametrize("name", ["system", "nodes", "k8s"])
def test_what_has_no_gpus_may_be_made_anew(name: str) -> None:
    assert judged(anew(a3_mega(), name, "x"), "GPU-KEEP-02") == []


@pytest.mark.failure("H7")
def test_a_kubernetes_provider_that_is_made_anew_is_refused() -> None:
    program = infiniband()
    assert [f.fails for f in judged(anew(program, "k8s", "kubeconfig"), "GPU-KEEP-03")] == [True]
    assert judged(program.built(), "GPU-KEEP-03") == []
    assert judged(anew(program, "h100", "vmSize"), "GPU-KEEP-03") == []
