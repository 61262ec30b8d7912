"""The idle watch: a function that looks at a cluster's GPU pools by a schedule, warns, and scales those that rest to zero.

Sources: Lambda Developer Guide, "Lambda runtimes" (python3.13: Amazon Linux 2023, with boto3) and "Configuring log groups"; Service
Authorization Reference (which actions can be narrowed to which resources); EventBridge User Guide, "rate expressions".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pulumi
from pulumi_aws import cloudwatch, eks, lambda_, sns

from components.naming import Identity

from .idle_watch_alarms import AlarmsArgs, alarms
from .idle_watch_function.handler import SETTINGS
from .roles import RoleArgs, partition, service_role

RUNTIME = "python3.13"
ENTRY = "components.aws.idle_watch_function.handler.handle"
SECONDS = 120
"""Longest run: each pool takes about six calls."""
MEMORY_MIB = 256
READS = ("autoscaling:DescribeAutoScalingGroups", "cloudwatch:GetMetricData")
"""Neither can be narrowed to a resource."""
TAGS = ("eks:DescribeNodegroup", "eks:TagResource", "eks:UntagResource")
RESIZES = ("eks:UpdateNodegroupConfig",)
WRITES = ("logs:CreateLogStream", "logs:PutLogEvents")

_HERE = Path(__file__).parent
_CODE = (_HERE.parent / "heartbeat.py", _HERE.parent / "idle_tags.py", *sorted((_HERE / "idle_watch_function").glob("*.py")))


@dataclass(frozen=True, kw_only=True)
class WatchedPool:
    """A pool, its node group, and the GPUs of each of its machine types."""

    name: str
    gpus: Mapping[str, int]
    group: eks.NodeGroup


@dataclass(frozen=True, kw_only=True)
class IdleWatchArgs:
    """What is watched, how often, and what may be done. Raises ValueError for a watch that looks at nothing or that nobody hears."""

    cluster: str
    account: str
    region: str
    stack: str
    """Name of the stack, as `gpukit resume` takes it."""
    pools: Sequence[WatchedPool]
    schedule_minutes: int
    grace_minutes: int
    acts: bool
    """Whether it scales to zero; else it only tells."""
    notify_arn: str | None
    emails: Sequence[str] = ()
    """Addresses on a topic of its own, where `notify_arn` is None."""
    log_days: int
    identity: Identity

    def __post_init__(self) -> None:
        if not self.pools:
            raise ValueError("idle.watch: there is no pool to watch: leave it out")
        if self.notify_arn is None and not self.emails:
            raise ValueError("idle.watch: nobody would hear its warnings: give notify_arn or emails")


class IdleWatch(pulumi.ComponentResource):
    """A function with its schedule, its log group, a role that may touch these node groups alone, a topic where none is named, and alarms
    on its own failing and on its silence.
    """

    function: lambda_.Function

    def __init__(self, name: str, args: IdleWatchArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:aws:IdleWatch", name, {}, opts)
        self._own = pulumi.ResourceOptions(parent=self)
        topic = args.notify_arn or self._topic(name, args)
        logs = cloudwatch.LogGroup(name, retention_in_days=args.log_days, tags=args.identity.tags(name), opts=self._own)
        self.function = self._function(name, args, topic, logs)
        scheduled = self._schedule(name, args)
        on_itself = AlarmsArgs(
            function=self.function.name, topic=topic, schedule_minutes=args.schedule_minutes, identity=args.identity, after=scheduled
        )
        alarms(name, on_itself, self)
        self.register_outputs({"function": self.function.name})

    def _topic(self, name: str, args: IdleWatchArgs) -> pulumi.Output[str]:
        topic = sns.Topic(name, tags=args.identity.tags(name), opts=self._own)
        for at, email in enumerate(args.emails):
            sns.TopicSubscription(f"{name}-{at}", topic=topic.arn, protocol="email", endpoint=email, opts=self._own)
        return topic.arn

    def _function(self, name: str, args: IdleWatchArgs, topic: pulumi.Input[str], logs: cloudwatch.LogGroup) -> lambda_.Function:
        role = RoleArgs(
            service="lambda.amazonaws.com",
            policies=(),
            region=args.region,
            identity=args.identity,
            own_policy=pulumi.Output.json_dumps(policy(args, topic, pulumi.Output.concat(logs.arn, ":*"))),
        )
        return lambda_.Function(
            name,
            runtime=RUNTIME,
            handler=ENTRY,
            code=code(),
            role=service_role(name, role, self),
            timeout=SECONDS,
            memory_size=MEMORY_MIB,
            reserved_concurrent_executions=1,  # two looks at once would warn twice
            environment=lambda_.FunctionEnvironmentArgs(variables={SETTINGS: pulumi.Output.json_dumps(settings(args, topic))}),
            logging_config=lambda_.FunctionLoggingConfigArgs(log_format="Text", log_group=logs.name),
            tags=args.identity.tags(name),
            opts=self._own,
        )

    def _schedule(self, name: str, args: IdleWatchArgs) -> pulumi.Resource:
        rate = f"rate({args.schedule_minutes} minutes)"
        rule = cloudwatch.EventRule(name, schedule_expression=rate, tags=args.identity.tags(name), opts=self._own)
        allowed = lambda_.Permission(
            name,
            action="lambda:InvokeFunction",
            function=self.function.name,
            principal="events.amazonaws.com",
            source_arn=rule.arn,
            opts=self._own,
        )
        after_it = pulumi.ResourceOptions(parent=self, depends_on=[allowed])
        return cloudwatch.EventTarget(name, target_id=name, rule=rule.name, arn=self.function.arn, opts=after_it)


def code() -> pulumi.AssetArchive:
    """The function's files in the folders that their imports name; nothing is installed with them."""
    root = _HERE.parents[1]
    return pulumi.AssetArchive({path.relative_to(root).as_posix(): pulumi.FileAsset(str(path)) for path in _CODE})


def settings(args: IdleWatchArgs, topic: pulumi.Input[str]) -> dict[str, object]:
    """What `idle_watch_function.handler.Settings` reads."""
    return {
        "cluster": args.cluster,
        "stack": args.stack,
        "topic": topic,
        "grace_minutes": args.grace_minutes,
        "acts": args.acts,
        "pools": {pool.name: [pool.group.node_group_name, dict(pool.gpus)] for pool in args.pools},
    }


def policy(args: IdleWatchArgs, topic: pulumi.Input[str], streams: pulumi.Input[str]) -> dict[str, object]:
    """It may look at this cluster, tag and resize these node groups, tell one topic, and write to its own log."""
    cluster = f"arn:{partition(args.region)}:eks:{args.region}:{args.account}:cluster/{args.cluster}"
    return {
        "Version": "2012-10-17",
        "Statement": [
            _allow(READS, "*"),
            _allow(("eks:DescribeCluster",), cluster),
            _allow((*TAGS, *(RESIZES if args.acts else ())), [pool.group.arn for pool in args.pools]),
            _allow(("sns:Publish",), topic),
            _allow(WRITES, streams),
        ],
    }


def _allow(actions: Sequence[str], resource: object) -> Mapping[str, object]:
    return {"Effect": "Allow", "Action": list(actions), "Resource": resource}
