"""The clouds' own metrics through boto3, Google's REST API and Azure's client, at the simulated clouds."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scripts.engine.environment import AZURE_ENDPOINT, GCP_ENDPOINT
from scripts.errors import Failed
from scripts.idle.collect import clouds, second, together
from scripts.idle.collect.clouds import Access
from scripts.idle.collect.second import Seconded
from scripts.idle.collect.targets import Target
from scripts.idle.verdict import Status, Verdict, verdict
from scripts.sandbox import load
from scripts.sandbox.clock import duration
from scripts.sandbox.doors.azure.door import door as azure_door
from scripts.sandbox.doors.gcp.door import door as gcp_door
from scripts.sandbox.doors.http import DoorServer
from scripts.sandbox.simulation import Simulation
from tests.sandbox.azure import A100, SUBSCRIPTION, Azure
from tests.sandbox.azure import REGION as EASTUS
from tests.sandbox.gcp_cloud import GPU, PROJECT, Gcp
from tests.sandbox.gcp_cloud import REGION as CENTRAL

from .lab import Lab
from .test_other_clouds import target


class Metered:
    """A cluster `lab` with two GPU machines on one cloud."""

    def __init__(self, target: Target, access: Access, world: Simulation) -> None:
        self.target, self.access, self.world = target, access, world

    def advance(self, step: str) -> None:
        with self.world.store.transaction():
            self.world.clock.advance(duration(step))
            self.world.tick()

    def busy(self, share: float) -> None:
        load.set_load(self.world, stack="dev", pool=next(iter(self.target.markets)), nodes=2, gpu_busy=share)

    def told(self) -> Seconded:
        now = self.world.clock.now()
        return second.look(self.target, self.access, clouds.look(self.target, self.access, now), now=now, window_minutes=60)


@pytest.fixture(params=["aws", "gcp", "azure"])
def metered(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Metered]:
    if request.param == "aws":
        lab: Lab = request.getfixturevalue("lab")
        lab.nodes(2)
        yield Metered(lab.target(), lab.asking.access, lab.cloud.world)
        return
    doors: dict[str, Any] = {}
    server = DoorServer(0, doors)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    address = f"http://127.0.0.1:{server.port}"
    if request.param == "gcp":
        gcp = Gcp(tmp_path)
        labels = {"gpukit-stack": "dev", "gpukit-pool": "gpus"}
        config = {"machineType": "g2-standard-8", "guestAccelerators": [GPU], "resourceLabels": labels}
        gcp.pool(gcp.cluster(), config=config, name="l4", initialNodeCount=2)
        doors["/gcp"] = gcp_door(gcp.world)
        made = Metered(target("gcp", PROJECT, CENTRAL, "gpus"), Access(environment={GCP_ENDPOINT: f"{address}/gcp"}), gcp.world)
    else:
        azure = Azure(tmp_path)
        azure.cluster()
        azure.pool(vmSize=A100, count=2, tags={"gpukit-pool": "gpus", "gpukit-stack": "dev"})
        doors["/azure"] = azure_door(azure.world)
        where = Access(environment={AZURE_ENDPOINT: f"{address}/azure"})
        made = Metered(target("azure", SUBSCRIPTION, EASTUS, "gpus"), where, azure.world)
    yield made
    server.shutdown()
    server.server_close()


def test_every_machine_has_its_traffic_in_both_directions_over_the_whole_window(metered: Metered) -> None:
    metered.advance("3h")
    figures = metered.told().figures
    assert len({figure.machine for figure in figures}) == 2
    assert len(figures) == 4
    assert all(figure.samples >= 0.9 * figure.expected for figure in figures)
    assert all(0 < figure.highest < 1e6 for figure in figures)


def test_traffic_of_work_is_told_in_bytes_per_second(metered: Metered) -> None:
    metered.advance("2h")
    metered.busy(1.0)
    metered.advance("30m")
    assert max(figure.highest for figure in metered.told().figures) == pytest.approx(5e8, rel=0.01)


def test_a_cluster_that_sends_no_heartbeat_has_none(metered: Metered) -> None:
    metered.advance("2h")
    assert metered.told().heartbeats == ()


def test_throttled_metrics_are_asked_again(metered: Metered, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scripts.idle.collect.pacing.FIRST_WAIT", 0.01)
    metered.advance("2h")
    service = {"aws": "cloudwatch", "gcp": "monitoring", "azure": "insights"}[metered.target.cloud]
    metered.world.faults.add("throttle", {"service": service, "times": "2"})
    assert metered.told().figures


def test_metrics_that_do_not_answer_are_a_failure(lab: Lab) -> None:
    lab.nodes(1)
    now = lab.cloud.world.clock.now()
    found = clouds.look(lab.target(), lab.asking.access, now)
    nowhere = {**lab.asking.access.environment, "AWS_ENDPOINT_URL": "http://127.0.0.1:9"}
    with pytest.raises(Failed):
        second.look(lab.target(), Access(environment=nowhere), found, now=now, window_minutes=60)


def judged(lab: Lab) -> Verdict:
    asking = replace(lab.asking, cloud_metrics=True)
    return verdict(together.of(lab.target(), asking).cluster, asking.now)


def test_a_second_source_that_bears_rest_out_leaves_the_verdict(lab: Lab) -> None:
    found = judged(lab.rested())
    assert found.status is Status.IDLE
    assert found.resting


def test_a_second_source_that_refuses_leaves_the_cluster_unknown(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> Seconded:
        raise Failed("AWS refused to read its metrics: AccessDenied")

    monkeypatch.setattr(second, "look", refuse)
    lab.rested()
    found = judged(lab)
    assert found.status is Status.UNKNOWN
    assert "cloud did not answer" in found.reason
