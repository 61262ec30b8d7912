from __future__ import annotations

from typing import Any, ClassVar

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from scripts.engine import aws_lookup
from scripts.engine.aws_kinds import TAGGED, parse_arn, route_id
from scripts.engine.aws_lookup import AwsLookup
from scripts.engine.lookup import Absent, CannotTell, Exists, Leftover
from scripts.engine.state import PendingOperation, State
from scripts.errors import Failed

EKS = "arn:aws:eks:us-east-1:123456789012"
EC2 = "arn:aws:ec2:us-east-1:123456789012"
TAGS = {"gpukit/stack": "dev", "gpukit/resource": "a100"}
NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"


class NoSuchEntity(Exception):
    pass


class NotFound(Exception):
    pass


class Cloud:
    """Stands for every boto3 client: what is tagged, the roles and route tables that there are."""

    waited: ClassVar[list[Any]] = []

    def __init__(self, *, tagged: list[str] | None = None, **answers: Any) -> None:
        self.tagged = tagged or []
        self.answers = answers
        self.filters: list[Any] = []
        self.exceptions = type("exceptions", (), {"NoSuchEntityException": NoSuchEntity, "NotFoundException": NotFound})

    def get_paginator(self, name: str) -> Any:
        cloud = self

        class Pages:
            def paginate(self, **given: Any) -> list[dict[str, Any]]:
                cloud.filters.append(given)
                if name == "get_resources":
                    return [
                        {"ResourceTagMappingList": [{"ResourceARN": arn, "Tags": [{"Key": "gpukit/resource", "Value": "a100"}]}]}
                        for arn in cloud.tagged
                    ]
                return cloud.answers["instances"]

        return Pages()

    def get_waiter(self, name: str) -> Any:
        class Waiter:
            def wait(self, *, WaiterConfig: Any, **given: Any) -> None:  # noqa: N803 - boto3's name
                assert WaiterConfig["Delay"] * WaiterConfig["MaxAttempts"] >= 1000
                Cloud.waited.append((name, given))

        return Waiter()

    def describe_cluster(self, **given: Any) -> Any:
        assert given == {"name": "c"}
        if self.answers["cluster"].endswith("Exception"):
            raise ClientError({"Error": {"Code": self.answers["cluster"], "Message": ""}}, "DescribeCluster")
        return {"cluster": {"status": self.answers["cluster"]}}

    def get_role(self, **given: Any) -> Any:
        if given["RoleName"] not in self.answers["roles"]:
            raise NoSuchEntity
        return {"Role": {"Tags": self.answers["roles"][given["RoleName"]]}}

    def get_caller_identity(self) -> Any:
        return {"Account": "123456789012"}

    def describe_budget(self, **given: Any) -> Any:
        if given["BudgetName"] not in self.answers["budgets"]:
            raise NotFound
        return {}

    def describe_route_tables(self, **_: Any) -> Any:
        return {"RouteTables": self.answers["tables"]}


