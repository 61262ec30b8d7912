"""Secrets where rules read, in a raw program under the real engine with the pack inside: in nothing that anybody reads afterwards."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.check.model import Report
from scripts.check.printing import ENDINGS, text_of
from scripts.check.sources import from_preview, from_program, from_state
from scripts.engine.locate import Engine
from scripts.engine.prepare import pack_of
from scripts.plan.judgement import yardsticks
from scripts.plan.model import StackPlan
from scripts.sandbox.client import World
from tests.engine.raw_program import InTheEngine, project_of

pytestmark = [pytest.mark.engine, pytest.mark.long]

CANARY = re.compile("canary-[a-z]+|Y2FuYXJ5")
"""The second is how it begins in base64, as user data and Kubernetes Secrets hold it."""
PROGRAM = """
import base64, json, pulumi, pulumi_kubernetes as kubernetes
from pulumi_aws import ec2, eks, iam, rds, ssm
from pulumi_kubernetes.helm.v3 import Release, RepositoryOptsArgs

def hidden(name):
    return pulumi.Output.secret("canary-" + name)
def encoded(text):
    return hidden(text).apply(lambda t: base64.b64encode(t.encode()).decode())
net = ec2.Vpc("net", cidr_block="10.0.0.0/16", tags={"owner": hidden("owner"), "expires": hidden("expiry")})
subnets = [ec2.Subnet(zone, vpc_id=net.id, cidr_block=f"10.0.{16 * i}.0/20", availability_zone=f"us-east-1{zone}", tags={"team": hidden("team")})
    for i, zone in enumerate("ad")]
ec2.SecurityGroup("open", vpc_id=net.id, description=hidden("description"),
    ingress=[{"protocol": "tcp", "from_port": 22, "to_port": 22, "cidr_blocks": ["0.0.0.0/0"], "description": hidden("ingress")}])
def role(name, service):
    trust = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": service}}
    return iam.Role(name, assume_role_policy=json.dumps({"Version": "2012-10-17", "Statement": [trust]}))
cluster = eks.Cluster("train", role_arn=role("control", "eks.amazonaws.com").arn, version="1.35",
    vpc_config={"subnet_ids": [s.id for s in subnets], "endpoint_public_access": True, "public_access_cidrs": ["0.0.0.0/0"]},
    tags={"owner": hidden("clusterowner")})
template = ec2.LaunchTemplate("gpu", user_data=encoded("userdata"), tags={"owner": hidden("templateowner")},
    block_device_mappings=[{"device_name": "/dev/xvda", "ebs": {"volume_size": 500, "volume_type": "gp3"}}],
    tag_specifications=[{"resource_type": "instance", "tags": {"owner": hidden("instanceowner")}}])
eks.NodeGroup("workers", cluster_name=cluster.name, node_role_arn=role("nodes", "ec2.amazonaws.com").arn, subnet_ids=[s.id for s in subnets],
    instance_types=["p4d.24xlarge"], ami_type="AL2023_x86_64_NVIDIA", labels={"team": hidden("label")},
    scaling_config={"min_size": 0, "desired_size": 0, "max_size": 40},
    launch_template={"id": template.id, "version": template.latest_version.apply(str)})
rds.Instance("metadata", instance_class="db.t4g.micro", engine="postgres", username="app", password=hidden("password"), tags={"owner": hidden("dbowner")})
ssm.Parameter("token", type="SecureString", value=hidden("parameter"))
ec2.Instance("bench", instance_type="g5.xlarge", ami="ami-0123456789abcdef0", subnet_id=subnets[1].id,
    user_data=hidden("startup"), tags={"owner": hidden("benchowner"), "Name": hidden("benchname")})
