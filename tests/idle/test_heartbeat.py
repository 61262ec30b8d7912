"""A cluster that tells of itself: what it says, to whom, and what is made of it where its API cannot be reached."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from scripts.errors import BadInput, Exit, Failed
from scripts.idle.collect import clouds, prometheus, second, together
from scripts.idle.collect.found import Endpoint
from scripts.idle.collect.kubernetes import Seen
from scripts.idle.collect.prometheus import Told
from scripts.idle.heartbeat.beat import NO_POOL, Beat, beats
from scripts.idle.heartbeat.commands import Heart, heartbeat, here, run
from scripts.idle.heartbeat.send import Sender, send
from scripts.idle.rules import Rules
from scripts.idle.verdict import Status, verdict
from scripts.sandbox.doors import metering
from scripts.sandbox.simulation import Simulation

from .lab import Lab
from .test_cloud_metrics import Metered, metered
from .traces import NOW, REST, TRAIN, cluster, pod, series

__all__ = ["metered"]
PARTS = Path(__file__).parents[2] / "scripts" / "idle" / "heartbeat"


def seen(**changes: Any) -> Seen:
    of = cluster(**changes)
    return Seen(read_at=NOW, nodes=of.nodes or (), pods=of.pods or (), queues=of.queues or (), serves=None)


def told(*telemetry: dict[str, Any]) -> Told:
    return Told(read_at=NOW, counters=(), series=cluster(series=list(telemetry)).series, requests=None)


def one(counters: Any, last: dict[str, float] | None = None, *, gpus: int = 8, **changes: Any) -> Beat:
    (beat,) = beats(seen(**changes), told(*series(dict(counters), gpus=gpus)), NOW, last or {}, Rules())
    return beat


def test_a_pool_at_rest_tells_its_gpus_and_no_use() -> None:
    assert one(REST) == Beat(pool="a100", gpus=8, busy_gpus=0, gpu_pods=0, queued_workloads=0)


def test_work_pods_and_queues_are_use_and_its_time_is_kept() -> None:
    assert one(TRAIN).busy_gpus == 8
    assert one(REST, pods=[pod()]).gpu_pods == 1
    assert one(REST, queues=[{"name": "q", "pending": 2, "admitted": 1}]).queued_workloads == 3
    assert one(TRAIN).last_active == NOW.timestamp()
    assert one(REST, last={"a100": 5.0}).last_active == 5.0


def test_a_gpu_without_samples_is_not_counted_as_one_at_rest() -> None:
    assert one(REST, gpus=7).gpus == 7
    assert one(REST, gpus=0).gpus == 0


def test_counters_that_name_no_gpu_end_the_beat() -> None:
    nameless = [{**each, "metric": {"__name__": each["metric"]["__name__"]}} for each in series(dict(REST))]
    with pytest.raises(ValueError, match="which GPU"):
        beats(seen(), told(*nameless), NOW, {}, Rules())


def test_a_cluster_without_gpu_nodes_tells_of_pods_that_wait() -> None:
    (beat,) = beats(seen(nodes=[], pods=[pod("Pending")]), told(), NOW, {}, Rules())
    assert (beat.pool, beat.gpus, beat.gpu_pods) == (NO_POOL, 0, 1)


def sender(site: Metered) -> Sender:
    path = clouds.look(site.target, site.access, site.world.clock.now()).identity
    target = site.target
    return Sender(cloud=target.cloud, account=target.account, region=target.region, cluster=target.cluster, resource=path)


def test_each_cloud_gives_back_what_was_told_it(metered: Metered) -> None:
    metered.advance("3h")
    now, who = metered.world.clock.now(), sender(metered)
    for minute in range(3):
        beat = Beat(pool="gpus", gpus=2, busy_gpus=int(minute == 1), gpu_pods=0, queued_workloads=0, last_active=(now.timestamp() - 240))
        send(who, [beat], now - timedelta(minutes=3 - minute), metered.access.environment)
    (found,) = metered.told().heartbeats
    assert (found.pool, found.gpus_least, found.gpus_most, found.busy_gpus, found.pods) == ("gpus", 2, 2, 1, 0)
    assert found.samples == 3
    assert found.last_active is not None
    assert abs(found.last_active.timestamp() - now.timestamp() + 240) < 1


def test_a_cloud_that_does_not_take_it_is_a_failure(metered: Metered) -> None:
    who = sender(metered)
    nowhere = {name: "http://127.0.0.1:9/none" if "://" in value else value for name, value in metered.access.environment.items()}
    with pytest.raises(Failed):
        send(who, [one(REST)], NOW, nowhere)


def heart(lab: Lab) -> Heart:
    endpoint = clouds.look(lab.target(), lab.asking.access, lab.asking.now).endpoint
    assert endpoint is not None
    who = Sender(cloud="aws", account=lab.target().account, region=lab.target().region, cluster="lab")
    metrics = prometheus.Metrics(url=f"{lab.address}/prometheus", match='cluster="lab"')
    return Heart(who, endpoint, metrics, lab.asking.access.environment, now=lambda: lab.asking.now)


def went_on(world: Simulation) -> None:
    """As if what was told now had been told every minute of the last hour."""
    kept = [metering.Sent(**each) for each in world.store.meta("metrics")]
    metering.keep(world, [replace(each, at=each.at - 60 * minute) for each in kept for minute in range(1, 61)])


def test_a_cut_off_cluster_is_idle_by_its_own_word_and_active_once_it_tells_of_work(lab: Lab) -> None:
    lab.rested()
    beating = heart(lab)
    (beat,) = beating.beat()
    went_on(lab.cloud.world)
    lab.cloud.world.faults.add("api_unreachable", {"cluster": "lab"})
    asking = replace(lab.asking, cloud_metrics=True, metering=lambda _: None)
    looked = together.of(lab.target(), asking)
    found = verdict(looked.cluster, asking.now)
    assert found.status is Status.IDLE
    assert not found.resting
    assert "heartbeat" in found.pools[0].reason
    send(beating.sender, [replace(beat, busy_gpus=1)], asking.now - timedelta(minutes=3), beating.environment)
    assert verdict(together.of(lab.target(), asking).cluster, asking.now).status is Status.ACTIVE


def test_a_source_that_fails_is_silence_and_the_program_goes_on(lab: Lab) -> None:
    beating, waits = heart(lab), list[float]()
    lab.cloud.world.faults.add("api_unreachable", {"cluster": "lab"})

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(beating, every_seconds=60, once=False, sleep=sleep)
    assert waits == [60, 60]
    assert run(beating, every_seconds=60, once=True, sleep=sleep) == Exit.FAILED
    asking = replace(lab.asking, cloud_metrics=True)
    found = clouds.look(lab.target(), asking.access, asking.now)
    assert second.look(lab.target(), asking.access, found, now=asking.now, window_minutes=60).heartbeats == ()


def test_its_role_in_the_cluster_allows_what_it_asks_and_nothing_more(lab: Lab) -> None:
    documents = list(yaml.safe_load_all((PARTS / "manifest.yaml").read_text(encoding="utf-8")))
    (role,) = (each for each in documents if each["kind"] == "ClusterRole")
    allowed = {(group, kind) for rule in role["rules"] for group in rule["apiGroups"] for kind in rule["resources"]}
    assert all(rule["verbs"] == ["list"] for rule in role["rules"])
    from scripts.idle.collect import kubernetes

    serving = {(group, kind) for group, kinds in kubernetes._SERVING_GROUPS.items() for kind in kinds}
    queues = {(kubernetes.KUEUE, "clusterqueues"), (kubernetes.KUEUE, "workloads"), (kubernetes.VOLCANO, "queues")}
    assert allowed == serving | queues | {("", "nodes"), ("", "pods"), ("apps", "deployments"), ("apps", "statefulsets")}


def test_its_policy_on_aws_is_one_action_in_one_namespace() -> None:
    (statement,) = json.loads((PARTS / "aws-policy.json").read_text(encoding="utf-8"))["Statement"]
    assert statement["Action"] == ["cloudwatch:PutMetricData"]
    assert statement["Condition"] == {"StringEquals": {"cloudwatch:namespace": "gpukit/heartbeat"}}


def test_the_cluster_around_a_pod_is_found_by_its_service_account(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("word\n")
    (tmp_path / "ca.crt").write_text("certificate")
    found = here({"KUBERNETES_SERVICE_HOST": "fd00::1", "KUBERNETES_SERVICE_PORT": "6443"}, tmp_path)
    assert isinstance(found, Endpoint)
    assert found.url == "https://[fd00::1]:6443"
    assert found.token() == "word"
    with pytest.raises(BadInput, match="service account"):
        here({}, tmp_path)


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"cloud": "other"}, "--cloud"),
        ({"cloud": "azure"}, "--resource"),
        ({"every_seconds": 300.0}, "--every"),
        ({}, "GPUKIT_PROMETHEUS_URL"),
    ],
)
def test_wrong_orders_are_named(changes: dict[str, Any], word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GPUKIT_PROMETHEUS_URL", raising=False)
    plain: dict[str, Any] = {"cloud": "aws", "account": "", "region": "us-east-1", "cluster": "lab"}
    with pytest.raises(BadInput, match=word):
        heartbeat(**{**plain, **changes})
