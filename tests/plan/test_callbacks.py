"""Functions of `apply` that an offline run cannot call: nothing that they would make vanishes without a word."""

from __future__ import annotations

from .conftest import Run


def left_out(notes: tuple[str, ...]) -> list[str]:
    return [note for note in notes if "known only after the update" in note]


def test_what_a_function_on_an_unknown_would_make_is_said_to_be_missing(run: Run) -> None:
    found = run("""
        from pulumi_aws import ec2
        vpc = ec2.Vpc("net", cidr_block="10.0.0.0/16")
        vpc.id.apply(lambda _: ec2.Instance("hidden", instance_type="p5.48xlarge", ami="ami-1"))
    """)
    assert found.error is None
    assert [r.name for r in found.resources if r.name == "hidden"] == []
    assert left_out(found.notes) == ["1 function on a value known only after the update was not run; what it would make is not judged"]


def test_every_such_function_is_counted(run: Run) -> None:
    found = run("""
        import pulumi
        from pulumi_aws import ec2
        vpc = ec2.Vpc("net", cidr_block="10.0.0.0/16")
        for i in range(3):
            pulumi.Output.all(vpc.id, vpc.arn).apply(lambda both: both[0])
    """)
    assert left_out(found.notes) == ["3 functions on values known only after the update were not run; what they would make is not judged"]


def test_functions_that_run_are_no_note_and_make_what_they_make(run: Run) -> None:
    found = run("""
        from pulumi_aws import ec2
        vpc = ec2.Vpc("net", cidr_block="10.0.0.0/16")
        vpc.cidr_block.apply(lambda block: ec2.Subnet("part", vpc_id=vpc.id, cidr_block=block))
    """)
    assert left_out(found.notes) == []
    assert [r.name for r in found.resources if r.name == "part"] == ["part"]


def test_the_sdks_own_functions_are_not_counted(run: Run) -> None:
    found = run("""
        import pulumi
        from pulumi_aws import ec2
        vpc = ec2.Vpc("net", cidr_block="10.0.0.0/16")
        pulumi.export("text", pulumi.Output.concat("vpc-", vpc.id))
        pulumi.export("form", pulumi.Output.format("{0}", vpc.id))
    """)
    assert left_out(found.notes) == []


def test_the_next_program_starts_from_nothing(run: Run) -> None:
    run("""
        from pulumi_aws import ec2
        ec2.Vpc("net", cidr_block="10.0.0.0/16").id.apply(lambda id: id)
    """)
    assert left_out(run("import pulumi", folder="other").notes) == []
