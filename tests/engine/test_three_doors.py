"""A raw program of another team, judged offline, inside the engine's preview and from the preview's JSON: the same findings in the same words."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.check.sources import from_preview, from_program
from scripts.engine.checkout import Checkout
from scripts.engine.locate import Engine
from scripts.engine.prepare import pack_of, workspace_of
from scripts.engine.session import Session
from scripts.plan.judgement import yardsticks
from scripts.sandbox.client import World
from tests.engine.clouds import ROOT

pytestmark = [pytest.mark.engine]

PROGRAM = """
import json, pulumi, pulumi_kubernetes as kubernetes
from pulumi_aws import ec2, eks
from pulumi_kubernetes.helm.v3 import Release, RepositoryOptsArgs

broken = pulumi.Config().require_bool("broken")
net = ec2.Vpc("net", cidr_block="10.0.0.0/16")
subnet = ec2.Subnet("gpu", vpc_id=net.id, cidr_block="10.0.0.0/20", availability_zone="us-east-1d")
fabric = ec2.SecurityGroup("fabric", vpc_id=net.id,
    ingress=[{"protocol": "-1", "from_port": 0, "to_port": 0, "self": True}],
    egress=[{"protocol": "-1", "from_port": 0, "to_port": 0, **({"cidr_blocks": ["0.0.0.0/0"]} if broken else {"self": True})}])
cluster = eks.Cluster("train", role_arn="arn:aws:iam::123456789012:role/c", version="1.35", vpc_config={"subnet_ids": [subnet.id]})
cards = [{"network_card_index": i, "device_index": (i * 20 if broken else (0 if i == 0 else 1)), "interface_type": "efa",
          "security_groups": [fabric.id]} for i in range(2 if broken else 4)]
template = ec2.LaunchTemplate("gpu", network_interfaces=cards + ([dict(cards[-1])] if broken else []))
eks.NodeGroup("workers", cluster_name=cluster.name, node_role_arn="arn:aws:iam::123456789012:role/n", subnet_ids=[subnet.id],
    instance_types=["p4d.24xlarge"], ami_type="AL2023_x86_64_NVIDIA",
    scaling_config={"min_size": 0, "desired_size": 0, "max_size": 40 if broken else 2},
    update_config={"max_unavailable": 1, "update_strategy": "MINIMAL"},
    launch_template={"id": template.id, "version": template.latest_version})
eks.NodeGroup("new", cluster_name=cluster.name, node_role_arn="arn:aws:iam::123456789012:role/n", subnet_ids=[subnet.id],
    instance_types=["p5e.48xlarge" if broken else "g5.xlarge"], ami_type="AL2023_x86_64_NVIDIA",
    scaling_config={"min_size": 0, "desired_size": 0, "max_size": 1})
def config(endpoint):
    return json.dumps({"apiVersion": "v1", "kind": "Config", "current-context": "c", "users": [{"name": "u", "user": {}}],
        "clusters": [{"name": "c", "cluster": {"server": endpoint}}], "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]})
inside = kubernetes.Provider("inside", kubeconfig=pulumi.Output.secret(cluster.endpoint.apply(config)))
Release("gpu-operator", opts=pulumi.ResourceOptions(provider=inside), name="gpu-operator", chart="gpu-operator", version="v26.7.0", namespace="gpu-operator", timeout=1800,
    repository_opts=RepositoryOptsArgs(repo="https://helm.ngc.nvidia.com/nvidia"),
    values={"driver": {"enabled": broken}, "toolkit": {"enabled": False}})
"""


@pytest.fixture
def project(tmp_path: Path, engine: Engine) -> Iterator[Checkout]:
    root = tmp_path / "theirs"
    (root / "stacks").mkdir(parents=True)
    (root / ".venv").symlink_to(sys.prefix)
    (root / "policies").symlink_to(ROOT / "policies")
    (root / "Pulumi.yaml").write_text(
        "name: theirs\nmain: stacks\nstackConfigDir: stacks\nruntime: {name: python, options: {toolchain: pip, virtualenv: .venv}}\n"
    )
    (root / "stacks" / "__main__.py").write_text(PROGRAM)
    for stack, broken in (("bad", "true"), ("good", "false")):
        (root / "stacks" / f"Pulumi.{stack}.yaml").write_text(f"config:\n  aws:region: us-east-1\n  theirs:broken: {broken}\n")
    try:
        yield Checkout(root)
    finally:
        World.at(root).stop()


def through_the_program(project: Checkout, stack: str) -> set[tuple[str, str]]:
    checked = from_program(project.root, stack, yardsticks(), timeout_s=120)
    assert checked.error is None
    return {(f.rule, f.message) for f in checked.findings}


def through_the_engine(project: Checkout, stack: str) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """Findings of the pack inside `pulumi preview`, and those made from the JSON of a preview without it."""
    workspace = workspace_of(project, "sandbox", lambda _: None)
    session, pack = Session(workspace, stack), pack_of(workspace)
    assert pack is not None
    session.make_unless_there()
    run = session.run(["preview", "--policy-pack", str(pack.directory)], lambda _: None)
    run.follow(lambda _: None, lambda: None)
    said = {tuple(line.split(": ", 1)) for line in (f.message for f in run.report.findings)}
    words = [str(workspace.engine.command), "preview", "--json", "--stack", stack, "--non-interactive"]
    preview = subprocess.run(words, cwd=workspace.directory, env=dict(workspace.environment), capture_output=True, check=False)
    assert preview.returncode == 0, preview.stdout.decode()[-6000:]
    file = project.root / "preview.json"
    file.write_bytes(preview.stdout)
    return {(rule.split(" ")[0], message) for rule, message in said}, {
        (f.rule, f.message) for f in from_preview(file, yardsticks()).findings
    }


@pytest.mark.failure("A1")
@pytest.mark.failure("A2")
@pytest.mark.failure("A3")
@pytest.mark.failure("A5")
@pytest.mark.failure("C1")
@pytest.mark.failure("J8")
def test_what_is_wrong_is_said_in_the_same_words_through_all_three_doors(project: Checkout) -> None:
    offline = through_the_program(project, "bad")
    in_engine, from_json = through_the_engine(project, "bad")
    assert {rule for rule, _ in offline} >= {
        "GPU-EFA-01",
        "GPU-EFA-02",
        "GPU-EFA-03",
        "GPU-EFA-05",
        "GPU-DRV-01",
        "GPU-COST-01",
        "GPU-COST-02",
    }
    assert in_engine == offline
    assert from_json == offline


@pytest.mark.failure("A1")
@pytest.mark.failure("A2")
@pytest.mark.failure("A3")
@pytest.mark.failure("A5")
@pytest.mark.failure("C1")
@pytest.mark.failure("J8")
def test_the_repaired_twin_is_silent_but_for_the_quota_that_nobody_gave(project: Checkout) -> None:
    offline = through_the_program(project, "good")
    assert {rule for rule, _ in offline} == {"GPU-QUOTA-01"}
    in_engine, from_json = through_the_engine(project, "good")
    assert in_engine == offline
    assert from_json == offline
