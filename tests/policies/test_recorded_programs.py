"""Real programs of another team, run by the recorder: the readers see what the SDK registers, through evaluate and through the pack."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pulumi_aws as aws
import pulumi_kubernetes as k8s
import pytest
from pulumi import Input, ResourceOptions
from pulumi_aws import ec2, eks, vpc
from pulumi_kubernetes.helm.v3 import Release

from components.resource import ResourceSet
from policies import Limits, Settings, evaluate
from policies.pack import text
from scripts.plan.recorder import record
from tests.policies import pack_runner
from tests.policies.raw import NOW


@dataclass(frozen=True)
class Wiring:
    """A p5 training cluster with its own idea of structure; each field is one thing to get wrong."""

    egress_to_itself: bool = True
    cards: int = 32
    running_device_index: bool = False
    card_index: bool = True
    operator_driver: bool = False
    image: str = "AL2023_x86_64_NVIDIA"
    maximum: int = 2
    public: bool = False


def program(wiring: Wiring) -> Callable[[], None]:
    def build() -> None:
        mine = ResourceOptions(provider=aws.Provider("ohio", region="us-east-1"))
        network = ec2.Vpc("net", cidr_block="10.0.0.0/16", opts=mine)
        subnet = ec2.Subnet("gpu-a", vpc_id=network.id, cidr_block="10.0.0.0/20", availability_zone="us-east-1a", opts=mine)
        cluster = eks.Cluster("train", role_arn="arn:aws:iam::1:role/c", version="1.35", vpc_config={"subnet_ids": [subnet.id]}, opts=mine)
        fabric = _fabric(wiring, network, mine)
        template = _template(wiring, [fabric.id, cluster.vpc_config.cluster_security_group_id], mine)
        _workers(wiring, cluster, subnet, template, mine)
        _system(cluster, subnet, mine)
        _operator(wiring, cluster)

    return build


def _fabric(wiring: Wiring, network: ec2.Vpc, opts: ResourceOptions) -> ec2.SecurityGroup:
    group = ec2.SecurityGroup("fabric", vpc_id=network.id, opts=opts)
    vpc.SecurityGroupIngressRule("in", security_group_id=group.id, ip_protocol="-1", referenced_security_group_id=group.id, opts=opts)
    vpc.SecurityGroupEgressRule("internet", security_group_id=group.id, ip_protocol="-1", cidr_ipv4="0.0.0.0/0", opts=opts)
    if wiring.egress_to_itself:
        vpc.SecurityGroupEgressRule("out", security_group_id=group.id, ip_protocol="-1", referenced_security_group_id=group.id, opts=opts)
    return group


def _template(wiring: Wiring, groups: Sequence[Input[str]], opts: ResourceOptions) -> ec2.LaunchTemplate:
    interfaces = [
        ec2.LaunchTemplateNetworkInterfaceArgs(
            network_card_index=card if wiring.card_index else None,
            device_index=card if wiring.running_device_index else min(card, 1),
            interface_type="efa",
            security_groups=groups,
            associate_public_ip_address="true" if wiring.public else None,
        )
        for card in range(wiring.cards)
    ]
    root = ec2.LaunchTemplateBlockDeviceMappingEbsArgs(volume_size=500, volume_type="gp3")
    disk = ec2.LaunchTemplateBlockDeviceMappingArgs(device_name="/dev/xvda", ebs=root)
    tags = [ec2.LaunchTemplateTagSpecificationArgs(resource_type=kind, tags={"team": "research"}) for kind in ("instance", "volume")]
    return ec2.LaunchTemplate("p5", network_interfaces=interfaces, block_device_mappings=[disk], tag_specifications=tags, opts=opts)


def _system(cluster: eks.Cluster, subnet: ec2.Subnet, opts: ResourceOptions) -> None:
    sizes = {"min_size": 2, "max_size": 2, "desired_size": 2}
    eks.NodeGroup(
        "system",
        cluster_name=cluster.name,
        node_role_arn="arn:aws:iam::1:role/n",
        subnet_ids=[subnet.id],
        instance_types=["m7i.large"],
        ami_type="AL2023_x86_64_STANDARD",
        scaling_config=sizes,
        opts=opts,
    )


def _workers(wiring: Wiring, cluster: eks.Cluster, subnet: ec2.Subnet, template: ec2.LaunchTemplate, opts: ResourceOptions) -> None:
    eks.NodeGroup(
        "workers",
        cluster_name=cluster.name,
        node_role_arn="arn:aws:iam::1:role/n",
        subnet_ids=[subnet.id],
        instance_types=["p5.48xlarge"],
        ami_type=wiring.image,
        scaling_config={"min_size": 0, "max_size": wiring.maximum, "desired_size": 0},
        launch_template={"id": template.id, "version": template.latest_version.apply(str)},
        opts=ResourceOptions.merge(opts, ResourceOptions(ignore_changes=["scalingConfig"])),
    )


def _operator(wiring: Wiring, cluster: eks.Cluster) -> None:
    kubeconfig = cluster.endpoint.apply(lambda endpoint: f"server: {endpoint}")
    Release(
        "operator",
        chart="gpu-operator",
        values={"driver": {"enabled": wiring.operator_driver}, "toolkit": {"enabled": False}},
        opts=ResourceOptions(provider=k8s.Provider("in-cluster", kubeconfig=kubeconfig), deleted_with=cluster),
    )


def resources(wiring: Wiring, directory: Path) -> ResourceSet:
    recorded = record(program(wiring), project="research", stack="dev", config={}, directory=directory)
    assert recorded.error is None
    return recorded.resources


SETTINGS = Settings(now=NOW, limits=Limits.load())


def failing(wiring: Wiring, directory: Path) -> set[str]:
    """Rules that fail, by both doors."""
    registered = resources(wiring, directory)
    findings = evaluate(registered, SETTINGS)
    said = sorted((d.level, d.urn, d.message) for d in pack_runner.judge_here(registered))
    assert said == sorted(("mandatory" if f.fails else "advisory", f.urn, text(f)) for f in findings)
    return {f.rule for f in findings if f.fails}


@pytest.mark.parametrize(
    ("wiring", "rules"),
    [
        pytest.param(Wiring(egress_to_itself=False), {"GPU-EFA-01"}, marks=pytest.mark.failure("A1")),
        pytest.param(Wiring(running_device_index=True), {"GPU-EFA-02"}, marks=pytest.mark.failure("A2")),
        pytest.param(Wiring(card_index=False), {"GPU-EFA-03"}, marks=pytest.mark.failure("A3")),
        pytest.param(Wiring(cards=33), {"GPU-EFA-04", "GPU-EFA-05"}, marks=pytest.mark.failure("A5")),
        pytest.param(Wiring(public=True), {"GPU-EFA-06"}, marks=pytest.mark.failure("A7")),
        pytest.param(Wiring(operator_driver=True), {"GPU-DRV-01"}, marks=pytest.mark.failure("C1")),
        pytest.param(Wiring(image="AL2023_x86_64_STANDARD"), {"GPU-DRV-01"}, marks=pytest.mark.failure("C3")),
        pytest.param(Wiring(maximum=40), {"GPU-COST-01"}, marks=pytest.mark.failure("J8")),
    ],
)
def test_a_real_program_with_one_fault_fails_by_its_rule(wiring: Wiring, rules: set[str], tmp_path: Path) -> None:
    assert failing(wiring, tmp_path) == rules


@pytest.mark.failure("A1")
@pytest.mark.failure("A2")
@pytest.mark.failure("A3")
@pytest.mark.failure("A5")
@pytest.mark.failure("A7")
@pytest.mark.failure("C1")
@pytest.mark.failure("C3")
@pytest.mark.failure("J8")
def test_the_same_program_without_a_fault_passes(tmp_path: Path) -> None:
    assert failing(Wiring(), tmp_path) == set()
