"""One program leaves nothing behind for the next, and nothing on standard output."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from components.unknown import Unknown

from .conftest import Run
from .test_recorder import named


def test_local_modules_of_one_program_never_serve_another(run: Run) -> None:
    source = """
        import pulumi_aws as aws
        from parts import CIDR
        aws.ec2.Vpc("net", cidr_block=CIDR)
    """
    one = run(source, folder="one", parts='CIDR = "10.1.0.0/16"')
    two = run(source, folder="two", parts='CIDR = "10.2.0.0/16"')
    assert named(one, "net").read("cidrBlock") == "10.1.0.0/16"
    assert named(two, "net").read("cidrBlock") == "10.2.0.0/16"
    assert "parts" not in sys.modules


def test_a_program_with_a_package_called_like_ours_gets_its_own(run: Run, tmp_path: Path) -> None:
    import components

    package = tmp_path / "program" / "components"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text('CIDR = "10.9.0.0/16"\n', encoding="utf-8")
    found = run("""
        import pulumi_aws as aws
        from components import CIDR
        aws.ec2.Vpc("net", cidr_block=CIDR)
    """)
    assert named(found, "net").read("cidrBlock") == "10.9.0.0/16"
    assert sys.modules["components"] is components


def test_directory_path_environment_and_output_are_put_back(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    before = (Path.cwd(), list(sys.path), dict(os.environ), list(sys.argv))
    found = run("""
        import os, sys
        import pulumi_aws as aws
        print("noise")
        print("noise", file=sys.stderr)
        sys.path.append("elsewhere")
        sys.argv.append("more")
        os.environ["LEAK"] = "1"
        here = os.path.basename(os.getcwd())
        os.chdir("..")
        aws.ec2.Vpc("net", cidr_block="10.0.0.0/16", tags={"here": here})
    """)
    assert named(found, "net").read("tags", "here") == "program"
    assert (Path.cwd(), sys.path, dict(os.environ), sys.argv) == before
    assert capsys.readouterr() == ("", "")


def test_credentials_of_the_environment_are_out_of_reach(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "canary-4711")
    monkeypatch.setenv("PULUMI_CONFIG", '{"shop:size": "huge"}')
    found = run("""
        import os, pulumi
        import pulumi_aws as aws
        aws.ec2.Vpc("net", cidr_block="10.0.0.0/16", tags={"key": os.environ.get("AWS_SECRET_ACCESS_KEY", "none"), "size": pulumi.Config().get("size") or "none"})
    """)
    assert named(found, "net").read("tags") == {"key": "none", "size": "none"}


def test_one_failing_program_does_not_disturb_the_next(run: Run) -> None:
    bad = run("import pulumi_aws as aws\naws.ec2.Vpc('net', cidr_block='10.0.0.0/16')\nraise ValueError('no')", folder="bad")
    good = run("import pulumi_aws as aws\naws.ec2.Vpc('net', cidr_block='10.0.0.0/16')", folder="good")
    assert bad.error is not None
    assert good.error is None
    assert isinstance(named(good, "net").id, Unknown)
