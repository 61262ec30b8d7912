"""GKE and AKS through Google's and Azure's own clients at the simulated clouds' doors."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from scripts.engine.environment import AZURE_ENDPOINT, GCP_ENDPOINT
from scripts.errors import Failed
from scripts.idle.act.resize import resize, zero
from scripts.idle.act.tagging import tag
from scripts.idle.collect import clouds
from scripts.idle.collect.clouds import Access
from scripts.idle.collect.found import Found, Wanted
from scripts.idle.collect.targets import Target
from scripts.idle.intent import Policy
from scripts.sandbox.doors.azure.door import door as azure_door
from scripts.sandbox.doors.gcp.door import door as gcp_door
from scripts.sandbox.doors.http import DoorServer
from tests.sandbox.azure import A100, SUBSCRIPTION, Azure
from tests.sandbox.azure import REGION as EASTUS
from tests.sandbox.gcp_cloud import GPU, PROJECT, Gcp
from tests.sandbox.gcp_cloud import REGION as CENTRAL

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


class Site:
    """One cluster `lab` with two GPU machines, and the way to it."""

    def __init__(self, target: Target, access: Access) -> None:
        self.target, self.access = target, access

    def look(self) -> Found:
        return clouds.look(self.target, self.access, NOW)

    @property
    def machines(self) -> int:
        (pool,) = self.look().pools or ()
        assert pool.current is not None
        return pool.current


def target(cloud: Any, account: str, region: str, pool: str) -> Target:
    return Target(
        stack="dev", cluster="lab", cloud=cloud, account=account, region=region, workload="training", owner="ml-platform",
        expires=date(2027, 3, 1), policy=Policy(), notify=(), markets={pool: "on_demand"},
    )  # fmt: skip


def served(prefix: str, door: Any) -> tuple[DoorServer, str]:
    server = DoorServer(0, {prefix: door})
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    return server, f"http://127.0.0.1:{server.port}{prefix}"


@pytest.fixture(params=["gcp", "azure"])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    if request.param == "gcp":
        gcp = Gcp(tmp_path)
        labels = {"gpukit-stack": "dev", "gpukit-pool": "gpus"}
        config = {"machineType": "g2-standard-8", "guestAccelerators": [GPU], "resourceLabels": labels}
        gcp.pool(gcp.cluster(), config=config, name="l4", initialNodeCount=2)
        server, address = served("/gcp", gcp_door(gcp.world))
        made = Site(target("gcp", PROJECT, CENTRAL, "gpus"), Access(environment={GCP_ENDPOINT: address}))
    else:
        azure = Azure(tmp_path)
        azure.cluster()
        azure.pool(vmSize=A100, count=2, enableAutoScaling=True, minCount=0, maxCount=4, tags={"gpukit-pool": "gpus"})
        server, address = served("/azure", azure_door(azure.world))
        made = Site(target("azure", SUBSCRIPTION, EASTUS, "gpus"), Access(environment={AZURE_ENDPOINT: address}))
    yield made
    server.shutdown()
    server.server_close()


def test_pools_are_found_with_what_runs_and_what_it_costs(site: Site) -> None:
    found = site.look()
    (pool,) = found.pools or ()
    assert (pool.name, pool.current, pool.gpus_per_node) == ("gpus", 2, 1)
    assert pool.usd_per_node_hour is not None
    assert pool.usd_per_node_hour > 0
    assert found.tags is not None
    assert found.endpoint is not None
    assert found.endpoint.token()


def test_a_pool_goes_to_zero_and_comes_back(site: Site) -> None:
    sizes = (site.look().sizes or {})["gpus"]
    assert sizes.desired == 2
    resize(site.target, sizes, zero(sizes), site.access)
    assert site.machines == 0
    now = (site.look().sizes or {})["gpus"]
    assert (now.minimum, now.desired) == (0, 0)
    resize(site.target, now, Wanted(minimum=sizes.minimum, desired=2, maximum=sizes.maximum), site.access)
    assert site.machines == 2
    assert (site.look().sizes or {})["gpus"].maximum == sizes.maximum


def test_a_tag_is_added_to_those_that_are_there(site: Site) -> None:
    tag(site.target, site.look(), {"team": "ml"}, site.access)
    tag(site.target, site.look(), {"gpukit-expires": "2027-06-30"}, site.access)
    assert {"team": "ml", "gpukit-expires": "2027-06-30"}.items() <= dict(site.look().tags or {}).items()


def test_a_cluster_of_another_name_is_not_there(site: Site) -> None:
    from dataclasses import replace

    assert not clouds.look(replace(site.target, cluster="other"), site.access, NOW).there


def test_a_cloud_that_does_not_answer_is_a_failure(site: Site) -> None:
    nowhere = dict.fromkeys(site.access.environment, "http://127.0.0.1:9/none")
    with pytest.raises(Failed):
        clouds.look(site.target, Access(environment=nowhere), NOW)
