"""Whole teardowns on the simulated AWS, through boto3 and the Kubernetes client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from scripts.errors import Exit, Refused
from scripts.sandbox.kinds.aws import tokens as t
from scripts.teardown import kinds as k
from scripts.teardown.verifying import Ending
from tests.killed import Killed
from tests.sandbox.cloud import REGION
from tests.teardown import objects as o
from tests.teardown.lab import Lab, identity

DATA_KEPT = {k.BUCKET, k.FILES, k.VOLUME}


def settled(lab: Lab) -> None:
    """Controllers act when the world is next looked at, each on what the one before it left."""
    for _ in range(4):
        lab.boto("eks").list_clusters()


def difficult(lab: Lab) -> None:
    """Everything at once that people have lost hours to."""
    lab.cluster()
    for name in ("aws-load-balancer-controller", "karpenter", "ebs-csi-controller", "cluster-autoscaler"):
        lab.install(name)
    for body in (
        o.service("web", loadBalancerClass="service.k8s.aws/nlb"),
        o.service("old"),
        o.ingress(),
        o.storage_class(),
        o.storage_class("keep", "Retain"),
        o.stateful_set(),
        o.stateful_set("vault", "keep", 1),
        o.node_pool(),
        o.node_claim(),
        o.budget(),
    ):
        lab.put(body)
    settled(lab)
    node = next(r for r in lab.cloud.world.store if r.kind.endswith(":NodeClaim")).state["status"]["nodeName"]
    lab.put(o.pod(node=node))


def ended(lab: Lab, said: list[str] | None = None, **choices: Any) -> Ending:
    made = lab.teardown(said=said, **choices)
    return made.act(made.plan())


@pytest.mark.failure("K1")
@pytest.mark.failure("K3")
@pytest.mark.failure("K4")
@pytest.mark.failure("K7")
def test_a_difficult_cluster_ends_in_order_and_leaves_only_what_its_claims_retain(lab: Lab) -> None:
    difficult(lab)
    said: list[str] = []
    ending = ended(lab, said)
    assert (ending.exit, ending.residue) == (Exit.FINE, ())
    assert [(thing.kind, thing.kept) for thing in ending.kept] == [(k.VOLUME, "its claim's policy is Retain (data-vault-0)")]
    assert {r.kind for r in lab.cloud.world.store if r.status != "terminated"} == {t.VOLUME}

    done = [each.step for each in ending.done if each.touched]
    assert done == [
        *("gpu-pools", "re-creators", "balancers", "claims", "budgets", "karpenter", "pools", "cluster", "network", "sweep"),
    ]
    assert all(not each.left for each in ending.done)
    assert said[0].startswith("1/")
    assert "about 8.00 USD a month" in ending.text()


def test_a_dry_run_names_every_step_and_touches_nothing(lab: Lab) -> None:
    difficult(lab)
    before = {r.ref: r.state for r in lab.cloud.world.store}
    plan = lab.teardown().plan()
    assert {r.ref: r.state for r in lab.cloud.world.store} == before
    assert not lab.teardown().journal.path.exists()
    touched = {planned.step.id: {thing.kind for thing in planned.things} for planned in plan.steps}
    assert touched["balancers"] == {"Service", "Ingress", k.BALANCER, k.TARGETS}
    assert touched["karpenter"] == {"NodeClaim.karpenter.sh", k.INSTANCE}
    assert plan.as_json()["monthly_usd"] > 1000


def test_foreign_things_with_look_alike_names_and_tags_survive(lab: Lab) -> None:
    lab.cluster()
    lab.cluster("lab-2")
    lab.install("aws-load-balancer-controller", "lab-2")
    lab.put(o.service("web", loadBalancerClass="service.k8s.aws/nlb"), "lab-2")
    settled(lab)
    network = lab.cloud.now(lab.cloud.all(t.CLUSTER)[0]).state["vpcConfig"]["vpcId"]
    foreign = [
        lab.cloud.make(t.LOG_GROUP, name="/aws/eks/lab/cluster-audit"),
        lab.cloud.make(t.ROLE, name="lab-operators", assumeRolePolicy='{"Version": "2012-10-17", "Statement": []}'),
        lab.cloud.make(t.SECURITY_GROUP, name="lab-nodes", vpcId=lab.cloud.vpc(cidrBlock="10.9.0.0/16").id),
        lab.cloud.make(t.KEY, tags={"Name": "lab"}),
        lab.cloud.make(t.BUCKET, bucket="lab"),
        lab.cloud.make(t.EIP, tags={**identity("lab", stack="someone-else")}, domain="vpc"),
        lab.cloud.make(t.PLACEMENT_GROUP, name="lab-gpu", strategy="cluster", tags={"kubernetes.io/cluster/lab": "shared"}),
    ]
    theirs = {r.ref for r in lab.cloud.world.store if "lab-2" in r.tags.values() or r.id.startswith("lab-2")}
    assert network
    assert ended(lab).exit is Exit.FINE
    left = {r.ref for r in lab.cloud.world.store if r.status != "terminated"}
    assert {r.ref for r in foreign} <= left
    assert theirs <= left
    assert lab.left(t.CLUSTER) == ["lab-2"]
    assert len(lab.left(t.LOAD_BALANCER)) == 1


@pytest.mark.failure("K2")
def test_a_load_balancer_whose_controller_is_gone_is_deleted_in_the_cloud(lab: Lab) -> None:
    lab.cluster()
    lab.install("aws-load-balancer-controller")
    lab.put(o.ingress())
    settled(lab)
    (deployment,) = [r for r in lab.cloud.world.store if r.kind.endswith(":Deployment")]
    with lab.cloud.world.store.transaction():
        lab.cloud.world.store.drop(deployment)

    made = lab.teardown()
    plan = made.plan()
    assert any("ingress.k8s.aws/resources" in warning and "no controller" in warning for warning in plan.preflight.warnings)
    ending = made.act(plan)
    assert ending.exit is Exit.FINE
    steps = {each.step: each for each in ending.done}
    assert "Ingress default/front (front)" in [thing.label for thing in steps["balancers"].left]
    assert [thing.kind for thing in steps["balancers-left"].touched] == [k.BALANCER, k.TARGETS]


@pytest.mark.failure("K9")
def test_an_object_with_a_finalizer_that_nobody_serves_is_left_or_freed_on_request(lab: Lab) -> None:
    lab.cluster()
    lab.put(o.custom("nvidia.com/v1", "ClusterPolicy", "policy", finalizers=("nvidia.com/cleanup",)))
    waited = lab.teardown()
    plan = waited.plan()
    assert any("nvidia.com/cleanup" in warning for warning in plan.preflight.warnings)
    freed = lab.teardown(strip_finalizers=True)
    ending = freed.act(freed.plan())
    steps = {each.step: each for each in ending.done}
    assert [thing.id for thing in steps["operators"].left] == ["policy"]
    assert [thing.id for thing in steps["finalizers"].touched] == ["policy"]
    assert not steps["finalizers"].left
    assert ending.exit is Exit.FINE


@pytest.mark.failure("K5")
def test_interfaces_that_were_left_behind_do_not_hold_the_network(lab: Lab) -> None:
    cluster = lab.cluster()
    subnet = cluster.state["vpcConfig"]["subnetIds"][0]
    group = cluster.state["vpcConfig"]["clusterSecurityGroupId"]
    tags = [{"Key": "cluster.k8s.amazonaws.com/name", "Value": "lab"}]
    specified = [{"ResourceType": "network-interface", "Tags": tags}]
    lab.boto("ec2").create_network_interface(
        SubnetId=subnet, Groups=[group], Description="aws-K8S-i-0123456789abcdef0", TagSpecifications=specified
    )
    ending = ended(lab)
    assert ending.exit is Exit.FINE
    assert [each.step for each in ending.done if each.touched][-3:] == ["interfaces", "network", "sweep"]
    assert not lab.left(t.VPC)


def test_an_interface_of_someone_else_in_the_network_stays_and_what_it_holds_is_listed(lab: Lab) -> None:
    cluster = lab.cluster()
    made = lab.boto("ec2").create_network_interface(SubnetId=cluster.state["vpcConfig"]["subnetIds"][0], Description="database")
    ending = ended(lab)
    assert ending.exit is Exit.NO
    assert {thing.kind for thing in ending.residue} == {k.SUBNET, k.NETWORK}
    assert lab.left(t.NETWORK_INTERFACE) == [made["NetworkInterface"]["NetworkInterfaceId"]]
    network = next(each for each in ending.done if each.step == "network")
    assert "DependencyViolation" in network.why
    assert f"held by {made['NetworkInterface']['NetworkInterfaceId']} (database)" in network.why, "AWS says that, and not by what"


@pytest.mark.failure("K5")
def test_security_groups_that_name_each_other_do_not_hold_each_other_for_ever(lab: Lab) -> None:
    vpc = lab.cloud.now(lab.cluster()).state["vpcConfig"]["vpcId"]
    one, other = (lab.cloud.make(t.SECURITY_GROUP, tags=identity("lab"), name=name, vpcId=vpc) for name in ("front", "back"))
    for group, peer in ((one, other), (other, one)):
        lab.cloud.make(t.INGRESS_RULE, securityGroupId=group.id, referencedSecurityGroupId=peer.id, ipProtocol="-1")
        lab.cloud.make(t.EGRESS_RULE, securityGroupId=group.id, referencedSecurityGroupId=peer.id, ipProtocol="-1")
    assert ended(lab).exit is Exit.FINE
    assert not lab.left(t.SECURITY_GROUP)


@pytest.mark.failure("K5")
def test_a_group_that_another_team_s_rule_names_stays_and_so_does_that_rule(lab: Lab) -> None:
    vpc = lab.cloud.now(lab.cluster()).state["vpcConfig"]["vpcId"]
    ours = lab.cloud.make(t.SECURITY_GROUP, tags=identity("lab"), name="ours", vpcId=vpc)
    theirs = lab.cloud.make(t.SECURITY_GROUP, name="theirs", vpcId=vpc)
    rule = lab.cloud.make(t.INGRESS_RULE, securityGroupId=theirs.id, referencedSecurityGroupId=ours.id, ipProtocol="-1")
    ending = ended(lab)
    assert ending.exit is Exit.NO
    assert {thing.id for thing in ending.residue} >= {ours.id}
    assert lab.left(t.INGRESS_RULE) == [rule.id]


def test_a_network_that_was_there_before_survives_whatever_was_tagged_for_the_cluster_s_use(lab: Lab) -> None:
    """Installers and guides tag subnets `owned` as often as `shared`; no controller ever makes one."""
    lab.cluster()
    theirs = {"kubernetes.io/cluster/lab": "owned", "eks:cluster-name": "lab"}
    vpc = lab.cloud.make(t.VPC, tags=theirs, cidrBlock="10.8.0.0/16")
    subnet = lab.cloud.make(t.SUBNET, tags=theirs, vpcId=vpc.id, cidrBlock="10.8.0.0/20", availabilityZone=f"{REGION}a")
    address = lab.cloud.make(t.EIP, tags=theirs, domain="vpc")
    assert ended(lab).exit is Exit.FINE
    assert (lab.left(t.VPC), lab.left(t.SUBNET), lab.left(t.EIP)) == ([vpc.id], [subnet.id], [address.id])


@pytest.mark.failure("K4")
def test_the_queue_and_rules_that_karpenter_listens_by_end_with_its_cluster(lab: Lab) -> None:
    lab.cluster()
    for name in ("lab", "lab-2"):
        owned = {f"kubernetes.io/cluster/{name}": "owned"}
        queue = lab.cloud.make(t.QUEUE, tags=owned, name=f"{name}-interruption")
        rule = lab.cloud.make(t.EVENT_RULE, tags=owned, name=f"{name}-spot", eventPattern='{"source": ["aws.ec2"]}')
        lab.cloud.make(t.EVENT_TARGET, rule=rule.id, targetId="queue", arn=queue.state["arn"])
    assert ended(lab).exit is Exit.FINE
    assert [each.rpartition("/")[2] for each in lab.left(t.QUEUE)] == ["lab-2-interruption"]
    assert (lab.left(t.EVENT_RULE), lab.left(t.EVENT_TARGET)) == (["lab-2-spot"], ["lab-2-spot-queue"])


@pytest.mark.failure("K4")
def test_karpenter_s_launch_templates_of_this_cluster_alone_end(lab: Lab) -> None:
    lab.cluster()
    _, other = (lab.cloud.make(t.LAUNCH_TEMPLATE, tags={"karpenter.k8s.aws/cluster": name}, name=f"of-{name}") for name in ("lab", "lab-2"))
    assert ended(lab).exit is Exit.FINE
    assert lab.left(t.LAUNCH_TEMPLATE) == [other.id]


@pytest.mark.failure("K11")
def test_a_protected_cluster_is_refused_before_its_pools_are_touched(lab: Lab) -> None:
    lab.cluster(deletionProtection=True)
    made = lab.teardown()
    plan = made.plan()
    with pytest.raises(Refused, match="protected against deletion"):
        made.act(plan)
    assert len(lab.cloud.running()) == 2
    assert not made.journal.path.exists()


@pytest.mark.failure("H6")
def test_an_api_server_that_does_not_answer_is_refused_unless_a_person_says_so(lab: Lab) -> None:
    difficult(lab)
    lab.cloud.world.faults.add("api_unreachable", {"cluster": "lab"})
    made = lab.teardown()
    with pytest.raises(Refused, match="--without-api"):
        made.act(made.plan())
    ending = ended(lab, without_api=True)
    assert ending.exit is Exit.FINE
    kept = {thing.name: thing.kept for thing in ending.kept}
    assert set(kept) == {"data-store-0", "data-store-1", "data-vault-0"}
    assert all("policy nobody could ask for" in why for why in kept.values())
    assert not lab.left(t.CLUSTER)
    assert not lab.left(t.LOAD_BALANCER)
    assert not lab.cloud.running()


@pytest.mark.failure("H12")
@pytest.mark.failure("K10")
def test_what_outlived_its_cluster_is_found_by_its_tags(lab: Lab) -> None:
    difficult(lab)
    cloud = lab.boto("eks")
    for name in ("lab-gpu", "lab-system"):
        cloud.delete_nodegroup(clusterName="lab", nodegroupName=name)
    cloud.delete_cluster(name="lab")
    assert len(lab.cloud.running()) == 1
    plan = lab.teardown().plan()
    assert any("no such cluster any more" in warning for warning in plan.preflight.warnings)
    assert ended(lab).exit is Exit.FINE
    assert not lab.cloud.running()
    assert not lab.left(t.LOAD_BALANCER)


def test_running_work_is_not_ended_without_being_asked_for(lab: Lab) -> None:
    lab.cluster()
    lab.put(o.pod("training-0", gpus=1))
    made = lab.teardown()
    with pytest.raises(Refused, match=r"default/training-0.*--force-running"):
        made.act(made.plan())
    assert len(lab.cloud.running()) == 2
    assert ended(lab, force_running=True).exit is Exit.FINE


@pytest.mark.failure("J6")
def test_a_machine_that_cannot_be_ended_makes_the_answer_no_with_its_price(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    lab.cluster()
    lab.install("karpenter")
    lab.put(o.node_claim())
    settled(lab)
    lab.cloud.world.faults.add("api_unreachable", {"cluster": "lab"})
    from scripts.sandbox.kinds.aws import scaling

    monkeypatch.setattr(scaling, "terminate", lambda *_: None)
    ending = ended(lab, without_api=True)
    assert ending.exit is Exit.NO
    assert k.INSTANCE in {thing.kind for thing in ending.residue}
    assert "734.38 USD a month" in ending.text()


def test_reservations_are_reported_and_cancelled_only_on_request(lab: Lab) -> None:
    lab.cluster()
    given: dict[str, Any] = {
        "instanceType": "g5.xlarge",
        "availabilityZone": "us-east-1a",
        "instanceCount": 2,
        "instancePlatform": "Linux/UNIX",
    }
    lab.cloud.make(t.CAPACITY_RESERVATION, tags=identity("lab"), **given)
    ending = ended(lab)
    assert ending.exit is Exit.NO
    assert "--cancel-reservations" in ending.text()
    assert ended(lab, cancel_reservations=True).exit is Exit.FINE
    assert not lab.left(t.CAPACITY_RESERVATION)


def test_data_goes_when_it_is_named_and_no_other_data_with_it(lab: Lab) -> None:
    lab.cluster()
    for name in ("lab-checkpoints", "lab-results"):
        lab.cloud.make(t.BUCKET, bucket=name, tags=identity("lab"))
    ending = ended(lab, delete_data=frozenset({"lab-results"}))
    assert [thing.id for thing in ending.kept] == ["lab-checkpoints"]
    assert lab.left(t.BUCKET) == ["lab-checkpoints"]


def killed_after(count: int) -> Any:
    seen = [0]

    def appended(_: Mapping[str, Any]) -> None:
        seen[0] += 1
        if seen[0] == count:
            raise Killed

    return appended


def entries_of_a_whole_run(lab: Lab) -> int:
    difficult(lab)
    made = lab.teardown()
    made.act(made.plan())
    return len(made.journal.entries())


@pytest.mark.parametrize("at", [3, 8, 14])
def test_killed_after_a_journal_entry_and_run_again_it_reaches_the_same_end(lab: Lab, at: int) -> None:
    reaches_the_same_end(lab, at)


@pytest.mark.long
@pytest.mark.parametrize("at", range(1, 24))
def test_killed_after_each_journal_entry_and_run_again_it_reaches_the_same_end(lab: Lab, at: int) -> None:
    reaches_the_same_end(lab, at)


def reaches_the_same_end(lab: Lab, at: int) -> None:
    difficult(lab)
    first = lab.teardown(appended=killed_after(at))
    with pytest.raises(Killed):
        first.act(first.plan())
    ending = ended(lab)
    assert (ending.exit, ending.residue) == (Exit.FINE, ())
    assert [(thing.kind, thing.name) for thing in ending.kept] == [(k.VOLUME, "data-vault-0")]
    assert {r.kind for r in lab.cloud.world.store if r.status != "terminated"} == {t.VOLUME}


@pytest.mark.long
def test_the_long_run_kills_after_every_entry_that_there_is(lab: Lab) -> None:
    assert entries_of_a_whole_run(lab) == 24
