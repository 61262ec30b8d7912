"""Programs of users under mocks: they build whole, and everything that a cloud would tell is there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pulumi
import pulumi_aws as aws
import pytest

from components import testing
from components.resource import Value
from components.unknown import Unknown
from scripts.plan import stackfile
from scripts.plan.build import recorded
from stacks import settings

ROOT = Path(__file__).parents[2]
ONE_A_CLOUD = ("aws-training-p5", "gcp-training-a3ultra", "azure-training-ndh100")
REST = [pytest.param(name, marks=pytest.mark.long) for name in stackfile.stack_names(ROOT) if name not in ONE_A_CLOUD]


def spec_of(stack: str) -> tuple[Any, str]:
    file = stackfile.read(ROOT, stack)
    value = json.loads(file.config[settings.KEY])
    region = file.config[settings.REGION_KEYS[value["cloud"]]]
    return settings.parse(value, stack=stack, region=region, file=file.path.name, project="lab").spec, region


def built(stack: str) -> testing.Mocks:
    spec, region = spec_of(stack)
    return testing.made_by(lambda: import_module(f"components.{spec.cloud}").build(spec, region=region, stack=stack))


def unknown_paths(value: Value, *path: str | int) -> Iterator[tuple[str | int, ...]]:
    if isinstance(value, Unknown):
        yield path
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from unknown_paths(each, *path, key)
    elif isinstance(value, list | tuple):
        for at, each in enumerate(value):
            yield from unknown_paths(each, *path, at)


def read(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


@pytest.mark.parametrize("stack", [*ONE_A_CLOUD, *REST])
def test_a_cluster_builds_whole_and_what_a_plan_leaves_open_is_told(stack: str) -> None:
    made = {(each.typ, each.name): each.inputs for each in built(stack).made}
    planned = [r for r in recorded(ROOT, stackfile.read(ROOT, stack)).resources if r.type != "pulumi:pulumi:Stack"]
    assert sorted(made) == sorted((r.type, r.name) for r in planned)
    lacking = [
        (r.name, path) for r in planned for path in unknown_paths(r.inputs) if read(made[r.type, r.name], path) in (None, "", "None")
    ]
    assert lacking == []


def test_what_was_made_is_asked_by_type() -> None:
    [pool] = [each for each in built("aws-training-p5").of_type("aws:eks/nodeGroup:NodeGroup") if each.name.endswith("h100")]
    assert pool.inputs["capacityType"] == "CAPACITY_BLOCK"


def test_an_output_is_awaited_and_a_failed_check_is_raised() -> None:
    def program() -> pulumi.Output[None]:
        def check(arn: str) -> None:
            assert arn == "another"

        return aws.s3.Bucket("data").arn.apply(check)

    with pytest.raises(AssertionError):
        testing.made_by(program)


def test_what_an_object_of_the_inputs_gets_from_the_cloud_is_there() -> None:
    def program() -> pulumi.Output[None]:
        cluster = aws.eks.Cluster(
            "lab", role_arn="arn:aws:iam::1:role/it", vpc_config=aws.eks.ClusterVpcConfigArgs(subnet_ids=["subnet-1"])
        )

        def check(network: aws.eks.outputs.ClusterVpcConfig) -> None:
            assert network.subnet_ids == ["subnet-1"]
            assert network.cluster_security_group_id

        return cluster.vpc_config.apply(check)

    testing.made_by(program)


def test_one_program_after_another_knows_nothing_of_the_first() -> None:
    first = testing.made_by(lambda: aws.s3.Bucket("first"))
    second = testing.made_by(lambda: aws.s3.Bucket("second"))
    assert [each.name for each in first.made] == ["first"]
    assert [each.name for each in second.made] == ["second"]


def test_a_component_of_the_program_has_no_id() -> None:
    class Part(pulumi.ComponentResource):
        def __init__(self) -> None:
            super().__init__("test:index:Part", "part")
            self.register_outputs({})

    [part] = testing.made_by(Part).made
    assert not part.custom
