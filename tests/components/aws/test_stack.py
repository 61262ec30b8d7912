"""Both clusters as a whole: one provider, refusals before anything is made, and a tree in which everything has its place."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from components import aws
from components.aws.inference import InferenceClusterArgs
from components.aws.training import TrainingClusterArgs
from components.naming import Identity
from components.refusals import SpecErrors
from components.resource import ResourceSet

from .specs import REGION, STACK, built, inference, made_anew, only, training

CASES = {"training": training(), "inference": inference()}
UNTAGGABLE = {
    "aws:autoscaling/schedule:Schedule",
    "aws:autoscaling/tag:Tag",
    "aws:ec2/route:Route",
    "aws:ec2/routeTableAssociation:RouteTableAssociation",
    "aws:eks/accessPolicyAssociation:AccessPolicyAssociation",
    "aws:iam/rolePolicy:RolePolicy",
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
}


@pytest.fixture(scope="module", params=CASES)
def made(request: pytest.FixtureRequest) -> ResourceSet:
    return built(CASES[request.param])


def test_there_is_one_aws_provider_bound_to_the_stacks_account_and_region(made: ResourceSet) -> None:
    provider = only(made, "pulumi:providers:aws")
    assert provider.inputs["allowedAccountIds"] == '["123456789012"]'
    assert provider.inputs["region"] == REGION


def test_nothing_is_left_to_a_default_provider(made: ResourceSet) -> None:
    loose = [r.urn for r in made if r.custom and not r.type.startswith("pulumi:") and not r.provider]
    assert loose == []
    assert len(made.of_type("pulumi:providers:kubernetes")) == 1


def test_everything_but_the_provider_stands_under_the_cluster(made: ResourceSet) -> None:
    roots = [r.type for r in made if r.parent is None or ":Stack::" in r.parent]
    assert sorted(t for t in roots if t != "pulumi:pulumi:Stack") in (
        [f"gpukit:aws:{kind}", "pulumi:providers:aws"] for kind in ("TrainingCluster", "InferenceCluster")
    )


@pytest.mark.failure("H12")
def test_everything_that_can_carry_tags_says_whose_it_is(made: ResourceSet) -> None:
    identity = Identity(cloud="aws", stack=STACK, cluster="lab")
    for resource in made:
        if resource.type.startswith("aws:") and resource.type not in UNTAGGABLE:
            assert resource.inputs["tags"].items() >= identity.fixed(resource.name).items(), resource.urn
            assert resource.inputs["tags"]["cost-center"] == "4711", resource.urn


@pytest.mark.failure("H6")
def test_objects_in_the_cluster_go_with_it(made: ResourceSet) -> None:
    inside = [r for r in made if r.type.startswith("kubernetes:")]
    assert inside
    assert {r.options.deleted_with for r in inside} == {only(made, "aws:eks/cluster:Cluster").urn}


@pytest.mark.failure("F10")
def test_objects_in_the_cluster_wait_for_nodes_that_take_their_pods(made: ResourceSet) -> None:
    system = only(made, "aws:eks/nodeGroup:NodeGroup", "system").urn
    assert all(system in r.dependencies for r in made if r.type.startswith("kubernetes:"))


def test_only_a_cluster_with_efa_gets_the_efa_plugin() -> None:
    def charts(spec: Any) -> set[str]:
        return {r.inputs["chart"] for r in built(spec).of_type("kubernetes:helm.sh/v3:Release")}

    assert charts(training()) == {"gpu-operator", "cluster-autoscaler", "aws-efa-k8s-device-plugin"}
    assert charts(training({"pools": {"fabric": "none"}})) == {"gpu-operator", "cluster-autoscaler"}
    assert charts(inference()) == {"gpu-operator", "cluster-autoscaler"}
    assert charts(inference({"pools": {"machine": "g6e.48xlarge", "fabric": "auto"}})) == charts(training())


@pytest.mark.parametrize("make", [lambda s: TrainingClusterArgs(spec=s, region=REGION, stack=STACK)])
def test_everything_wrong_is_said_before_the_first_resource(make: Any) -> None:
    wrong = training({"monitoring": {"metrics": "cloud"}, "pools": {"machine": "p9.huge", "topology": "4x4"}})
    with pytest.raises(SpecErrors) as raised:
        make(wrong)
    assert {e.path for e in raised.value.errors} == {"monitoring.metrics", "pools[0].topology", "pools[0].machine"}


def test_an_inference_cluster_refuses_as_early() -> None:
    with pytest.raises(SpecErrors, match="serving"):
        InferenceClusterArgs(spec=inference({"serving": {"server": "vllm"}}), region=REGION, stack=STACK)


def test_two_runs_of_one_spec_register_the_same() -> None:
    def facts() -> dict[str, Any]:
        return {r.urn: (r.inputs, r.dependencies) for r in made_anew(training())}

    assert facts() == facts()


def test_what_the_plan_shows_needs_no_sdk() -> None:
    code = "import sys, components.aws; print([m for m in ('pulumi', 'pulumi_aws', 'pulumi_kubernetes') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_components_are_asked_for_by_name_and_nothing_else_is_there() -> None:
    assert {name for name in aws.__all__ if getattr(aws, name) is None} == set()
    with pytest.raises(AttributeError, match="has no attribute 'Karpenter'"):
        _ = aws.Karpenter
