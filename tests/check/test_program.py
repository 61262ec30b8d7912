"""Any program is recorded in a process of its own; only its tape comes back."""

from __future__ import annotations

from pathlib import Path

import pytest

from components.resource import Secret
from scripts.check.program import record_program
from scripts.check.project import open_project, stack_config
from scripts.errors import BadInput, Failed
from scripts.plan.recorder import Recording, record

from .conftest import FIXTURES, Write


def recorded(root: Path, *, stack: str | None = None, timeout_s: float = 60) -> Recording:
    project = open_project(root)
    return record_program(project, stack_config(project, stack), timeout_s=timeout_s)


def test_the_child_gives_the_same_facts_as_a_run_in_this_process() -> None:
    shop = FIXTURES / "shop"
    here = record(
        shop / "__main__.py", project="shop", stack="dev", config={"aws:region": "eu-west-1", "shop:size": "m7i.large"}, directory=shop
    )
    child = recorded(shop)
    assert here.error is None
    assert child == here


def test_what_the_program_prints_never_mixes_with_the_recording(project: Write, capfd: pytest.CaptureFixture[str]) -> None:
    found = recorded(
        project(
            {
                "__main__.py": """
                import os, sys, pulumi_aws as aws
                print('{"schema": "fake"}', flush=True)
                os.write(1, b"raw noise")
                print("more", file=sys.stderr)
                aws.ec2.Vpc("net", cidr_block="10.0.0.0/16")
                """
            }
        )
    )
    assert [r.name for r in found.resources] == ["shop-dev", "net"]
    assert capfd.readouterr() == ("", "")


def test_the_program_sees_its_own_modules_and_none_of_ours(project: Write) -> None:
    found = recorded(
        project(
            {
                "policies.py": "WORD = 'mine'",
                "__main__.py": """
                import sys, pulumi, policies
                pulumi.export("word", policies.WORD)
                pulumi.export("path", [p for p in sys.path if p.endswith("recording")])
                pulumi.export("modules", [m for m in sys.modules if m.split(".")[0] in {"components", "scripts", "stacks"}])
                """,
            }
        )
    )
    assert found.error is None
    assert found.outputs == {"word": "mine", "path": [], "modules": []}


def test_a_failing_program_is_told_with_its_line(project: Write) -> None:
    found = recorded(project({"__main__.py": "import pulumi\nraise ValueError('size is missing')\n"}))
    assert found.error == "the program failed at __main__.py:2: ValueError: size is missing"


def test_an_endless_program_is_ended_in_time(project: Write) -> None:
    with pytest.raises(Failed, match=r"did not end within 2 s.*--timeout"):
        recorded(project({"__main__.py": "while True: pass\n"}), timeout_s=2)


def test_a_program_that_leaves_without_a_word_is_told(project: Write) -> None:
    with pytest.raises(Failed, match="ended with exit code 7 before it could be recorded"):
        recorded(project({"__main__.py": "import os\nos.write(2, b'canary-4711')\nos._exit(7)\n"}))


def test_nothing_that_such_a_program_wrote_is_shown(project: Write) -> None:
    with pytest.raises(Failed) as caught:
        recorded(project({"__main__.py": "import os\nos.write(2, b'canary-4711')\nos._exit(7)\n"}))
    assert "canary" not in str(caught.value)


def test_an_interpreter_without_pulumi_is_named(project: Write, tmp_path: Path) -> None:
    root = project({"Pulumi.yaml": "name: shop\nruntime: {name: python, options: {virtualenv: venv}}\n"})
    import sys
    import venv

    venv.create(root / "venv", with_pip=False, symlinks=sys.platform != "win32")
    with pytest.raises(BadInput, match="cannot record shop: No module named"):
        recorded(root)


def test_secrets_do_not_cross_the_border(project: Write) -> None:
    found = recorded(
        project(
            {
                "Pulumi.dev.yaml": "config:\n  shop:word: {secure: AAABcanary}\n",
                "__main__.py": """
                import pulumi
                from pulumi_aws import ec2
                ec2.Instance("box", instance_type="m7i.large", user_data=pulumi.Config().require_secret("word"), key_name=pulumi.Output.secret("canary-4711"))
                """,
            }
        )
    )
    box = next(r for r in found.resources if r.name == "box")
    assert isinstance(box.inputs["userData"], Secret)
    assert isinstance(box.inputs["keyName"], Secret)
    assert "canary" not in repr(found)


def test_the_child_has_no_credentials(project: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "canary-4711")
    monkeypatch.setenv("PULUMI_ACCESS_TOKEN", "canary-4711")
    found = recorded(
        project({"__main__.py": "import os, pulumi\npulumi.export('all', sorted(k for k, v in os.environ.items() if 'canary' in v))\n"})
    )
    assert found.outputs == {"all": []}


def test_the_collector_is_tuned_before_the_program_runs(project: Write) -> None:
    found = recorded(
        project(
            {
                "__main__.py": """
                import gc, pulumi_aws as aws
                aws.ec2.Vpc("net", cidr_block="10.0.0.0/16", tags={"every": str(gc.get_threshold()[0]), "frozen": str(gc.get_freeze_count() > 0)})
                """
            }
        )
    )
    (net,) = (r for r in found.resources if r.name == "net")
    assert net.read("tags") == {"every": "1000000", "frozen": "True"}


def test_an_error_that_the_program_logs_makes_it_fail_as_in_the_engine(project: Write) -> None:
    found = recorded(project({"__main__.py": "import pulumi\npulumi.log.error('no quota\\nleft')\n"}))
    assert found.error == "the program logged an error: no quota left"
    assert recorded(project({"__main__.py": "import pulumi\npulumi.log.warn('little quota left')\n"})).error is None
