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
        "google-native:tpu/v2:Node",
        "azure-native:resources:Deployment",
        "azure-native:redhatopenshift/v20240812preview:OpenShiftCluster",
        "azure-native:standbypool:StandbyVirtualMachinePool",
        "gcp:colab/runtime:Runtime",
        "gcp:vertex/aiPersistentResource:AiPersistentResource",
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


def named(token: str, **inputs: object) -> list[Finding]:
    resource = Resource(urn=urn(token, "it"), type=token, name="it", inputs=inputs)
    return said(evaluate(ResourceSet(project=PROJECT, stack=STACK, resources=(resource,)), SETTINGS), "GPU-COST-03")


@pytest.mark.failure("J8")
@pytest.mark.parametrize(
    ("token", "inputs", "what"),
    [
        ("gcp:cloudrunv2/service:Service", {"template": {"nodeSelector": {"accelerator": "nvidia-l4"}}}, "nvidia-l4"),
        (
            "gcp:cloudrunv2/job:Job",
            {"template": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": "1"}}}]}},
            "nvidia.com/gpu",
        ),
        (
            "gcp:workstations/workstationConfig:WorkstationConfig",
            {"host": {"accelerators": [{"type": "nvidia-tesla-t4"}]}},
            "nvidia-tesla-t4",
        ),
        (
            "gcp:dataflow/flexTemplateJob:FlexTemplateJob",
            {"additionalExperiments": ["worker_accelerator=type:nvidia-l4;count:1"]},
            "nvidia-l4",
        ),
        ("gcp:dataplex/task:Task", {"spark": {"machine": "zones/us-central1-a/machineTypes/a2-highgpu-1g"}}, "a2-highgpu-1g"),
        ("azure-native:app/v20240301:ManagedEnvironment", {"workloadProfiles": [{"workloadProfileType": "NC24-A100"}]}, "NC24-A100"),
        ("azure-native:datafactory:IntegrationRuntime", {"nodeSize": "standard_nd96isr_h100_v5"}, "Standard_ND96isr_H100_v5"),
    ],
)
def test_a_kind_without_reader_that_names_an_accelerator_has_no_upper_bound(token: str, inputs: dict[str, object], what: str) -> None:
    (finding,) = named(token, **inputs)
    assert (finding.status, finding.fails) == (Status.UNKNOWN, True)
    assert f"not read by any reader, and names {what}" in finding.message


@pytest.mark.parametrize(
    ("token", "inputs"),
    [
        ("azure-native:authorization:PolicyAssignment", {"parameters": {"skus": {"value": ["Standard_ND96isr_H100_v5"]}}}),
        ("gcp:orgpolicy/policy:Policy", {"spec": {"rules": [{"values": {"deniedValues": ["a2-highgpu-1g"]}}]}}),
        ("gcp:cloudquota/sQuotaPreference:SQuotaPreference", {"dimensions": {"gpu_family": "nvidia-h100"}}),
        ("gcp:cloudrunv2/service:Service", {"template": {"containers": [{"image": "nginx"}]}}),
        ("gcp:cloudfunctionsv2/function:Function", {"source": "# nvidia-l4 " + "x" * 400}),
        ("azure-native:app:ManagedEnvironment", {"workloadProfiles": [{"workloadProfileType": "D4"}]}),
        ("aws:ssm/parameter:Parameter", {"value": "p5.48xlarge"}),
    ],
)
def test_what_only_speaks_of_accelerators_starts_none(token: str, inputs: dict[str, object]) -> None:
    assert named(token, **inputs) == []


COMPUTE_CLASS = "kubernetes:cloud.google.com/v1:ComputeClass"


@pytest.mark.failure("J8")
@pytest.mark.parametrize(
    ("token", "spec"),
    [
        ("kubernetes:containerservice.azure.com/v1api20240901:ManagedClustersAgentPool", {"vmSize": "Standard_ND96isr_H100_v5"}),
        ("kubernetes:kaito.sh/v1beta1:Workspace", {}),
        (COMPUTE_CLASS, {"nodePoolAutoCreation": {"enabled": True}}),
    ],
)
def test_an_object_whose_controller_makes_machines_has_no_upper_bound(token: str, spec: dict[str, object]) -> None:
    (finding,) = named(token, metadata={"name": "it"}, spec=spec)
    assert (finding.status, finding.fails) == (Status.UNKNOWN, True)


@pytest.mark.parametrize("token", [COMPUTE_CLASS, "kubernetes:storage.azure.com/v1api20230101:StorageAccount"])
def test_an_object_whose_controller_makes_none_is_silent(token: str) -> None:
    assert named(token, metadata={"name": "it"}, spec={"priorities": [{"machineFamily": "n4"}]}) == []


@pytest.mark.failure("J8")
def test_a_node_pool_of_aks_auto_provisioning_is_not_taken_for_one_of_aws() -> None:
    spec = {"template": {"spec": {"nodeClassRef": {"group": "karpenter.azure.com", "kind": "AKSNodeClass", "name": "gpu"}}}}
    token = "kubernetes:karpenter.sh/v1:NodePool"
    resource = Resource(urn=urn(token, "it"), type=token, name="it", inputs={"metadata": {"name": "it"}, "spec": spec})
    found = [f for f in evaluate(ResourceSet(project=PROJECT, stack=STACK, resources=(resource,)), SETTINGS) if f.fails]
    assert [f.rule for f in found] == ["GPU-COST-03"]
    assert "a Karpenter node pool of AKS node auto-provisioning, for which there is no reader yet" in found[0].message
