"""Queues, rules, profiles, snapshots, elastic file systems: answered by recorded shapes that botocore checks against each service's own model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber

from scripts.errors import Failed
from scripts.sandbox.kinds.aws import tokens as t
from scripts.teardown import kinds as k
from scripts.teardown.clouds.aws import cluster_parts, tagged
from scripts.teardown.clouds.aws.account import Account
from scripts.teardown.clouds.aws.cloud import KINDS, AwsCloud
from scripts.teardown.clouds.cloud import Busy
from scripts.teardown.model import Scope, Target, Thing
from tests.teardown.lab import ACCOUNT, Lab, identity

REGION = "us-west-2"
MINE, THEIRS = {"kubernetes.io/cluster/lab": "owned"}, {"kubernetes.io/cluster/lab-2": "owned"}


@dataclass
class Stubbed(Account):
    """With clients that answer what is queued."""

    clients: dict[str, Any] = field(default_factory=dict[str, Any])

    def client(self, service: str, region: str | None = None) -> Any:
        return self.clients[f"{service}/{region or self.target.region}"]


class Answers:
    """An account whose answers are queued; every one of them has to be asked for."""

    def __init__(self) -> None:
        target = Target(cloud="aws", account=ACCOUNT, region=REGION, cluster="lab", world="real")
        self.account = Stubbed(target, {})
        self.stubs: dict[str, Stubber] = {}
        self._made: dict[str, Any] = {}

    def add(self, service: str, operation: str, answer: Mapping[str, Any], expected: Mapping[str, Any], region: str = REGION) -> None:
        place = f"{service}/{region}"
        if place not in self.stubs:
            client = boto3.client(service, region_name=region, aws_access_key_id="none", aws_secret_access_key="none")
            self.account.clients[place] = client
            self.stubs[place] = Stubber(client)
            self.stubs[place].activate()
        self.stubs[place].add_response(operation, dict(answer), dict(expected))

    def refuse(self, service: str, operation: str, code: str) -> None:
        self.stubs[f"{service}/{REGION}"].add_client_error(operation, code)

    def listed(self, type_: str, *arns: str, region: str = REGION) -> None:
        """Each ARN once as ours, and once more as that of a cluster whose name begins like ours."""
        found = [
            {"ResourceARN": arn + tail, "Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}
            for arn in arns
            for tail, tags in (("", MINE), ("-2", THEIRS))
        ]
        answer = {"ResourceTagMappingList": found, "PaginationToken": ""}
        self.add("resourcegroupstaggingapi", "get_resources", answer, {"ResourceTypeFilters": [type_]}, region)

    def end(self, thing: Thing) -> None:
        KINDS[thing.kind].delete(self.account, thing)


@pytest.fixture
def aws() -> Iterator[Answers]:
    answers = Answers()
    yield answers
    for stub in answers.stubs.values():
        stub.assert_no_pending_responses()


def test_the_queue_that_karpenter_listens_to_is_found_and_deleted(aws: Answers) -> None:
    aws.listed("sqs", f"arn:aws:sqs:{REGION}:{ACCOUNT}:lab")
    (queue,) = tagged.queues(aws.account)
    assert (queue.kind, queue.id, queue.monthly_usd, queue.kept) == (k.QUEUE, "lab", 0.0, "")
    url = f"https://sqs.{REGION}.amazonaws.com/{ACCOUNT}/lab"
    aws.add("sqs", "get_queue_url", {"QueueUrl": url}, {"QueueName": "lab"})
    aws.add("sqs", "delete_queue", {}, {"QueueUrl": url})
    aws.end(queue)


def test_the_idle_watch_s_function_and_topic_are_found_and_deleted(aws: Answers) -> None:
    aws.listed("lambda:function", f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:lab-idle-watch")
    aws.listed("sns", topic := f"arn:aws:sns:{REGION}:{ACCOUNT}:lab-idle-watch")
    (function,), (told,) = tagged.functions(aws.account), tagged.topics(aws.account)
    assert (function.id, told.id, told.name) == ("lab-idle-watch", topic, "lab-idle-watch")
    aws.add("lambda", "delete_function", {}, {"FunctionName": "lab-idle-watch"})
    aws.add("sns", "delete_topic", {}, {"TopicArn": topic})
    aws.end(function)
    aws.end(told)


def test_alarms_of_the_idle_watch_are_found_and_deleted_and_bill_meanwhile(aws: Answers) -> None:
    aws.listed("cloudwatch:alarm", f"arn:aws:cloudwatch:{REGION}:{ACCOUNT}:alarm:lab-idle-watch-silent-0a1b2c3")
    (alarm,) = tagged.alarms(aws.account)
    assert (alarm.kind, alarm.id, alarm.monthly_usd, alarm.kept) == (k.ALARM, "lab-idle-watch-silent-0a1b2c3", None, "")
    aws.add("cloudwatch", "delete_alarms", {}, {"AlarmNames": ["lab-idle-watch-silent-0a1b2c3"]})
    aws.end(alarm)


@pytest.mark.parametrize(("id_", "where"), [("spot", {}), ("bus/spot", {"EventBusName": "bus"})])
def test_an_event_rule_loses_its_targets_first(aws: Answers, id_: str, where: dict[str, str]) -> None:
    aws.listed("events:rule", f"arn:aws:events:{REGION}:{ACCOUNT}:rule/{id_}")
    (rule,) = tagged.rules(aws.account)
    assert rule.id == id_
    aws.add("events", "list_targets_by_rule", {"Targets": [{"Id": "queue", "Arn": "arn:aws:sqs:x:y:lab"}]}, {"Rule": "spot", **where})
    aws.add("events", "remove_targets", {"FailedEntryCount": 0, "FailedEntries": []}, {"Rule": "spot", "Ids": ["queue"], **where})
    aws.add("events", "delete_rule", {}, {"Name": "spot", **where})
    aws.end(rule)


@pytest.mark.failure("K4")
def test_an_instance_profile_is_looked_for_where_global_things_are_listed_and_gives_its_role_back(aws: Answers) -> None:
    path = "karpenter/us-west-2/lab/default"
    aws.listed("iam:instance-profile", f"arn:aws:iam::{ACCOUNT}:instance-profile/{path}/lab_1234", region="us-east-1")
    (profile,) = tagged.profiles(aws.account)
    assert (profile.id, profile.name) == (f"{path}/lab_1234", "lab_1234")
    role = {
        "RoleName": "lab-nodes", "Path": "/", "RoleId": "AROA0123456789ABCDEF", "Arn": f"arn:aws:iam::{ACCOUNT}:role/lab-nodes",
        "CreateDate": "2026-01-01",
    }  # fmt: skip
    shown = {
        "InstanceProfileName": "lab_1234", "Path": f"/{path}/", "InstanceProfileId": "AIPA0123456789ABCDEF", "Roles": [role],
        "Arn": f"arn:aws:iam::{ACCOUNT}:instance-profile/{path}/lab_1234", "CreateDate": "2026-01-01",
    }  # fmt: skip
    aws.add("iam", "get_instance_profile", {"InstanceProfile": shown}, {"InstanceProfileName": "lab_1234"})
    aws.add("iam", "remove_role_from_instance_profile", {}, {"InstanceProfileName": "lab_1234", "RoleName": "lab-nodes"})
    aws.add("iam", "delete_instance_profile", {}, {"InstanceProfileName": "lab_1234"})
    aws.end(profile)


def test_snapshots_are_data_at_a_price_that_is_not_known(aws: Answers) -> None:
    aws.listed("ec2:snapshot", f"arn:aws:ec2:{REGION}::snapshot/snap-1")
    (snapshot,) = tagged.snapshots(aws.account)
    assert (snapshot.id, snapshot.kept, snapshot.monthly_usd) == ("snap-1", "data outlives clusters", None)
    aws.add("ec2", "delete_snapshot", {}, {"SnapshotId": "snap-1"})
    aws.end(snapshot)


def test_an_elastic_file_system_is_data_and_goes_only_after_its_mount_targets(aws: Answers) -> None:
    aws.listed("elasticfilesystem:file-system", f"arn:aws:elasticfilesystem:{REGION}:{ACCOUNT}:file-system/fs-1")
    (files,) = tagged.elastic_file_systems(aws.account)
    assert (files.kind, files.id, files.kept) == (k.FILES, "fs-1", "data outlives clusters")
    target = {"MountTargetId": "fsmt-01234567", "FileSystemId": "fs-1", "SubnetId": "subnet-01234567", "LifeCycleState": "available"}
    aws.add("efs", "describe_mount_targets", {"MountTargets": [target]}, {"FileSystemId": "fs-1"})
    aws.add("efs", "delete_mount_target", {}, {"MountTargetId": "fsmt-01234567"})
    aws.refuse("efs", "delete_file_system", "FileSystemInUse")
    with pytest.raises(Busy, match="FileSystemInUse"):
        aws.end(files)


def test_a_key_that_waits_for_its_end_bills_nothing_and_says_until_when_it_can_be_taken_back(aws: Answers) -> None:
    id_ = "01234567-89ab-cdef-0123-456789abcdef"
    aws.listed("kms:key", f"arn:aws:kms:{REGION}:{ACCOUNT}:key/{id_}")
    shown = {"KeyId": id_, "KeyState": "PendingDeletion", "DeletionDate": "2026-12-08"}
    aws.add("kms", "describe_key", {"KeyMetadata": shown}, {"KeyId": id_})
    (key,) = cluster_parts.keys(aws.account)
    assert key.monthly_usd == 0
    assert key.kept.startswith("ends by itself")


def test_the_targets_own_budget_goes_and_one_of_finance_on_the_same_cluster_stays(lab: Lab) -> None:
    lab.cluster()
    limit: dict[str, Any] = {
        "budgetType": "COST", "timeUnit": "MONTHLY", "limitAmount": "100", "limitUnit": "USD",
        "costFilters": [{"name": "TagKeyValue", "values": ["user:gpukit/cluster$lab"]}],
    }  # fmt: skip
    lab.cloud.make(t.BUDGET, name="lab-budget", tags=identity("lab"), **limit)
    lab.cloud.make(t.BUDGET, name="lab-of-finance", **limit)
    made = lab.teardown()
    assert not made.act(made.plan()).residue
    assert [each.state["name"] for each in lab.cloud.world.store if each.kind == t.BUDGET] == ["lab-of-finance"]


def test_a_list_that_was_throttled_is_a_failure_and_no_empty_list(aws: Answers) -> None:
    cloud = AwsCloud(aws.account.target, {})
    cloud._account = aws.account  # pyright: ignore[reportPrivateUsage] # with clients that answer
    aws.listed("sqs")
    assert tagged.queues(aws.account) == []
    aws.refuse("resourcegroupstaggingapi", "get_resources", "ThrottlingException")
    with pytest.raises(Failed, match=r"did not answer while the target was looked at.*Throttling"):
        cloud.find({k.QUEUE}, Scope())


def test_an_address_that_its_gateway_holds_is_busy_and_wrong_credentials_are_a_failure(aws: Answers) -> None:
    aws.add("ec2", "release_address", {}, {"AllocationId": "eipalloc-1"})
    KINDS[k.ADDRESS].delete(aws.account, Thing(kind=k.ADDRESS, id="eipalloc-1"))
    aws.refuse("ec2", "release_address", "AuthFailure")
    with pytest.raises(Busy):
        aws.end(Thing(kind=k.ADDRESS, id="eipalloc-1"))
    aws.refuse("ec2", "delete_subnet", "AuthFailure")
    with pytest.raises(Failed, match="AuthFailure"):
        aws.end(Thing(kind=k.SUBNET, id="subnet-1"))
