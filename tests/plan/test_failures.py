"""A program's error is one paragraph with its own line."""

from __future__ import annotations

import pytest

from .conftest import Run


def test_the_innermost_line_of_the_program_is_named(run: Run) -> None:
    found = run(
        "import parts\nparts.build(0)",
        parts="""
        def build(n):
            return 1 / n
        """,
    )
    assert found.error == "the program failed at parts.py:3: ZeroDivisionError: division by zero"


def test_a_line_of_the_sdk_is_never_named(run: Run) -> None:
    found = run("from pulumi_aws import ec2\nec2.Subnet('part')")
    assert found.error is not None
    assert found.error.startswith("the program failed at __main__.py:2: TypeError: ")
    assert "vpc_id" in found.error


def test_an_error_inside_an_apply_is_told(run: Run) -> None:
    found = run("import pulumi\npulumi.export('x', pulumi.Output.from_input(1).apply(lambda n: n / 0))")
    assert found.error is not None
    assert "__main__.py:2: ZeroDivisionError" in found.error


def test_a_syntax_error_names_its_line(run: Run) -> None:
    assert (run("import pulumi\nx = (").error or "").startswith("the program failed at __main__.py:2: SyntaxError")


def test_a_run_error_is_shown_alone(run: Run) -> None:
    assert run("import pulumi\nraise pulumi.RunError('set shop:size')").error == "set shop:size"


@pytest.mark.parametrize("code", ["0", "None", ""])
def test_a_program_that_ends_itself_well_is_fine(run: Run, code: str) -> None:
    found = run(f"import sys, pulumi_aws as aws\naws.ec2.Vpc('net', cidr_block='10.0.0.0/16')\nsys.exit({code})")
    assert found.error is None
    assert [r.name for r in found.resources] == ["shop-dev", "net"]


def test_a_program_that_ends_itself_badly_is_an_error(run: Run) -> None:
    assert run("import sys\nsys.exit(4)").error == "the program ended itself with exit code 4 at __main__.py:2"


def test_what_was_registered_before_the_error_is_kept(run: Run) -> None:
    found = run("import pulumi_aws as aws\naws.ec2.Vpc('net', cidr_block='10.0.0.0/16')\nraise ValueError('no')")
    assert found.error is not None
    assert [r.name for r in found.resources] == ["shop-dev", "net"]


def test_a_secret_in_the_message_is_hidden(run: Run) -> None:
    found = run("""
        import pulumi
        from pulumi_aws import ec2
        word = pulumi.Output.secret("canary-4711")
        ec2.Instance("box", instance_type="m7i.large", user_data=word)
        pulumi.export("x", word.apply(lambda w: int(w)))
    """)
    assert found.error is not None
    assert "canary" not in found.error


def test_ctrl_c_is_not_swallowed(run: Run) -> None:
    with pytest.raises(KeyboardInterrupt):
        run("raise KeyboardInterrupt")


def test_an_error_that_is_its_own_cause_is_told_once(run: Run) -> None:
    found = run("""
        import pulumi
        error, other = ValueError("round"), ValueError("and round")
        error.__cause__, other.__cause__ = other, error
        pulumi.export("x", pulumi.Output.from_input(1).apply(lambda _: (_ for _ in ()).throw(error)))
    """)
    assert found.error is not None
    assert "ValueError: round" in found.error
