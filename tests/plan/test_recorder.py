"""A program's resources, as a preview would register them."""

from __future__ import annotations

from components.resource import Resource, Secret
from components.unknown import Unknown
from scripts.plan.recorder import Recording

from .conftest import Run


def named(recording: Recording, name: str) -> Resource:
    assert recording.error is None, recording.error
    (found,) = (r for r in recording.resources if r.name == name)
    return found


def test_what_the_program_writes_is_kept_with_its_unknowns_and_whole_numbers(run: Run) -> None:
    found = run("""
        from pulumi_aws import ec2
        vpc = ec2.Vpc("net", cidr_block="10.0.0.0/16")
        ec2.Subnet("part", vpc_id=vpc.id, cidr_block="10.0.1.0/24", tags={"of": vpc.id, "size": "small"})
        ec2.Instance("box", instance_type="m7i.large", root_block_device={"volume_size": 40, "volume_type": "gp3"})
    """)
    subnet = named(found, "part")
    assert subnet.read("vpcId") == Unknown("vpcId")
    assert subnet.read("tags", "of") == Unknown("tags.of")
    assert subnet.read("tags", "size") == "small"
    volume = named(found, "box").read("rootBlockDevice", "volumeSize")
    assert volume == 40
    assert isinstance(volume, int)


def test_an_unknown_inside_a_text_makes_the_text_unknown(run: Run) -> None:
    found = run("""
        import pulumi
        from pulumi_aws import ec2
        vpc = ec2.Vpc("net", cidr_block="10.0.0.0/16")
        ec2.Subnet("part", vpc_id=vpc.id, cidr_block="10.0.1.0/24", tags={"Name": pulumi.Output.concat("sub-", vpc.id)})
    """)
    assert isinstance(named(found, "part").read("tags", "Name"), Unknown)


def test_references_are_kept_as_dependencies_of_the_property_that_makes_them(run: Run) -> None:
    found = run("""
        import pulumi
        from pulumi_aws import ec2
        vpc = ec2.Vpc("net", cidr_block="10.0.0.0/16")
        gate = ec2.InternetGateway("gate", vpc_id=vpc.id)
        ec2.Subnet("part", vpc_id=vpc.id, cidr_block="10.0.1.0/24", opts=pulumi.ResourceOptions(depends_on=[gate]))
    """)
    net, gate, part = (named(found, n) for n in ("net", "gate", "part"))
    assert part.property_dependencies == {"vpcId": (net.urn,)}
    assert set(part.dependencies) == {net.urn, gate.urn}
    assert found.resources.referred(part, "vpcId", "aws:ec2/vpc:Vpc") == (net,)


def test_a_component_gives_its_children_their_urn_and_its_provider(run: Run) -> None:
    found = run("""
        import pulumi, pulumi_aws as aws

        class Net(pulumi.ComponentResource):
            def __init__(self, name, opts=None):
                super().__init__("shop:net:Net", name, {}, opts)
                self.inner = Part(name, pulumi.ResourceOptions(parent=self))
                self.register_outputs({})

        class Part(pulumi.ComponentResource):
            def __init__(self, name, opts=None):
                super().__init__("shop:net:Part", name, {}, opts)
                self.vpc = aws.ec2.Vpc(name + "-vpc", cidr_block="10.0.0.0/16", opts=pulumi.ResourceOptions(parent=self))
                self.register_outputs({"id": self.vpc.id})

        Net("n", pulumi.ResourceOptions(providers=[aws.Provider("ireland", region="eu-west-1")]))
    """)
    vpc = named(found, "n-vpc")
    assert vpc.urn == "urn:pulumi:dev::shop::shop:net:Net$shop:net:Part$aws:ec2/vpc:Vpc::n-vpc"
    assert vpc.parent == "urn:pulumi:dev::shop::shop:net:Net$shop:net:Part::n"
    assert vpc.provider == named(found, "ireland").urn


def test_options_that_rules_ask_about_are_kept(run: Run) -> None:
    found = run("""
        import pulumi
        from pulumi_aws import ec2
        vpc = ec2.Vpc("net", cidr_block="10.0.0.0/16")
        ec2.Subnet("part", vpc_id=vpc.id, cidr_block="10.0.1.0/24", opts=pulumi.ResourceOptions(
            protect=True, retain_on_delete=True, ignore_changes=["cidr_block"], delete_before_replace=True, deleted_with=vpc,
            aliases=[pulumi.Alias(name="old"), "urn:pulumi:dev::shop::aws:ec2/subnet:Subnet::older"]))
    """)
    part = named(found, "part")
    assert part.options.protect
    assert part.options.retain_on_delete
    assert part.options.delete_before_replace
    assert part.options.ignore_changes == ("cidrBlock",)
    assert part.options.deleted_with == named(found, "net").urn
    assert found.aliases[part.urn] == ("name=old", "urn:pulumi:dev::shop::aws:ec2/subnet:Subnet::older")


