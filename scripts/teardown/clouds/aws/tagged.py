"""What no list of its own gives with tags: queues and event rules of Karpenter, function, rule, alarms and topic of the idle watch, instance
profiles, snapshots, elastic file systems; and budgets.

Found by the Resource Groups Tagging API, whose GetResources lists every kind but IAM users and roles (API reference, "Services that support the
Resource Groups Tagging API"). What is global is listed in us-east-1 alone. Budgets are asked for their tags one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scripts.engine.aws_kinds import Arn, parse_arn
from scripts.teardown import kinds as k
from scripts.teardown.clouds.aws.account import Account, Kind, tags_of
from scripts.teardown.model import Thing

_GLOBAL = "us-east-1"
_DATA = "data outlives clusters"
_FREE = 0.0
"""SQS, EventBridge, Lambda and SNS bill requests, events, runs and messages, IAM nothing; a budget without actions is free (AWS pricing pages of each)."""


def _tagged(account: Account, type_: str, region: str | None = None) -> Iterator[tuple[Arn, Mapping[str, str], str]]:
    """ARN, tags, and how we know, of everything of one type that is the target's."""
    listed = account.pages("resourcegroupstaggingapi", "get_resources", "ResourceTagMappingList", region, ResourceTypeFilters=[type_])
    for each in listed:
        tags = tags_of(each)
        if why := account.whose(tags):
            yield parse_arn(str(each["ResourceARN"])), tags, why


def _things(account: Account, kind: str, type_: str, region: str | None = None) -> list[Thing]:
    return [
        Thing(kind=kind, id=arn.rest, name=arn.rest.rpartition("/")[2], why=why, monthly_usd=_FREE, kept=account.kept(tags))
        for arn, tags, why in _tagged(account, type_, region)
    ]


def queues(account: Account) -> list[Thing]:
    return _things(account, k.QUEUE, "sqs")


def _delete_queue(account: Account, thing: Thing) -> None:
    sqs = account.client("sqs")
    url = account.told(f"find {thing.label}", lambda: sqs.get_queue_url(QueueName=thing.id)["QueueUrl"])
    if url is not None:
        account.told(f"delete {thing.label}", lambda: sqs.delete_queue(QueueUrl=url))


def rules(account: Account) -> list[Thing]:
    """`NAME`, or `BUS/NAME` on a bus of its own."""
    return _things(account, k.RULE, "events:rule")


def _delete_rule(account: Account, thing: Thing) -> None:
    """EventBridge refuses while a rule has targets (API reference, DeleteRule)."""
    events, (bus, _, name) = account.client("events"), thing.id.rpartition("/")
    where = {"EventBusName": bus} if bus else {}
    targets = account.told(f"list targets of {thing.label}", lambda: events.list_targets_by_rule(Rule=name, **where)["Targets"])
    if targets:
        ids = [str(each["Id"]) for each in targets]
        account.told(f"remove targets of {thing.label}", lambda: events.remove_targets(Rule=name, Ids=ids, **where))
    account.told(f"delete {thing.label}", lambda: events.delete_rule(Name=name, **where))


def functions(account: Account) -> list[Thing]:
    return _things(account, k.FUNCTION, "lambda:function")


def _delete_function(account: Account, thing: Thing) -> None:
    account.told(f"delete {thing.label}", lambda: account.client("lambda").delete_function(FunctionName=thing.id))


def alarms(account: Account) -> list[Thing]:
    """Billed by the month. No price of CloudWatch is in the catalogue."""
    return [
        Thing(kind=k.ALARM, id=arn.rest, name=arn.rest, why=why, monthly_usd=None, kept=account.kept(tags))
        for arn, tags, why in _tagged(account, "cloudwatch:alarm")
    ]


def _delete_alarm(account: Account, thing: Thing) -> None:
    account.told(f"delete {thing.label}", lambda: account.client("cloudwatch").delete_alarms(AlarmNames=[thing.id]))


def topics(account: Account) -> list[Thing]:
    return [
        Thing(kind=k.TOPIC, id=arn.text, name=arn.rest, why=why, monthly_usd=_FREE, kept=account.kept(tags))
        for arn, tags, why in _tagged(account, "sns")
    ]


def _delete_topic(account: Account, thing: Thing) -> None:
    """Its subscriptions go with it (SNS API reference, DeleteTopic)."""
    account.told(f"delete {thing.label}", lambda: account.client("sns").delete_topic(TopicArn=thing.id))


