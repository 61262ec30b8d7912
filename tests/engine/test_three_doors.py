"""A raw program of another team, judged offline, inside the engine and from the engine's JSON: the same findings in the same words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from scripts.engine.checkout import Checkout
from scripts.engine.locate import Engine
from scripts.sandbox.client import World
from tests.engine.raw_program import InTheEngine, project_of, through_the_program

pytestmark = [pytest.mark.engine]

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


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, engine: Engine) -> Iterator[Checkout]:
    config = {stack: f"aws:region: us-east-1\ntheirs:broken: {broken}" for stack, broken in (("bad", "true"), ("good", "false"))}
    made = project_of(tmp_path_factory.mktemp("doors") / "theirs", PROGRAM, config)
    try:
        yield made
    finally:
        World.at(made.root).stop()


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


@pytest.mark.long
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
    assert engine.by_the_pack() == wrong
    previewed = engine.from_its_preview()
    assert wrong < previewed
    assert {rule for rule, _ in previewed - wrong} == {"GPU-KEEP-02"}, "only a preview tells what is made anew"
