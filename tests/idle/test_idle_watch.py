"""The idle watch's function on the simulated AWS through boto3, and `gpukit resume` after it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from components import idle_tags
from components.aws.idle_watch_function.account import Account
from components.aws.idle_watch_function.handler import Settings, watch
from scripts.engine.aws_session import client
from scripts.idle.act import scale
from scripts.idle.heartbeat.beat import Beat
from scripts.idle.heartbeat.send import Sender, send
from tests.sandbox.cloud import REGION

from .lab import STACK, Lab

GPUS, MACHINE = 8, "p4d.24xlarge"


class Topic:
    """Stands for SNS, which the simulated AWS lacks."""

    def __init__(self) -> None:
        self.messages: list[dict[str, str]] = []
        self.broken = False

    def publish(self, **message: str) -> None:
        if self.broken:
            raise RuntimeError("the topic refuses")
        self.messages.append(message)


class Watching:
    """The lab's cluster with a heartbeat and the watch."""

    def __init__(self, lab: Lab) -> None:
        self.lab, self.topic = lab, Topic()
        lab.rested(2)

    def settings(self, **changes: Any) -> Settings:
        pools = {"a100": (str(self.lab.cloud.now(self.lab.group).state["nodeGroupName"]), {MACHINE: GPUS})}
        return replace(Settings(cluster="lab", stack=STACK, topic="arn", grace_minutes=60, acts=True, pools=pools), **changes)

    def beat(self, minutes: int = 60, **changes: int) -> None:
        lab = self.lab
        sender = Sender(cloud="aws", account=lab.target().account, region=REGION, cluster="lab")
        values = {"gpus": 2 * GPUS, "busy_gpus": 0, "gpu_pods": 0, "queued_workloads": 0, **changes}
        now = lab.cloud.world.clock.now()
        for minute in range(minutes):
            send(sender, [Beat(pool="a100", **values)], now - timedelta(minutes=minute), lab.asking.access.environment)

    def once(self, **changes: Any) -> str:
        def of(service: str) -> Any:
            return client(service, REGION, self.lab.asking.access.environment)

        account = Account(eks=of("eks"), autoscaling=of("autoscaling"), cloudwatch=of("cloudwatch"), sns=self.topic)
        return watch(self.settings(**changes), account, self.lab.cloud.world.clock.now())["a100"]

    def later(self, **changes: int) -> None:
        self.lab.advance("61m")
        self.beat(**changes)

    @property
    def tags(self) -> dict[str, str]:
        return dict(self.lab.cloud.now(self.lab.group).tags)


@pytest.fixture
def watching(lab: Lab) -> Watching:
    made = Watching(lab)
    made.beat()
    return made


def test_a_resting_pool_is_warned_of_then_scaled_and_resume_brings_it_back(watching: Watching) -> None:
    assert watching.once().startswith("warn")
    assert watching.lab.machines == 2
    assert "scaled to zero" in watching.topic.messages[0]["Message"]
    watching.later()
    assert watching.once().startswith("scale to zero")
    assert watching.lab.sizes == {"minSize": 0, "desiredSize": 0, "maxSize": 4}
    assert idle_tags.WARNED_KEY not in watching.tags
    assert "gpukit resume dev" in watching.topic.messages[1]["Message"]
    watching.lab.advance("10m")
    assert watching.lab.machines == 0

    assert scale.resume(watching.lab.target(), watching.lab.acting).acted
    assert watching.lab.sizes == {"minSize": 0, "desiredSize": 2, "maxSize": 4}
    assert idle_tags.SIZES_KEY not in watching.tags
    assert not scale.resume(watching.lab.target(), watching.lab.acting).acted


def test_use_since_the_warning_ends_the_grace(watching: Watching) -> None:
    watching.once()
    watching.lab.advance("61m")
    watching.beat(busy_gpus=1)
    assert watching.once().startswith("forget")
    assert idle_tags.WARNED_KEY not in watching.tags
    assert watching.lab.sizes["desiredSize"] == 2


def test_silence_since_the_warning_ends_nothing_but_the_grace(watching: Watching) -> None:
    watching.once()
    watching.lab.advance("3h")
    assert "unknown" in watching.once()
    assert watching.lab.sizes["desiredSize"] == 2


def test_a_topic_that_refuses_starts_no_grace(watching: Watching) -> None:
    watching.topic.broken = True
    with pytest.raises(RuntimeError, match="a100: RuntimeError: the topic refuses"):
        watching.once()
    assert idle_tags.WARNED_KEY not in watching.tags


def test_a_cluster_or_pool_that_people_keep_is_left_alone(watching: Watching) -> None:
    eks = client("eks", REGION, watching.lab.asking.access.environment)
    for record in (watching.lab.group, watching.lab.cluster):
        arn = watching.lab.cloud.now(record).state["arn"]
        eks.tag_resource(resourceArn=arn, tags={idle_tags.KEEP_KEY: idle_tags.KEEP})
        assert watching.once().startswith("protected")
        eks.untag_resource(resourceArn=arn, tagKeys=[idle_tags.KEEP_KEY])
    assert watching.topic.messages == []


def test_a_run_that_was_cut_off_after_the_sizes_were_written_goes_on_with_the_same_sizes(watching: Watching) -> None:
    watching.once()
    watching.later()
    watching.topic.broken = True
    with pytest.raises(RuntimeError):
        watching.once()
    assert watching.lab.sizes["desiredSize"] == 0
    watching.topic.broken = False
    assert watching.once().startswith("forget")
    assert "desired=2" in watching.tags[idle_tags.SIZES_KEY]


def test_one_pool_s_trouble_hides_no_other_and_is_raised(watching: Watching) -> None:
    pools = {"gone": ("no-such-group", {MACHINE: GPUS}), **watching.settings().pools}
    with pytest.raises(RuntimeError, match="gone: ResourceNotFoundException"):
        watching.once(pools=pools)
    assert idle_tags.WARNED_KEY in watching.tags


def test_a_machine_of_a_type_that_it_was_not_told_of_may_work_unseen(watching: Watching) -> None:
    pools = {"a100": (watching.settings().pools["a100"][0], {"p5.48xlarge": GPUS})}
    assert "unknown: how many GPUs its machines have is not known" in watching.once(pools=pools)
    assert idle_tags.WARNED_KEY not in watching.tags


def test_resume_refuses_a_record_that_cannot_be_read(watching: Watching) -> None:
    eks = client("eks", REGION, watching.lab.asking.access.environment)
    eks.tag_resource(resourceArn=watching.lab.cloud.now(watching.lab.group).state["arn"], tags={idle_tags.SIZES_KEY: "two"})
    done = scale.resume(watching.lab.target(), watching.lab.acting)
    assert not done.acted
    assert "gpukit/idle-sizes" in str(done.error)