def profiles(account: Account) -> list[Thing]:
    """Karpenter makes them with `kubernetes.io/cluster/NAME: owned`; a profile's path stands before its name."""
    return _things(account, k.PROFILE, "iam:instance-profile", _GLOBAL)


def _delete_profile(account: Account, thing: Thing) -> None:
    iam = account.client("iam")
    shown = account.told(f"read {thing.label}", lambda: iam.get_instance_profile(InstanceProfileName=thing.name)["InstanceProfile"])
    for role in (shown or {}).get("Roles") or ():
        name = str(role["RoleName"])
        account.told(
            f"take role {name} off {thing.label}",
            lambda name=name: iam.remove_role_from_instance_profile(InstanceProfileName=thing.name, RoleName=name),
        )
    account.told(f"delete {thing.label}", lambda: iam.delete_instance_profile(InstanceProfileName=thing.name))


def snapshots(account: Account) -> list[Thing]:
    """What one costs depends on the blocks that only it holds, which EC2 does not tell."""
    return [
        Thing(kind=k.SNAPSHOT, id=arn.rest, name=tags.get("Name", ""), why=why, monthly_usd=None, kept=_DATA)
        for arn, tags, why in _tagged(account, "ec2:snapshot")
    ]


def _delete_snapshot(account: Account, thing: Thing) -> None:
    account.told(f"delete {thing.label}", lambda: account.client("ec2").delete_snapshot(SnapshotId=thing.id))


def elastic_file_systems(account: Account) -> list[Thing]:
    """Billed by what is stored in them. No price of EFS is in the catalogue."""
    return [
        Thing(kind=k.FILES, id=arn.rest, name=tags.get("Name", ""), why=why, monthly_usd=None, kept=_DATA, detail={"elastic": True})
        for arn, tags, why in _tagged(account, "elasticfilesystem:file-system")
    ]


def delete_elastic(account: Account, thing: Thing) -> None:
    """Mount targets first: EFS refuses while there is one (API reference, DeleteFileSystem: FileSystemInUse)."""
    efs = account.client("efs")
    targets = account.told(
        f"list mount targets of {thing.label}", lambda: efs.describe_mount_targets(FileSystemId=thing.id)["MountTargets"]
    )
    for each in targets or ():
        id_ = str(each["MountTargetId"])
        account.told(f"delete mount target {id_}", lambda id_=id_: efs.delete_mount_target(MountTargetId=id_))
    account.told(f"delete {thing.label}", lambda: efs.delete_file_system(FileSystemId=thing.id))


def budgets(account: Account) -> list[Thing]:
    """Budgets of the account whose own tags say so: one of finance may watch the same cluster by a cost filter."""
    found: list[Thing] = []
    for each in account.pages("budgets", "describe_budgets", "Budgets", AccountId=account.target.account):
        name = str(each["BudgetName"])
        arn = f"arn:aws:budgets::{account.target.account}:budget/{name}"
        shown = account.told(
            f"read tags of budget {name}", lambda arn=arn: account.client("budgets").list_tags_for_resource(ResourceARN=arn)
        )
        tags = tags_of(shown or {}, "ResourceTags")
        if why := account.whose(tags):
            found.append(Thing(kind=k.BUDGET, id=name, name=name, why=why, monthly_usd=_FREE, kept=account.kept(tags)))
    return found


def _delete_budget(account: Account, thing: Thing) -> None:
    account.told(
        f"delete {thing.label}", lambda: account.client("budgets").delete_budget(AccountId=account.target.account, BudgetName=thing.id)
    )


KINDS = (
    Kind(name=k.QUEUE, find=queues, delete=_delete_queue),
    Kind(name=k.RULE, find=rules, delete=_delete_rule),
    Kind(name=k.ALARM, find=alarms, delete=_delete_alarm),
    Kind(name=k.FUNCTION, find=functions, delete=_delete_function),
    Kind(name=k.TOPIC, find=topics, delete=_delete_topic),
    Kind(name=k.PROFILE, find=profiles, delete=_delete_profile),
    Kind(name=k.SNAPSHOT, find=snapshots, delete=_delete_snapshot),
    Kind(name=k.BUDGET, find=budgets, delete=_delete_budget),
)
