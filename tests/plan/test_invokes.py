"""Provider functions are answered from a closed list, or unknown and noted."""

from __future__ import annotations

from components.unknown import Unknown

from .conftest import Run
from .test_recorder import named


def test_region_partition_and_zones_follow_the_provider_that_is_asked(run: Run) -> None:
    found = run(
        """
        import pulumi, pulumi_aws as aws
        gov = pulumi.InvokeOptions(provider=aws.Provider("gov", region="us-gov-west-1"))
        aws.ec2.Vpc("here", cidr_block="10.0.0.0/16", tags={
            "region": aws.get_region().region, "partition": aws.get_partition().partition, "zone": aws.get_availability_zones().names[0]})
        aws.ec2.Vpc("there", cidr_block="10.0.0.0/16", tags={"region": aws.get_region(opts=gov).region, "partition": aws.get_partition(opts=gov).partition})
        """,
        config={"aws:region": "eu-west-1"},
    )
    assert named(found, "here").read("tags") == {"region": "eu-west-1", "partition": "aws", "zone": "eu-west-1a"}
    assert named(found, "there").read("tags") == {"region": "us-gov-west-1", "partition": "aws-us-gov"}
    assert any("assumed" in note for note in found.notes)


def test_without_a_region_nothing_is_assumed(run: Run) -> None:
    found = run("""
        import pulumi_aws as aws
        aws.ec2.Subnet("part", vpc_id="vpc-1", cidr_block="10.0.0.0/24", availability_zone=aws.get_availability_zones().names[0])
    """)
    assert isinstance(named(found, "part").read("availabilityZone"), Unknown)


def test_an_unanswered_function_is_unknown_wherever_its_answer_goes(run: Run) -> None:
    found = run("""
        import pulumi_aws as aws
        image = aws.ec2.get_ami(owners=["amazon"], most_recent=True)
        account = aws.get_caller_identity()
        aws.ec2.Instance("box", ami=image.id, instance_type="m7i.large", tags={"arn": f"arn:aws:iam::{account.account_id}:role/x", "plain": "kept"})
    """)
    box = named(found, "box")
    assert isinstance(box.read("ami"), Unknown)
    assert isinstance(box.read("tags", "arn"), Unknown)
    assert box.read("tags", "plain") == "kept"
    assert {n.split()[3] for n in found.notes} == {"aws:ec2/getAmi:getAmi", "aws:index/getCallerIdentity:getCallerIdentity"}


def test_code_that_waits_for_an_unanswered_output_does_not_run(run: Run) -> None:
    found = run("""
        import pulumi_aws as aws
        image = aws.ec2.get_ami_output(owners=["amazon"], most_recent=True)
        aws.ec2.Instance("box", ami=image.id, instance_type=image.architecture.apply(lambda a: {"x86_64": "m7i.large"}[a]))
    """)
    box = named(found, "box")
    assert isinstance(box.read("ami"), Unknown)
    assert isinstance(box.read("instanceType"), Unknown)


def test_the_sdk_is_left_as_it_was(run: Run) -> None:
    import pulumi

    before = pulumi.runtime.invoke
    run("raise SystemExit(3)")
    assert pulumi.runtime.invoke is before
