"""The idle watch: who may do what, what it is told, and what is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pulumi
import pytest

from components.aws.assembly import refusals
from components.aws.idle_watch import ENTRY, READS, IdleWatchArgs, WatchedPool, code, policy, settings
from components.aws.idle_watch_function.handler import SETTINGS, Settings
from components.aws.idle_watch_outline import REMARK, watched
from components.aws.outline import pool_outlines
from components.aws.remarks import remarks
from components.naming import Identity
from components.resource import Resource, ResourceSet

from .specs import REGION, built, inference, only, training

FUNCTION = "aws:lambda/function:Function"
RULE = "aws:cloudwatch/eventRule:EventRule"
ALARM = "aws:cloudwatch/metricAlarm:MetricAlarm"
TOPIC = "aws:sns/topic:Topic"
SUBSCRIPTION = "aws:sns/topicSubscription:TopicSubscription"
POLICY = "aws:iam/rolePolicy:RolePolicy"
ARN = "arn:aws:sns:us-east-1:123456789012:alerts"
ON: dict[str, Any] = {"idle": {"notify": ["ml-platform@example.com", "env:HOOK"], "watch": {}}}
RESERVED = {"capacity": {"mode": "reservation", "id": "cr-0123456789abcdef0"}}


def with_idle(**changes: Any) -> dict[str, Any]:
    return {"idle": {**ON["idle"], **changes}}


def of_watch(resources: ResourceSet) -> list[Resource]:
    return [r for r in resources if r.name.startswith("lab-idle-watch")]


def test_it_is_off_unless_the_file_asks_for_it() -> None:
    assert of_watch(built(training())) == []
    assert of_watch(built(training({"idle": {"notify": ["ml-platform@example.com"]}}))) == []


def test_it_looks_by_its_schedule_one_run_at_a_time() -> None:
    resources = built(training(with_idle(watch={"schedule_minutes": 20})))
    assert only(resources, RULE).inputs["scheduleExpression"] == "rate(20 minutes)"
    function = only(resources, FUNCTION).inputs
    assert function["reservedConcurrentExecutions"] == 1
    assert function["timeout"] < 5 * 60, "a run ends before the next one begins"


def test_somebody_hears_when_its_runs_fail_and_when_none_come() -> None:
    """No value at all is what a watch that does not run leaves: silence to the one alarm, nothing to the other."""
    resources = built(training(with_idle(watch={"schedule_minutes": 20, "notify_arn": ARN})))
    alarms = {r.inputs["metricName"]: r.inputs for r in resources.of_type(ALARM)}
    assert {name: alarm["treatMissingData"] for name, alarm in alarms.items()} == {"Errors": "notBreaching", "Invocations": "breaching"}
    for alarm in alarms.values():
        assert (alarm["namespace"], alarm["statistic"], alarm["period"]) == ("AWS/Lambda", "Sum", 20 * 60)
        assert alarm["alarmActions"] == alarm["okActions"] == [ARN]
        assert alarm["dimensions"].keys() == {"FunctionName"}
        assert alarm["tags"]["gpukit/cluster"] == "lab"
    assert alarms["Errors"]["comparisonOperator"] == "GreaterThanOrEqualToThreshold"
    assert alarms["Invocations"]["comparisonOperator"] == "LessThanThreshold"
    assert alarms["Invocations"]["evaluationPeriods"] > 1, "a run that is a little late is no silence"


def test_its_alarms_tell_its_own_topic_where_it_has_one() -> None:
    resources = built(training(ON))
    topic = only(resources, TOPIC)
    alarms = resources.of_type(ALARM)
    assert len(alarms) == 2
    for alarm in alarms:
        assert topic.urn in set(alarm.property_dependencies["alarmActions"])


def test_e_mail_addresses_hear_of_it_and_webhooks_are_left_to_the_command() -> None:
    resources = built(training(ON))
    assert [r.inputs["endpoint"] for r in resources.of_type(SUBSCRIPTION)] == ["ml-platform@example.com"]
    assert len(resources.of_type(TOPIC)) == 1


def test_a_topic_that_is_named_is_used_and_none_is_made() -> None:
    resources = built(training(with_idle(watch={"notify_arn": ARN})))
    assert (resources.of_type(TOPIC), resources.of_type(SUBSCRIPTION)) == ((), ())


def test_its_log_is_kept_as_long_as_the_others_and_its_things_carry_the_identity() -> None:
    resources = of_watch(built(training({**ON, "monitoring": {"log_retention_days": 14}})))
    [logs] = [r for r in resources if r.type == "aws:cloudwatch/logGroup:LogGroup"]
    assert logs.inputs["retentionInDays"] == 14
    tagged = {r.type for r in resources if (r.inputs.get("tags") or {}).get("gpukit/cluster") == "lab"}
    assert {FUNCTION, RULE, TOPIC, "aws:iam/role:Role"} <= tagged


@pytest.mark.parametrize(
    ("patch", "path"),
    [
        ({"idle": {"watch": {}}}, "idle.watch"),
        ({"idle": {"notify": ["env:HOOK"], "watch": {}}}, "idle.watch"),
        (with_idle(watch={"notify_arn": "alerts"}), "idle.watch.notify_arn"),
        (with_idle(watch={"notify_arn": f"{ARN}.fifo"}), "idle.watch.notify_arn"),
        ({**ON, "pools": RESERVED}, "idle.watch"),
    ],
)
def test_a_watch_that_nobody_hears_or_that_sees_nothing_is_refused(patch: dict[str, Any], path: str) -> None:
    assert [refusal.path for refusal in refusals(training(patch), REGION)] == [path]


def test_pools_that_are_paid_for_are_not_watched() -> None:
    mixed = inference({"pools": {"machine": None, "machines": ["g5.2xlarge", "g5.12xlarge"], "capacity": {"mode": "spot"}}})
    alike = inference({"pools": {"machine": None, "machines": ["g5.2xlarge", "g5.4xlarge"], "capacity": {"mode": "spot"}}})
    assert [len(watched(pool_outlines(spec))) for spec in (training(), training({"pools": RESERVED}), mixed, alike)] == [1, 0, 1, 1]


def test_the_plan_says_what_it_does_not_see() -> None:
    assert REMARK in list(remarks(training(ON)))
    assert "gpukit heartbeat" in REMARK
    assert "holds no Kueue queue" in REMARK
    assert REMARK not in list(remarks(training()))


def test_its_files_run_where_nothing_but_python_is(tmp_path: Path) -> None:
    """As Lambda unpacks them; boto3 is asked for at the first run only."""
    for name, asset in code().assets.items():
        assert isinstance(asset, pulumi.FileAsset)
        target = tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(Path(asset.path).read_text())
    module, _, function = ENTRY.rpartition(".")
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import {module} as m; print(callable(m.{function}))"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("True", "")


def args(*, acts: bool) -> IdleWatchArgs:
    group: Any = SimpleNamespace(arn="arn:group", node_group_name="group")
    pool = WatchedPool(name="a100", gpus={"p4d.24xlarge": 8}, group=group)
    return IdleWatchArgs(
        cluster="lab", account="123456789012", region=REGION, stack="s", pools=[pool], schedule_minutes=15, grace_minutes=15, acts=acts,
        notify_arn=ARN, log_days=14, identity=Identity(cloud="aws", stack="s", cluster="lab"),
    )  # fmt: skip


def test_it_may_change_its_own_node_groups_alone_and_only_look_at_the_rest() -> None:
    statements: Any = policy(args(acts=True), ARN, "arn:logs:*")["Statement"]
    rights = {action: each["Resource"] for each in statements for action in each["Action"]}
    assert {action for action, resource in rights.items() if resource == "*"} == set(READS)
    assert rights["eks:UpdateNodegroupConfig"] == rights["eks:TagResource"] == ["arn:group"]
    assert rights["eks:DescribeCluster"] == "arn:aws:eks:us-east-1:123456789012:cluster/lab"
    assert rights["sns:Publish"] == ARN
    assert not any("*" in action for action in rights)


def test_where_the_stack_only_tells_it_has_no_right_to_scale() -> None:
    statements: Any = policy(args(acts=False), ARN, "arn:logs:*")["Statement"]
    assert not any("eks:UpdateNodegroupConfig" in each["Action"] for each in statements)
    assert settings(args(acts=False), ARN)["acts"] is False


def test_what_it_is_told_is_what_it_reads() -> None:
    told = only(built(training({**ON, "pools": {"nodes": {"min": 1, "max": 4}}})), FUNCTION).inputs
    assert told["runtime"] == "python3.13"
    assert set(told["environment"]["variables"]) == {SETTINGS}
    read = Settings.read({SETTINGS: json.dumps(settings(args(acts=True), ARN))})
    assert (read.pools, read.acts, read.window_minutes) == ({"a100": ("group", {"p4d.24xlarge": 8})}, True, 60)
