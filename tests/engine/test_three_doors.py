"""A raw program of another team, judged offline, inside the engine and from the engine's JSON: the same findings in the same words."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.check.sources import from_preview, from_program, from_state
from scripts.engine.checkout import Checkout
from scripts.engine.events import Report
from scripts.engine.locate import Engine
from scripts.engine.prepare import pack_of, workspace_of
from scripts.engine.process import Ended
from scripts.engine.session import Session
from scripts.plan.judgement import yardsticks
from scripts.plan.model import StackPlan
from scripts.sandbox.client import World
from tests.engine.clouds import ROOT

pytestmark = [pytest.mark.engine]

Found = set[tuple[str, str]]
"""Findings as rule and message."""

OUTPUTS = "GPU-ACCESS-03"
"""A preview tells of no outputs of the stack, neither to policies nor in its JSON: the program and the state do."""
PROGRAM = '''
import base64, json, pulumi, pulumi_kubernetes as kubernetes
from pulumi_aws import ec2, eks, iam
from pulumi_kubernetes.helm.v3 import Release, RepositoryOptsArgs

broken = pulumi.Config().require_bool("broken")
net = ec2.Vpc("net", cidr_block="10.0.0.0/16")
subnet = ec2.Subnet("gpu", vpc_id=net.id, cidr_block="10.0.0.0/20", availability_zone="us-east-1d")
other = ec2.Subnet("other", vpc_id=net.id, cidr_block="10.0.16.0/20", availability_zone="us-east-1a")
fabric = ec2.SecurityGroup("fabric", vpc_id=net.id,
    ingress=[{"protocol": "-1", "from_port": 0, "to_port": 0, "self": True}],
    egress=[{"protocol": "-1", "from_port": 0, "to_port": 0, **({"cidr_blocks": ["0.0.0.0/0"]} if broken else {"self": True})}])
def role(name, service):
    trust = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": service}}
    return iam.Role(name, assume_role_policy=json.dumps({"Version": "2012-10-17", "Statement": [trust]}))
nodes = role("nodes", "ec2.amazonaws.com")
cluster = eks.Cluster("train", role_arn=role("control", "eks.amazonaws.com").arn, version="1.35", vpc_config={"subnet_ids": [subnet.id, other.id]},
    tags={"owner": "research", "expires": "2099-12-31"})
cards = [{"network_card_index": i, "device_index": (i * 20 if broken else (0 if i == 0 else 1)), "interface_type": "efa",
          "security_groups": [fabric.id]} for i in range(2 if broken else 4)]
owned = {"owner": "research"}
mine = {
    "block_device_mappings": [{"device_name": "/dev/xvda", "ebs": {"volume_size": 500, "volume_type": "gp3", "encrypted": "true"}}],
    "tag_specifications": [{"resource_type": kind, "tags": owned} for kind in ("instance", "volume", "network-interface")],
    "metadata_options": {"http_tokens": "required", "http_put_response_hop_limit": 2},
    "user_data": base64.b64encode(b"""MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="//"

--//
Content-Type: application/node.eks.aws

apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec: {instance: {localStorage: {strategy: RAID0}}}
--//--
""").decode(),
}
def started_from(template):
    return {"id": template.id, "version": template.latest_version.apply(str)}
the_autoscalers = pulumi.ResourceOptions(ignore_changes=["scalingConfig.desiredSize"])
eks.NodeGroup("system", cluster_name=cluster.name, node_role_arn=nodes.arn, subnet_ids=[subnet.id, other.id],
    instance_types=["m7i.large"], ami_type="AL2023_x86_64_STANDARD", scaling_config={"min_size": 2, "desired_size": 2, "max_size": 4},
    launch_template=started_from(ec2.LaunchTemplate("system", **{k: v for k, v in mine.items() if k != "user_data"})), opts=the_autoscalers)
template = ec2.LaunchTemplate("gpu", network_interfaces=cards + ([dict(cards[-1])] if broken else []), **mine)
eks.NodeGroup("workers", cluster_name=cluster.name, node_role_arn=nodes.arn, subnet_ids=[subnet.id],
    instance_types=["p4d.24xlarge"], ami_type="AL2023_x86_64_NVIDIA",
    scaling_config={"min_size": 0, "desired_size": 0, "max_size": 40 if broken else 2},
    update_config={"max_unavailable": 1, "update_strategy": "MINIMAL"},
    launch_template=started_from(template), opts=the_autoscalers)
eks.NodeGroup("new", cluster_name=cluster.name, node_role_arn=nodes.arn, subnet_ids=[subnet.id],
    instance_types=["p5e.48xlarge" if broken else "g5.xlarge"], ami_type="AL2023_x86_64_NVIDIA",
    scaling_config={"min_size": 0, "desired_size": 0, "max_size": 1},
    launch_template=started_from(ec2.LaunchTemplate("new", **mine)), opts=the_autoscalers)
def config(endpoint):
    return json.dumps({"apiVersion": "v1", "kind": "Config", "current-context": "c", "users": [{"name": "u", "user": {}}],
        "clusters": [{"name": "c", "cluster": {"server": endpoint}}], "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]})
kept = cluster.endpoint.apply(config)
pulumi.export("kubeconfig", kept if broken else pulumi.Output.secret(kept))
inside = kubernetes.Provider("inside", kubeconfig=pulumi.Output.secret(cluster.endpoint.apply(config)), cluster_identifier=cluster.endpoint)
Release("gpu-operator", opts=pulumi.ResourceOptions(provider=inside, deleted_with=cluster), name="gpu-operator", chart="gpu-operator", version="v26.7.0", namespace="gpu-operator", create_namespace=True, timeout=1800,
    repository_opts=RepositoryOptsArgs(repo="https://helm.ngc.nvidia.com/nvidia"),
    values={"driver": {"enabled": broken}, "toolkit": {"enabled": False}})
'''


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


def found(checked: StackPlan) -> Found:
    assert checked.error is None
    return {(f.rule, f.message) for f in checked.findings}


def through_the_program(project: Checkout, stack: str) -> Found:
    return found(from_program(project.root, stack, yardsticks(), timeout_s=120))


class InTheEngine:
    """A stack in the simulated cloud, with what is said about it inside the engine and from the engine's JSON."""

    def __init__(self, project: Checkout, stack: str) -> None:
        self.root, self.stack = project.root, stack
        self.workspace = workspace_of(project, "sandbox", lambda _: None)
        self.session = Session(self.workspace, stack)
        self.session.make_unless_there()

    def make(self) -> None:
        ended, _ = self._run("up", "--yes", "--skip-preview")
        assert ended.code == 0, ended.text[-6000:]

    def set(self, key: str, value: str) -> None:
        assert self._words("config", "set", key, value).returncode == 0

    def by_the_pack(self) -> Found:
        pack = pack_of(self.workspace)
        assert pack is not None
        _, report = self._run("preview", "--policy-pack", str(pack.directory))
        said = [finding.message.split(": ", 1) for finding in report.findings]
        return {(rule.split(" ")[0], message) for rule, message in said}

    def from_its_preview(self) -> Found:
        return found(from_preview(self._file("preview", "--json", "--show-sames"), yardsticks()))

    def from_its_state(self) -> Found:
        return found(from_state(self._file("stack", "export"), yardsticks()))

    def _run(self, *words: str) -> tuple[Ended, Report]:
        run = self.session.run(list(words), lambda _: None)
        return run.follow(lambda _: None, lambda: None), run.report

    def _file(self, *words: str) -> Path:
        ended = self._words(*words)
        assert ended.returncode == 0, ended.stdout.decode()[-6000:]
        file = self.root / "engine.json"
        file.write_bytes(ended.stdout)
        return file

    def _words(self, *words: str) -> subprocess.CompletedProcess[bytes]:
        command = [str(self.workspace.engine.command), *words, "--stack", self.stack, "--non-interactive"]
        return subprocess.run(command, cwd=self.workspace.directory, env=dict(self.workspace.environment), capture_output=True, check=False)


@pytest.mark.failure("A1")
@pytest.mark.failure("A2")
@pytest.mark.failure("A3")
@pytest.mark.failure("A5")
@pytest.mark.failure("C1")
@pytest.mark.failure("J8")
def test_what_is_wrong_is_said_in_the_same_words_through_all_three_doors(project: Checkout) -> None:
    offline = through_the_program(project, "bad")
    engine = InTheEngine(project, "bad")
    assert {rule for rule, _ in offline} >= {
        "GPU-EFA-01",
        "GPU-EFA-02",
        "GPU-EFA-03",
        "GPU-EFA-05",
        "GPU-DRV-01",
        "GPU-COST-01",
        "GPU-COST-02",
        OUTPUTS,
    }
    told = {(rule, message) for rule, message in offline if rule != OUTPUTS}
    assert engine.by_the_pack() == told
    assert engine.from_its_preview() == told


@pytest.mark.failure("A1")
@pytest.mark.failure("A2")
@pytest.mark.failure("A3")
@pytest.mark.failure("A5")
@pytest.mark.failure("C1")
@pytest.mark.failure("J8")
def test_the_repaired_twin_is_silent_but_for_the_quota_that_nobody_gave(project: Checkout) -> None:
    offline = through_the_program(project, "good")
    assert {rule for rule, _ in offline} == {"GPU-QUOTA-01"}
    engine = InTheEngine(project, "good")
    assert engine.by_the_pack() == offline
    assert engine.from_its_preview() == offline


@pytest.mark.failure("A1")
@pytest.mark.failure("J8")
def test_a_deployed_stack_is_judged_alike_unchanged_and_with_a_change_that_breaks_it(project: Checkout) -> None:
    offline = through_the_program(project, "good")
    engine = InTheEngine(project, "good")
    engine.make()
    assert engine.by_the_pack() == engine.from_its_preview() == engine.from_its_state() == offline
    engine.set("theirs:broken", "true")
    assert {rule for rule, _ in offline} < {rule for rule, _ in engine.by_the_pack()}
    wrong = {(rule, message) for rule, message in through_the_program(project, "bad") if rule != OUTPUTS}
    assert engine.from_its_preview() == engine.by_the_pack() == wrong
