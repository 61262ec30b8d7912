"""What starts machines, or may, and has no reader: never a cost of nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from components.resource import Resource, ResourceSet
from policies import Finding, Status, evaluate
from policies.readers import types
from policies.readers.unread import HARMLESS, STARTING, plain_token
from tests.policies.raw import PROJECT, SETTINGS, STACK, Raw, said, training, urn


def judged(token: str, *, remote: bool = False, custom: bool = True) -> list[Finding]:
    resource = Resource(urn=urn(token, "it"), type=token, name="it", custom=custom, remote=remote)
    return said(evaluate(ResourceSet(project=PROJECT, stack=STACK, resources=(resource,)), SETTINGS), "GPU-COST-03")


@pytest.mark.failure("J8")
@pytest.mark.parametrize(
    "token",
    [
        "aws:ec2/capacityReservation:CapacityReservation",
        "aws:ec2/capacityBlockReservation:CapacityBlockReservation",
        "aws:ecs/capacityProvider:CapacityProvider",
        "aws:emr/cluster:Cluster",
        "aws:sagemaker/notebookInstance:NotebookInstance",
        "aws-native:ec2:Instance",
        "aws-native:eks:Nodegroup",
        "azure:compute/linuxVirtualMachine:LinuxVirtualMachine",
        "azure-native:batch:Pool",
        "azure-native:batch/v20240201:Pool",
        "azure-native:azurefleet/v20240501preview:Fleet",
        "azure-native_batch_v20240201:batch:Pool",
        "azure-native:machinelearningservices:Compute",
        "gcp:compute/instanceFromMachineImage:InstanceFromMachineImage",
        "gcp:dataproc/cluster:Cluster",
        "gcp:tpu/node:Node",
        "gcp:workbench/instance:Instance",
        "google-native:compute/v1:Instance",
        "google-native:container/v1beta1:NodePool",
        "kubernetes:karpenter.sh/v1:NodeClaim",
        "kubernetes:karpenter.sh/v1alpha5:Provisioner",
    ],
)
def test_a_resource_that_starts_machines_has_no_upper_bound(token: str) -> None:
    (finding,) = judged(token)
    assert finding.status is Status.UNKNOWN
    assert finding.fails
    assert any(why in finding.message for why in ("for which there is no reader yet", "what it bills itself is not worked out"))
    assert "so its cost has no upper bound" in finding.message


@pytest.mark.failure("J8")
@pytest.mark.parametrize(
    "token",
    [
        "aws:s3/bucket:Bucket",
        "aws:ec2/vpc:Vpc",
        "azure-native:compute/v20240301:SshPublicKey",
        "azure-native:resources:ResourceGroup",
        "gcp:storage/bucket:Bucket",
        "kubernetes:core/v1:Namespace",
        "kubernetes:helm.sh/v3:Release",
        "eks:index:VpcCni",
        "pulumi:providers:eks",
        "pulumi:pulumi:StackReference",
        *(f"{package}:index:Thing" for package in sorted(HARMLESS)),
    ],
)
def test_a_resource_that_starts_none_is_silent(token: str) -> None:
    assert judged(token) == []


@pytest.mark.failure("J8")
@pytest.mark.parametrize("token", ["oci:Core/instance:Instance", "digitalocean:index/droplet:Droplet"])
def test_a_package_that_no_reader_knows_may_start_machines(token: str) -> None:
    (finding,) = judged(token)
    assert f"of the package {token.partition(':')[0]!r}, which no reader knows and which may start machines" in finding.message


@pytest.mark.parametrize("token", ["pulumi-python:dynamic:Resource", "pulumi-nodejs:dynamic:Resource"])
def test_a_provider_in_the_program_itself_may_start_machines(token: str) -> None:
    (finding,) = judged(token)
    assert "a dynamic resource, whose own code may start machines" in finding.message


def test_a_component_of_another_process_may_start_machines() -> None:
    (finding,) = judged("eks:index:NodeGroupV2", remote=True, custom=False)
    assert "a component of another package, which may start machines that are not seen" in finding.message
    assert "check --preview" in finding.message


def test_a_component_whose_children_are_seen_is_silent() -> None:
    assert judged("eks:index:NodeGroupV2", custom=False) == []
    assert judged("research:index:Training", custom=False) == []


def test_charts_are_read_although_their_component_runs_elsewhere() -> None:
    assert judged(types.CHART_V4, remote=True, custom=False) == []


@pytest.mark.parametrize("token", ["aws:ec2:Instance", "aws:ec2/instance:instance"])
def test_another_spelling_of_what_is_read_is_not_taken_for_nothing(token: str) -> None:
    (finding,) = judged(token)
    assert "spelled in a way that no reader knows" in finding.message


@pytest.mark.parametrize("token", sorted(STARTING))
def test_names_are_listed_as_tokens_are_made_plain(token: str) -> None:
    assert plain_token(token) == token


def test_no_type_with_a_reader_is_listed_as_unread() -> None:
    assert {plain_token(token) for token in types.READ - set(types.BILLING_UNUSED)} & set(STARTING) == set()


def test_a_chart_that_is_rendered_inside_the_program_is_named_for_what_it_is() -> None:
    program = training().without("operator").plus(types.CHART_V3, "operator")
    findings = said(evaluate(program.built(), SETTINGS), "GPU-DRV-01")
    assert [f.message for f in findings] == [
        (
            "gpu: operator.chart is rendered by helm.v3.Chart, which tells neither chart nor values, so it cannot be told who installs the "
            "NVIDIA driver. Install charts with helm.v3.Release or helm.v4.Chart, which tell them."
        )
    ]
    told = Raw(written=dict(program.written), config=program.config)
    told.written["operator"] = replace(training().written["operator"], type=types.CHART_V4)
    assert said(evaluate(told.built(), SETTINGS), "GPU-DRV-01") == []