config = cluster.endpoint.apply(lambda endpoint: json.dumps({"apiVersion": "v1", "kind": "Config", "current-context": "c",
    "users": [{"name": "u", "user": {"token": "canary-kubeconfig"}}], "clusters": [{"name": "c", "cluster": {"server": endpoint}}],
    "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}))
inside = pulumi.ResourceOptions(provider=kubernetes.Provider("inside", kubeconfig=pulumi.Output.secret(config), cluster_identifier=cluster.endpoint))
Release("gpu-operator", opts=inside, name="gpu-operator", chart="gpu-operator", version="v26.7.0", namespace="gpu-operator",
    create_namespace=True, repository_opts=RepositoryOptsArgs(repo="https://helm.ngc.nvidia.com/nvidia", password=hidden("repository")),
    values={"driver": {"enabled": True, "env": [{"name": "TOKEN", "value": hidden("values")}], "version": hidden("driver")}})
kubernetes.core.v1.Secret("token", opts=inside, metadata={"name": "token", "namespace": "default"}, string_data={"hub": hidden("secret")})
container = {"name": "server", "image": hidden("image"), "resources": {"limits": {"nvidia.com/gpu": "1"}},
    "env": [{"name": "HF_TOKEN", "value": hidden("environment")}], "args": [hidden("argument")]}
kubernetes.apps.v1.Deployment("serve", opts=inside, metadata={"name": "serve", "namespace": "default", "annotations": {"a": hidden("annotation")}},
    spec={"replicas": 1, "selector": {"match_labels": {"app": "serve"}}, "template": {"metadata": {"labels": {"app": "serve"}},
        "spec": {"containers": [container], "node_selector": {"pool": hidden("selector")}}}})
pulumi.export("password", hidden("output"))
pulumi.export("kubeconfig", pulumi.Output.secret(config))
"""


@pytest.fixture
def theirs(tmp_path: Path, engine: Engine) -> Iterator[InTheEngine]:
    project = project_of(tmp_path / "theirs", PROGRAM, {"dev": "aws:region: us-east-1"})
    try:
        yield InTheEngine(project, "dev")
    finally:
        World.at(project.root).stop()


def reported(checked: StackPlan) -> str:
    assert checked.error is None
    assert checked.findings
    return "\n".join(text_of(format_, Report(checked=(checked,))) for format_ in ENDINGS.values())


def leaks(text: str | bytes) -> set[str]:
    return set(CANARY.findall(text if isinstance(text, str) else text.decode(errors="replace")))


def test_a_secret_is_in_no_output_no_finding_no_plan_and_no_plain_state(theirs: InTheEngine) -> None:
    pack = pack_of(theirs.workspace)
    assert pack is not None
    plan, written = theirs.root / "plan.json", theirs.root / "written.json"

    judged, before = theirs.run("preview", "--policy-pack", str(pack.directory), "--diff")
    assert any(finding.mandatory for finding in before.findings), "no rule looked at it"
    planned, _ = theirs.run("preview", "--save-plan", str(plan))
    up, made = theirs.run("up", "--yes", "--skip-preview", "--diff")
    assert up.code == 0, up.text[-4000:]
    again, after = theirs.run("preview", "--policy-pack", str(pack.directory), "--refresh", "--diff")
    assert leaks(judged.text + planned.text + up.text + again.text) == set()
    assert leaks(repr([(report.findings, report.errors, report.outputs) for report in (before, made, after)])) == set()
    assert leaks(plan.read_bytes()) == set()

    theirs.write(written, "stack", "export")
    assert leaks(written.read_bytes() + reported(from_state(written, yardsticks())).encode()) == set()
    theirs.write(written, "preview", "--json", "--show-sames")
    assert leaks(written.read_bytes() + reported(from_preview(written, yardsticks())).encode()) == set()
    assert leaks(reported(from_program(theirs.root, "dev", yardsticks(), timeout_s=120))) == set()

    assert theirs.session.state() is not None, "the state is kept elsewhere"
    kept = [file for file in theirs.workspace.checkout.sandbox.rglob("*") if file.is_file() and "project" not in file.parts]
    assert {file.name for file in kept if leaks(file.read_bytes())} == set(), "in the engine's state or the simulated cloud's journal"