def test_a_secret_is_marked_and_its_text_is_nowhere(run: Run) -> None:
    found = run("""
        import pulumi
        from pulumi_aws import ec2
        word = pulumi.Output.secret("canary-4711")
        ec2.Instance("box", instance_type="m7i.large", user_data=word, tags={"deep": pulumi.Output.concat("x-", word)})
        pulumi.export("word", word)
        pulumi.log.warn("the word is canary-4711")
    """)
    box = named(found, "box")
    assert isinstance(box.inputs["userData"], Secret)
    assert isinstance(box.read("userData"), Unknown)
    assert isinstance(found.outputs["word"], Secret)
    assert "canary" not in repr(found)
    assert found.logs == (("warning", "the word is [secret]"),)


def test_secret_config_stays_secret_without_its_passphrase(run: Run) -> None:
    found = run(
        """
        import pulumi
        from pulumi_aws import ec2
        settings = pulumi.Config()
        ec2.Instance("box", instance_type=settings.require("size"), user_data=settings.require_secret("word"))
        """,
        config={"shop:size": "m7i.large", "shop:word": "[secret]"},
        secret_keys=["shop:word"],
    )
    box = named(found, "box")
    assert box.read("instanceType") == "m7i.large"
    assert isinstance(box.inputs["userData"], Secret)
    assert found.resources.config == {"shop:size": "m7i.large"}


def test_two_resources_of_one_name_are_an_error_as_in_the_engine(run: Run) -> None:
    found = run("""
        from pulumi_aws import ec2
        ec2.Vpc("net", cidr_block="10.0.0.0/16")
        ec2.Vpc("net", cidr_block="10.1.0.0/16")
    """)
    assert found.error is not None
    assert "'net' is registered twice" in found.error


def test_something_that_exists_already_is_unknown_in_everything_but_its_id(run: Run) -> None:
    found = run("""
        from pulumi_aws import ec2
        group = ec2.SecurityGroup.get("shared", "sg-0123")
        ec2.Instance("box", instance_type="m7i.large", vpc_security_group_ids=[group.id], subnet_id=group.vpc_id)
    """)
    group, box = named(found, "shared"), named(found, "box")
    assert group.id == "sg-0123"
    assert isinstance(group.read("egress"), Unknown)
    assert box.read("vpcSecurityGroupIds", 0) == "sg-0123"
    assert isinstance(box.read("subnetId"), Unknown)


def test_outputs_of_another_stack_are_unknown_and_said_so(run: Run) -> None:
    found = run("""
        import pulumi
        from pulumi_aws import ec2
        other = pulumi.StackReference("org/base/prod")
        ec2.Instance("box", instance_type=other.require_output("size"), subnet_id=other.get_output("subnet"))
    """)
    assert isinstance(named(found, "box").read("instanceType"), Unknown)
    assert any("org/base/prod" in note for note in found.notes)


def test_a_transform_of_the_stack_changes_what_counts(run: Run) -> None:
    found = run("""
        import pulumi
        from pulumi_aws import ec2

        def tag(args):
            if args.type_ == "aws:ec2/vpc:Vpc":
                return pulumi.ResourceTransformResult(
                    props={**args.props, "tags": {"team": "ml"}}, opts=pulumi.ResourceOptions.merge(args.opts, pulumi.ResourceOptions(protect=True)))

        pulumi.runtime.register_resource_transform(tag)
        ec2.Vpc("net", cidr_block="10.0.0.0/16")
    """)
    net = named(found, "net")
    assert net.read("tags", "team") == "ml"
    assert net.read("cidrBlock") == "10.0.0.0/16"
    assert net.options.protect


def test_a_transform_of_a_parent_reaches_its_children_only(run: Run) -> None:
    found = run("""
        import pulumi
        from pulumi_aws import ec2

        def protect(args):
            return pulumi.ResourceTransformResult(args.props, pulumi.ResourceOptions.merge(args.opts, pulumi.ResourceOptions(protect=True)))

        class Group(pulumi.ComponentResource):
            def __init__(self):
                super().__init__("shop:x:Group", "group", {}, pulumi.ResourceOptions(transforms=[protect]))
                ec2.Vpc("inside", cidr_block="10.0.0.0/16", opts=pulumi.ResourceOptions(parent=self))
                self.register_outputs({})

        Group()
        ec2.Vpc("outside", cidr_block="10.0.0.0/16")
    """)
    assert named(found, "inside").options.protect
    assert not named(found, "outside").options.protect


def test_a_component_of_another_package_is_noted_as_unseen(run: Run) -> None:
    found = run("""
        import pulumi

        class Cluster(pulumi.ComponentResource):
            def __init__(self, name):
                super().__init__("eks:index:Cluster", name, {"version": "1.35"}, None, True)

        Cluster("far")
    """)
    assert named(found, "far").read("version") == "1.35"
    assert any("'far'" in note and "not seen" in note for note in found.notes)


def test_two_runs_give_the_same_resources_in_the_same_order(run: Run) -> None:
    source = """
        import pulumi_aws as aws
        vpcs = [aws.ec2.Vpc(f"net-{i}", cidr_block=f"10.{i}.0.0/16") for i in range(12)]
        for i, vpc in enumerate(vpcs):
            aws.ec2.Subnet(f"part-{i}", vpc_id=vpc.id, cidr_block=f"10.{i}.1.0/24", tags={"b": "1", "a": vpcs[0].id, "c": vpcs[1].id})
    """
    first, second = run(source), run(source)
    assert len(first.resources.resources) == 25
    assert first.resources == second.resources