class Clock:
    """Time that passes by sleeping alone."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.when_asleep: list[Any] = []

    def monotonic(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds
        for happens in self.when_asleep:
            happens()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(aws_lookup, "time", made)
    return made


@pytest.fixture
def lookup(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> Any:
    def made(**given: Any) -> AwsLookup:
        Cloud.waited.clear()
        cloud = Cloud(**given)
        monkeypatch.setattr(aws_lookup, "client", lambda *_: cloud)
        return AwsLookup(stack="dev", region="us-east-1", environment={})

    return made


def pending(kind: str = NODE_GROUP, **inputs: Any) -> PendingOperation:
    return PendingOperation("creating", {"urn": f"urn:pulumi:dev::gpukit::{kind}::a100", "type": kind, "inputs": inputs})


def state(*resources: dict[str, Any]) -> State:
    return State({"deployment": {"resources": [{"urn": "u", "type": "t", **each} for each in resources]}})


@pytest.mark.failure("H12")
def test_a_node_group_is_found_by_its_identity_and_gets_the_providers_id(lookup: Any) -> None:
    found = lookup(tagged=[f"{EKS}:nodegroup/training/a100/4ec0", f"{EC2}:launch-template/lt-1"])
    assert found.of(pending(tags=TAGS, clusterName="training"), state()) == Exists(("training:a100",))


def test_only_what_the_state_does_not_hold_counts(lookup: Any) -> None:
    found = lookup(tagged=[f"{EKS}:nodegroup/training/a100/4ec0"])
    assert found.of(pending(tags=TAGS), state({"id": "training:a100"})) == Absent()


@pytest.mark.failure("H12")
def test_what_aws_shows_only_after_a_while_is_found(lookup: Any, clock: Clock) -> None:
    tagged: list[str] = [f"{EC2}:launch-template/lt-1"]
    clock.when_asleep.append(lambda: tagged.append(f"{EKS}:nodegroup/training/a100/4ec0"))
    assert lookup(tagged=tagged).of(pending(tags=TAGS), state()) == Exists(("training:a100",))


@pytest.mark.failure("H12")
def test_what_is_never_shown_is_absent_after_one_wait_for_all(lookup: Any, clock: Clock) -> None:
    found = lookup()
    assert found.of(pending(tags=TAGS), state()) == Absent()
    waited = clock.seconds
    assert waited > 0
    assert found.of(pending("aws:ec2/vpc:Vpc", tags=TAGS), state()) == Absent()
    assert clock.seconds == waited


def test_two_of_one_identity_are_both_named(lookup: Any) -> None:
    found = lookup(tagged=[f"{EC2}:vpc/vpc-1", f"{EC2}:vpc/vpc-2"])
    assert found.of(pending("aws:ec2/vpc:Vpc", tags=TAGS), state()) == Exists(("vpc-1", "vpc-2"))


@pytest.mark.parametrize("tags", [{}, {"gpukit/stack": "dev"}, {**TAGS, "gpukit/stack": "other"}])
def test_without_its_identity_nothing_can_be_told(lookup: Any, tags: dict[str, str]) -> None:
    assert isinstance(lookup().of(pending(tags=tags), state()), CannotTell)


def test_a_kind_that_nobody_can_look_for_is_not_taken_for_absent(lookup: Any) -> None:
    answer = lookup().of(pending("aws:sagemaker/domain:Domain", tags=TAGS), state())
    assert answer == CannotTell("gpukit does not know how to look for a aws:sagemaker/domain:Domain")


def test_attaching_again_is_harmless(lookup: Any) -> None:
    assert isinstance(lookup().of(pending("aws:iam/rolePolicyAttachment:RolePolicyAttachment"), state()), Absent)


@pytest.mark.parametrize(
    ("roles", "answer"),
    [
        ({}, Absent()),
        ({"nodes-1": [{"Key": "gpukit/stack", "Value": "dev"}]}, Exists(("nodes-1",))),
        ({"nodes-1": []}, CannotTell("a role named nodes-1 exists that does not carry this stack's identity")),
    ],
    ids=["absent", "ours", "somebody else's"],
)
def test_a_role_is_looked_for_by_name_and_must_be_ours(lookup: Any, roles: Any, answer: Any) -> None:
    assert lookup(roles=roles).of(pending("aws:iam/role:Role", name="nodes-1"), state()) == answer


def test_a_budget_is_looked_for_by_name(lookup: Any) -> None:
    kind = "aws:budgets/budget:Budget"
    assert lookup(budgets=["lab"]).of(pending(kind, name="lab"), state()) == Exists(("123456789012:lab",))
    assert lookup(budgets=[]).of(pending(kind, name="lab"), state()) == Absent()


def test_a_route_is_looked_for_in_its_table(lookup: Any) -> None:
    route = pending("aws:ec2/route:Route", routeTableId="rtb-1", destinationCidrBlock="0.0.0.0/0")
    assert lookup(tables=[{"Routes": [{"DestinationCidrBlock": "10.0.0.0/16"}]}]).of(route, state()) == Absent()
    assert lookup(tables=[{"Routes": [{"DestinationCidrBlock": "0.0.0.0/0"}]}]).of(route, state()) == Exists(("r-rtb-11080289494",))


def test_an_association_is_looked_for_by_its_subnet(lookup: Any) -> None:
    kind = "aws:ec2/routeTableAssociation:RouteTableAssociation"
    tables = [{"Routes": [], "Associations": [{"SubnetId": "subnet-1", "RouteTableAssociationId": "rtbassoc-1"}]}]
    assert lookup(tables=tables).of(pending(kind, routeTableId="rtb-1", subnetId="subnet-1"), state()) == Exists(("rtbassoc-1",))
    assert lookup(tables=tables).of(pending(kind, routeTableId="rtb-1", subnetId="subnet-2"), state()) == Absent()


def test_what_lies_outside_the_state_is_listed_without_ended_instances(lookup: Any) -> None:
    instances = [{"Reservations": [{"Instances": [_instance("i-1", "running"), _instance("i-2", "terminated")]}]}]
    arns = [f"{EKS}:cluster/training", f"{EC2}:vpc/vpc-1", *(f"{EC2}:instance/i-{n}" for n in (1, 2, 3))]
    found = lookup(tagged=arns, instances=instances)
    assert found.outside(state({"id": "vpc-1"})) == (
        Leftover(f"{EC2}:instance/i-1", "a100"),
        Leftover(f"{EKS}:cluster/training", "a100", ("aws:eks/cluster:Cluster",)),
    )


def test_an_access_entry_of_the_state_is_not_outside_of_it(lookup: Any) -> None:
    """Replaced with its cluster's role it would else be taken for a second one."""
    arn = f"{EKS}:access-entry/training/role/123456789012/platform/1"
    entry = {"id": "training:arn:aws:iam::123456789012:role/platform", "outputs": {"accessEntryArn": arn}}
    assert lookup(tagged=[arn]).outside(state(entry)) == ()
    assert len(lookup(tagged=[arn]).outside(state())) == 1


