"""Less common requests of a program are answered, and never stop a recording."""

from __future__ import annotations

from importlib import import_module

from components.resource import Secret
from components.unknown import Unknown

from .conftest import Run
from .test_recorder import named


def test_a_method_of_a_remote_component_gives_an_unknown_and_a_note(run: Run) -> None:
    found = run("""
        import pulumi
        from pulumi_aws import ec2
        answer = pulumi.runtime.call("shop:index:Cluster/kubeconfig", {})
        ec2.Instance("box", instance_type="m7i.large", key_name=answer.apply(lambda a: a["name"]))
    """)
    assert isinstance(named(found, "box").read("keyName"), Unknown)
    assert any("shop:index:Cluster/kubeconfig" in note for note in found.notes)


def test_hooks_are_accepted_and_never_run(run: Run) -> None:
    found = run("""
        import pulumi
        from pulumi_aws import ec2

        def never(args):
            raise ValueError("ran")

        hook = pulumi.ResourceHook("before", never, pulumi.ResourceHookOptions(on_dry_run=True))
        ec2.Vpc("net", cidr_block="10.0.0.0/16", opts=pulumi.ResourceOptions(hooks=pulumi.ResourceHookBinding(before_create=[hook])))
    """)
    assert named(found, "net").read("cidrBlock") == "10.0.0.0/16"


def test_a_dynamic_provider_is_recorded_without_its_code(run: Run) -> None:
    found = run("""
        import pulumi
        from pulumi.dynamic import CreateResult, Resource, ResourceProvider

        class Maker(ResourceProvider):
            def create(self, props):
                raise ValueError("ran")

        class Thing(Resource):
            def __init__(self, name):
                super().__init__(Maker(), name, {"size": 3, "made": None})

        Thing("thing")
    """)
    assert dict(named(found, "thing").inputs) == {"size": 3}


def test_an_asynchronous_program_is_awaited(run: Run) -> None:
    found = run("""
        import asyncio
        import pulumi
        from pulumi_aws import ec2

        async def main():
            await asyncio.sleep(0.01)
            vpc = ec2.Vpc("late", cidr_block="10.0.0.0/16")
            return {"id": vpc.id, "count": 2}

        pulumi.run(main)
    """)
    assert named(found, "late").read("cidrBlock") == "10.0.0.0/16"
    assert found.outputs["count"] == 2
    assert isinstance(found.outputs["id"], Unknown)


def test_resources_made_inside_an_apply_of_a_known_value_are_seen(run: Run) -> None:
    found = run("""
        import pulumi
        from pulumi_aws import ec2
        pulumi.Output.from_input("10.0.0.0/16").apply(lambda cidr: ec2.Vpc("inner", cidr_block=cidr))
    """)
    assert named(found, "inner").read("cidrBlock") == "10.0.0.0/16"


def test_an_imported_resource_has_its_id(run: Run) -> None:
    found = run("""
        import pulumi
        from pulumi_aws import ec2
        vpc = ec2.Vpc("net", cidr_block="10.0.0.0/16", opts=pulumi.ResourceOptions(import_="vpc-0123"))
        ec2.Subnet("part", vpc_id=vpc.id, cidr_block="10.0.1.0/24")
    """)
    assert named(found, "net").id == "vpc-0123"
    assert named(found, "part").read("vpcId") == "vpc-0123"


def test_an_asset_is_kept_by_what_it_points_to(run: Run) -> None:
    found = run("""
        import pulumi
        from pulumi_aws import s3
        s3.BucketObject("file", bucket="b", source=pulumi.StringAsset("hello"))
    """)
    assert named(found, "file").read("source", "text") == "hello"


def test_a_whole_secret_object_stays_one_secret(run: Run) -> None:
    found = run("""
        import pulumi
        from pulumi_aws import ec2
        ec2.Vpc("net", cidr_block="10.0.0.0/16", tags=pulumi.Output.secret({"a": "canary-4711", "b": "x"}))
    """)
    assert isinstance(named(found, "net").inputs["tags"], Secret)
    assert "canary" not in repr(found)


def test_project_stack_and_root_are_those_of_the_stack(run: Run) -> None:
    found = run("""
        import os, pulumi
        pulumi.export("names", [pulumi.get_project(), pulumi.get_stack(), os.path.basename(pulumi.get_root_directory())])
        pulumi.export("dry", pulumi.runtime.is_dry_run())
    """)
    assert found.error is None
    assert found.outputs == {"names": ["shop", "dev", "program"], "dry": True}


def test_hundreds_of_resources_are_recorded_in_order(run: Run) -> None:
    found = run("""
        from pulumi_aws import ec2
        for i in range(300):
            ec2.Vpc(f"net-{i:03}", cidr_block="10.0.0.0/16")
    """)
    names = [r.name for r in found.resources if r.custom]
    assert names == sorted(names)
    assert len(names) == 300


def test_the_stack_of_calls_is_not_gathered_while_a_program_is_recorded_and_is_afterwards(run: Run) -> None:
    own = import_module("pulumi.runtime.resource")
    before = own._get_stack_trace
    found = run("""
        from pulumi.runtime import resource
        from pulumi_aws import ec2
        ec2.Vpc("net", cidr_block="10.0.0.0/16", tags={"calls": str(len(resource._get_stack_trace().frames))})
    """)
    assert named(found, "net").read("tags", "calls") == "0"
    assert own._get_stack_trace is before


def test_a_component_of_another_process_is_noted_unless_its_properties_tell_what_it_makes(run: Run) -> None:
    found = run("""
        import pulumi
        from pulumi_kubernetes.yaml.v2 import ConfigGroup
        pulumi.ComponentResource("shop:index:Cluster", "shop", {}, None, remote=True)
        ConfigGroup("told", yaml="{apiVersion: v1, kind: Namespace, metadata: {name: a}}")
    """)
    assert [note.partition(" is a")[0] for note in found.notes] == ["shop:index:Cluster 'shop'"]
