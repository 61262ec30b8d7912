"""The command as a process: signals, pipes, start-up."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from scripts.plan import stackfile

COMMAND = [sys.executable, "-m", "scripts.cli"]


def run(*args: str, cwd: Path | None = None, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *args], capture_output=True, text=True, check=False, cwd=cwd, env={**os.environ, **environ}, timeout=120
    )


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "Pulumi.yaml").write_text("name: shop\nruntime: python\n", encoding="utf-8")
    return tmp_path


def program(root: Path, text: str) -> Path:
    (root / "__main__.py").write_text(textwrap.dedent(text), encoding="utf-8")
    return root


def test_help_loads_neither_sdk_nor_rich() -> None:
    code = "import sys\nimport scripts.cli\nprint(*sorted({m.split('.')[0] for m in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"pulumi", "pulumi_aws", "pydantic", "grpc", "rich", "yaml", "boto3"} & set(loaded)


def test_the_version_is_that_of_the_package() -> None:
    from importlib.metadata import version

    assert run("--version").stdout == f"gpukit {version('gpukit')}\n"


def test_it_works_from_any_directory(tmp_path: Path) -> None:
    found = run("check", "aws-inference-dev", "--format", "json", cwd=tmp_path)
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout)["ok"] is True


def test_a_reader_that_goes_away_is_no_error() -> None:
    process = subprocess.Popen([*COMMAND, "plan", "aws-training-dev", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(1)
    process.stdout.close()
    complaint = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 0
    assert complaint == b""


def test_ctrl_c_ends_command_and_program_with_130(shop: Path) -> None:
    program(shop, "import pathlib, os, time\npathlib.Path('started').write_text(str(os.getpid()))\ntime.sleep(600)\n")
    process = subprocess.Popen([*COMMAND, "check", "--program", str(shop)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    started = shop / "started"
    deadline = time.monotonic() + 60
    while not (started.is_file() and started.read_text()) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert (out, err) == ("", "")
    with pytest.raises(ProcessLookupError):
        os.kill(int(started.read_text()), 0)


@pytest.mark.failure("A1")
def test_a_raw_program_with_a_fault_is_exit_code_1(shop: Path) -> None:
    found = run("check", "--program", str(program(shop, EFA.format(egress=""))), "--format", "json")
    assert found.returncode == 1, found.stderr
    assert "A1" in {
        failure for f in json.loads(found.stdout)["stacks"][0]["findings"] if f["status"] == "violated" for failure in f["failures"]
    }


@pytest.mark.failure("A1")
def test_its_repaired_twin_has_no_such_finding(shop: Path) -> None:
    egress = 'vpc.SecurityGroupEgressRule("out", security_group_id=group.id, referenced_security_group_id=group.id, ip_protocol="-1")'
    found = run("check", "--program", str(program(shop, EFA.format(egress=egress))), "--format", "json")
    assert found.returncode in {0, 1}, found.stderr
    assert "A1" not in {failure for f in json.loads(found.stdout)["stacks"][0]["findings"] for failure in f["failures"]}


EFA = """
import pulumi, pulumi_aws as aws
from pulumi_aws import ec2, vpc
own = pulumi.ResourceOptions(provider=aws.Provider("aws", region="us-east-1"))
group = ec2.SecurityGroup("efa", vpc_id="vpc-0123")
vpc.SecurityGroupIngressRule("in", security_group_id=group.id, referenced_security_group_id=group.id, ip_protocol="-1")
{egress}
interface = dict(security_groups=[group.id], subnet_id="subnet-0123", delete_on_termination="true")
template = ec2.LaunchTemplate("gpu", instance_type="p4d.24xlarge", network_interfaces=[
    dict(interface, network_card_index=0, device_index=0),
    dict(interface, network_card_index=0, device_index=1, interface_type="efa-only"),
    *(dict(interface, network_card_index=card, device_index=0, interface_type="efa-only") for card in (1, 2, 3)),
], opts=own)
aws.eks.NodeGroup("gpu", cluster_name="main", node_role_arn="arn:aws:iam::123456789012:role/nodes", subnet_ids=["subnet-0123"],
    ami_type="AL2023_x86_64_NVIDIA", launch_template=dict(id=template.id, version="1"),
    scaling_config=dict(min_size=0, desired_size=0, max_size=2), opts=own)
"""


def test_a_programs_own_output_never_reaches_the_json(shop: Path) -> None:
    found = run("check", "--program", str(program(shop, "import pulumi\nprint('{}')\n")), "--format", "json")
    assert json.loads(found.stdout)["ok"] is True


def test_no_output_shows_a_secret(shop: Path) -> None:
    (shop / "Pulumi.dev.yaml").write_text("config:\n  shop:word: {secure: AAABcanary-cipher}\n", encoding="utf-8")
    source = """
        import pulumi
        from pulumi_aws import ec2
        word = pulumi.Output.secret("canary-4711")
        ec2.Instance("box", instance_type="g5.2xlarge", user_data=word, tags={"own": pulumi.Config().require_secret("word")})
        pulumi.log.warn("word: canary-4711")
        print("canary-4711")
        pulumi.export("word", word)
        """
    for extra in ("", "word.apply(lambda w: int(w))"):
        for form in ("text", "json"):
            found = run("check", "--program", str(program(shop, textwrap.dedent(source) + extra)), "--format", form)
            assert found.returncode in {1, 2}
            assert "canary" not in found.stdout + found.stderr


def test_damaged_program_files_are_one_paragraph(shop: Path) -> None:
    (shop / "__main__.py").write_bytes(b"\x00\xff\x00")
    found = run("check", "--program", str(shop))
    assert found.returncode == 2
    assert "Traceback" not in found.stderr
    assert len(found.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(("args", "code"), [(("plan", "aws-inference-dev"), 0), (("plan", "nosuch"), 2)])
def test_closed_outputs_leave_the_exit_code(args: tuple[str, ...], code: int) -> None:
    command = " ".join([*COMMAND, *args])
    closed = subprocess.run(["bash", "-c", f"{command} >&- 2>&-"], check=False, env={**os.environ}, timeout=120)
    assert closed.returncode == code


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a Linux device")
def test_an_answer_that_could_not_be_written_is_no_success() -> None:
    with Path("/dev/full").open("w") as full:
        found = subprocess.run([*COMMAND, "--version"], stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=120)
    assert found.returncode == 2
    assert found.stderr.startswith("gpukit: The output cannot be written (")


def test_the_whole_of_a_long_output_arrives_before_the_process_ends() -> None:
    told = run("plan", "--json")
    assert [stack["name"] for stack in json.loads(told.stdout)["stacks"]] == list(stackfile.stack_names(Path(__file__).parents[2]))
