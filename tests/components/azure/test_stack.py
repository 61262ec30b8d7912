"""Both clusters as a whole: one provider, refusals before anything is made, and a tree in which everything has its place."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from components import azure
from components.azure.inference import InferenceClusterArgs
from components.azure.training import TrainingClusterArgs
from components.naming import Identity
from components.refusals import SpecErrors
from components.resource import ResourceSet

from .specs import ACCOUNT, REGION, STACK, inference, only, recorded, training

CASES = {
    "training": training({"storage": {"buckets": [{"name": "sets"}], "shared_filesystem": {"tib": 16}}}),
    "inference": inference({"environment": "prod", "monitoring": {"metrics": "cloud"}}),
}
UNTAGGABLE = {
    "azure-native:authorization:RoleAssignment",
    "azure-native:consumption:Budget",
    "azure-native:containerservice:MaintenanceConfiguration",
    "azure-native:managedidentity:FederatedIdentityCredential",
    "azure-native:monitor:DataCollectionRuleAssociation",
    "azure-native:monitor:DiagnosticSetting",
    "azure-native:network:Subnet",
    "azure-native:storage:BlobContainer",
    "azure-native:storage:BlobServiceProperties",
    "azure-native:storage:ManagementPolicy",
}


def made_anew(spec: Any) -> ResourceSet:
    return recorded(lambda: azure.build(spec, region=REGION, stack=STACK) and None)


@pytest.fixture(scope="module", params=CASES)
def made(request: pytest.FixtureRequest) -> ResourceSet:
    return made_anew(CASES[request.param])


def test_there_is_one_azure_provider_bound_to_the_stacks_subscription_and_region(made: ResourceSet) -> None:
    provider = only(made, "pulumi:providers:azure-native")
    assert (provider.inputs["subscriptionId"], provider.inputs["location"]) == (ACCOUNT, REGION)


def test_nothing_is_left_to_a_default_provider(made: ResourceSet) -> None:
    loose = [r.urn for r in made if r.custom and not r.type.startswith("pulumi:") and not r.provider]
    assert loose == []
    assert len(made.of_type("pulumi:providers:kubernetes")) == 1


def test_everything_but_the_provider_stands_under_the_cluster(made: ResourceSet) -> None:
    roots = [r.type for r in made if r.parent is None or ":Stack::" in r.parent]
    assert sorted(t for t in roots if t != "pulumi:pulumi:Stack") in (
        [f"gpukit:azure:{kind}", "pulumi:providers:azure-native"] for kind in ("TrainingCluster", "InferenceCluster")
    )


@pytest.mark.failure("H12")
def test_everything_that_can_carry_tags_says_whose_it_is(made: ResourceSet) -> None:
    identity = Identity(cloud="azure", stack=STACK, cluster="lab")
    for resource in made:
        if resource.type.startswith("azure-native:") and resource.type not in UNTAGGABLE:
            tags = resource.inputs["tags"]
            assert tags["gpukit-resource"], resource.urn
            assert tags.items() >= (identity.fixed("x").items() - {("gpukit-resource", "x")}), resource.urn
            assert tags["cost-center"] == "4711", resource.urn


@pytest.mark.failure("H6")
def test_objects_in_the_cluster_go_with_it(made: ResourceSet) -> None:
    inside = [r for r in made if r.type.startswith("kubernetes:")]
    assert inside
    assert {r.options.deleted_with for r in inside} == {only(made, "azure-native:containerservice:ManagedCluster").urn}


@pytest.mark.failure("F10")
def test_objects_in_the_cluster_wait_for_the_cluster_whose_own_pool_takes_their_pods(made: ResourceSet) -> None:
    cluster = only(made, "azure-native:containerservice:ManagedCluster").urn
    assert all(cluster in r.dependencies for r in made if r.type.startswith("kubernetes:"))


def test_physical_names_that_pulumi_makes_fit_what_azure_takes(made: ResourceSet) -> None:
    limits = {"VirtualNetwork": 64, "Workspace": 63, "ResourceGroup": 80, "StorageAccount": 24, "Vault": 24, "Budget": 63}
    for resource in made:
        longest = limits.get(resource.type.rpartition(":")[2])
        assert longest is None or len(resource.name) + 8 <= longest, resource.name


def test_everything_wrong_is_said_before_the_first_resource() -> None:
    wrong = training({"model": {"name": "m", "parameters_billions": 70}, "pools": {"machine": "Standard_ND9000", "topology": "4x4"}})
    with pytest.raises(SpecErrors) as raised:
        TrainingClusterArgs(spec=wrong, region=REGION, stack=STACK)
    assert {e.path for e in raised.value.errors} == {"model", "pools[0].topology", "pools[0].machine"}


def test_an_inference_cluster_refuses_as_early() -> None:
    with pytest.raises(SpecErrors, match="serving"):
        InferenceClusterArgs(spec=inference({"serving": {"server": "vllm"}}), region=REGION, stack=STACK)


def test_two_runs_of_one_spec_register_the_same() -> None:
    def facts() -> dict[str, Any]:
        return {r.urn: (r.inputs, r.dependencies) for r in made_anew(inference())}

    assert facts() == facts()


def test_what_the_plan_shows_needs_no_sdk() -> None:
    code = "import sys, components.azure; print([m for m in ('pulumi', 'pulumi_azure_native', 'pulumi_kubernetes') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_components_are_asked_for_by_name_and_nothing_else_is_there() -> None:
    assert {name for name in azure.__all__ if getattr(azure, name) is None} == set()
    with pytest.raises(AttributeError, match="has no attribute 'Lambda'"):
        _ = azure.Lambda  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]  # the point of the test