def test_data_that_a_destroy_left_on_purpose_is_marked(lookup: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    found = lookup()
    tagged = {parse_arn("arn:aws:s3:::lab-data"): {"gpukit/resource": "lab-data", "gpukit/kept": "data"}}
    monkeypatch.setattr(found, "_tagged", lambda _: tagged)
    assert found.outside(state()) == (Leftover("arn:aws:s3:::lab-data", "lab-data", ("aws:s3/bucket:Bucket",), kept=True),)


def test_a_cloud_that_does_not_answer_is_a_failure_and_no_absence(lookup: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    found = lookup()

    def unreachable(*_: Any) -> Any:
        raise EndpointConnectionError(endpoint_url="http://127.0.0.1:9")

    monkeypatch.setattr(aws_lookup, "client", unreachable)
    with pytest.raises(Failed, match="AWS did not answer when asked to list what carries"):
        found.outside(state())


@pytest.mark.parametrize(
    ("kind", "id_", "waited"),
    [
        (NODE_GROUP, "c:a100", ("nodegroup_active", {"clusterName": "c", "nodegroupName": "a100"})),
        ("aws:eks/cluster:Cluster", "c", ("cluster_active", {"name": "c"})),
        ("aws:ec2/vpc:Vpc", "vpc-1", None),
    ],
)
def test_what_takes_long_to_be_ready_is_waited_for(lookup: Any, kind: str, id_: str, waited: Any) -> None:
    found = lookup()
    found.settle(pending(kind), id_)
    assert Cloud.waited == ([waited] if waited else [])


@pytest.mark.parametrize(
    ("status", "waited"), [("DELETING", [("cluster_deleted", {"name": "c"})]), ("ACTIVE", []), ("ResourceNotFoundException", [])]
)
def test_a_cluster_on_its_way_out_is_awaited_and_a_living_one_is_not(lookup: Any, status: str, waited: list[Any]) -> None:
    found = lookup(cluster=status)
    found.settle(PendingOperation("deleting", {"urn": "u", "type": "aws:eks/cluster:Cluster", "id": "c"}), "c")
    assert Cloud.waited == waited


@pytest.mark.parametrize(
    ("text", "service", "kind", "rest"),
    [
        (f"{EC2}:vpc/vpc-1", "ec2", "vpc", "vpc-1"),
        (f"{EKS}:nodegroup/c/n/uuid", "eks", "nodegroup", "c/n/uuid"),
        ("arn:aws:s3:::checkpoints", "s3", "", "checkpoints"),
        ("arn:aws:logs:us-east-1:1:log-group:/aws/eks/c", "logs", "log-group", "/aws/eks/c"),
    ],
)
def test_arns_are_taken_apart(text: str, service: str, kind: str, rest: str) -> None:
    arn = parse_arn(text)
    assert (arn.service, arn.kind, arn.rest) == (service, kind, rest)


def test_what_is_no_arn_is_refused() -> None:
    with pytest.raises(ValueError, match="is no ARN"):
        parse_arn("vpc-1")


def test_the_id_of_a_route_is_the_providers() -> None:
    """The checksum of 0.0.0.0/0 stands at the end of every default route's id in Terraform states."""
    assert route_id("rtb-0a1b", "0.0.0.0/0") == "r-rtb-0a1b1080289494"


def test_every_kind_is_told_from_every_other_but_rules_of_one_group() -> None:
    places = [(kind.service, kind.kind) for token, kind in TAGGED.items() if "Egress" not in token]
    assert len(places) == len(set(places))


def _instance(name: str, status: str) -> dict[str, Any]:
    return {"InstanceId": name, "State": {"Name": status}}
