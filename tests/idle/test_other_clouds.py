"""GKE and AKS through Google's and Azure's own clients at the simulated clouds' doors."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from components.inventory import Market
from scripts.engine.environment import AZURE_ENDPOINT, GCP_ENDPOINT
from scripts.errors import Failed
from scripts.idle.act import scale
from scripts.idle.act.resize import resize, zero
from scripts.idle.act.scale import Acting, Done
from scripts.idle.act.state import Store
from scripts.idle.act.tagging import tag
from scripts.idle.collect import clouds, together
from scripts.idle.collect.clouds import Access
from scripts.idle.collect.discovery import discover
from scripts.idle.collect.found import Found, Wanted
from scripts.idle.collect.gcp import Gcp as GcpCalls
from scripts.idle.collect.listings import Listings
from scripts.idle.collect.targets import Target
from scripts.idle.collect.together import Asking, Looked
from scripts.idle.intent import Policy
from scripts.idle.rules import Rules
from scripts.idle.signals import Cluster
from scripts.idle.verdict import PoolVerdict, Status, Verdict
from scripts.sandbox.doors.azure.door import door as azure_door
from scripts.sandbox.doors.gcp.door import door as gcp_door
from scripts.sandbox.doors.http import DoorServer, Response
from scripts.sandbox.doors.http import Request as DoorRequest
from tests.sandbox.azure import A100, CPU, SUBSCRIPTION, Azure
from tests.sandbox.azure import REGION as EASTUS
from tests.sandbox.gcp_cloud import GPU, PROJECT, Gcp
from tests.sandbox.gcp_cloud import REGION as CENTRAL

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


class Site:
    """One cluster `lab` with two GPU machines, and the way to it."""

    def __init__(self, target: Target, access: Access) -> None:
        self.target, self.access = target, access
        self.asked: list[str] = []
        """Paths of all requests."""

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


def make_in(world: Any, cluster: dict[str, Any], pools: dict[str, dict[str, Any]]) -> None:
    """A cluster `lab` with these pools beside its first."""
    if isinstance(world, Gcp):
        made = world.cluster(**cluster)
        for name, given in pools.items():
            config = {"machineType": "g2-standard-8", "guestAccelerators": [GPU], "resourceLabels": {"gpukit-pool": name}}
            world.pool(made, config=config, name=name, **given)
    else:
        world.cluster(**cluster)
        for name, given in pools.items():
            world.pool(name, vmSize=A100, tags={"gpukit-pool": name}, **given)


def at_rest(*pools: str) -> Verdict:
    judged = tuple(PoolVerdict(pool=pool, status=Status.IDLE, reason="nothing ran", resting=True) for pool in pools)
    return Verdict(cluster="lab", status=Status.IDLE, reason="nothing ran", pools=judged, resting=True, at=NOW, window_minutes=60)


def acted(site: Site, home: Path, *pools: str) -> tuple[Acting, Done]:
    """Scale to zero as a run does, its queues left out: no Kubernetes API stands behind these doors."""
    acting = Acting(access=site.access, store=Store(home / "idle"), now=NOW, say=lambda _: None, wait_seconds=0, sleep=lambda _: None)
    looked = Looked(target=site.target, cluster=Cluster(name="lab"), found=replace(site.look(), endpoint=None))
    return acting, scale.to_zero(looked, pools, acting, lambda: at_rest(*pools))


def served(prefix: str, door: Any, asked: list[str] | None = None) -> tuple[DoorServer, str]:
    def answer(request: DoorRequest) -> Response:
        if asked is not None:
            asked.append(request.path)
        return door(request)

    server = DoorServer(0, {prefix: answer})
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    return server, f"http://127.0.0.1:{server.port}{prefix}"


@pytest.fixture(params=["gcp", "azure"])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    asked: list[str] = []
    if request.param == "gcp":
        gcp = Gcp(tmp_path)
        labels = {"gpukit-stack": "dev", "gpukit-pool": "gpus"}
        config = {"machineType": "g2-standard-8", "guestAccelerators": [GPU], "resourceLabels": labels}
        gcp.pool(gcp.cluster(), config=config, name="l4", initialNodeCount=2)
        server, address = served("/gcp", gcp_door(gcp.world), asked)
        made = Site(target("gcp", PROJECT, CENTRAL, "gpus"), Access(environment={GCP_ENDPOINT: address}))
    else:
        azure = Azure(tmp_path)
        azure.cluster()
        azure.pool(vmSize=A100, count=2, enableAutoScaling=True, minCount=0, maxCount=4, tags={"gpukit-pool": "gpus"})
        server, address = served("/azure", azure_door(azure.world), asked)
        made = Site(target("azure", SUBSCRIPTION, EASTUS, "gpus"), Access(environment={AZURE_ENDPOINT: address}))
    made.asked = asked
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


@pytest.fixture(params=["gcp", "azure"])
def several(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    """A pool that an autoscaler moves between 1 and 4 nodes, and one of a fixed number."""
    if request.param == "gcp":
        gcp = Gcp(tmp_path)
        moving = {"initialNodeCount": 2, "autoscaling": {"totalMinNodeCount": 1, "totalMaxNodeCount": 4}}
        make_in(gcp, {}, {"moving": moving, "fixed": {"initialNodeCount": 1, "autoscaling": None}})
        server, address = served("/gcp", gcp_door(gcp.world))
        made = Site(target("gcp", PROJECT, CENTRAL, "moving"), Access(environment={GCP_ENDPOINT: address}))
    else:
        azure = Azure(tmp_path)
        moving = {"count": 2, "enableAutoScaling": True, "minCount": 1, "maxCount": 4}
        make_in(azure, {}, {"moving": moving, "fixed": {"count": 1}})
        server, address = served("/azure", azure_door(azure.world))
        made = Site(target("azure", SUBSCRIPTION, EASTUS, "moving"), Access(environment={AZURE_ENDPOINT: address}))
    yield made
    server.shutdown()
    server.server_close()


def test_pools_of_both_ways_of_scaling_go_to_zero_and_resume_restores_each_as_it_was(several: Site, tmp_path: Path) -> None:
    before = several.look().sizes
    acting, done = acted(several, tmp_path, "moving", "fixed")
    assert done.error is None
    assert (done.acted, done.left) == (True, 0)
    zeroed = several.look().sizes or {}
    assert {name: (each.minimum, each.desired) for name, each in zeroed.items()} == {"moving": (0, 0), "fixed": (0, 0)}
    assert scale.resume(several.target, acting).acted
    assert several.look().sizes == before


def test_the_system_pool_of_aks_is_never_resized_although_it_has_gpus(tmp_path: Path) -> None:
    azure = Azure(tmp_path)
    azure.cluster()
    azure.pool("gpus", vmSize=A100, count=1, mode="System")
    azure.pool("work", vmSize=A100, count=1)
    server, address = served("/azure", azure_door(azure.world))
    made = Site(target("azure", SUBSCRIPTION, EASTUS, "work"), Access(environment={AZURE_ENDPOINT: address}))
    try:
        _, none = acted(made, tmp_path / "none", "gpus")
        assert (none.acted, none.error) == (False, None)
        _, done = acted(made, tmp_path / "some", "gpus", "work")
        assert done.acted
        assert {pool.name: pool.current for pool in made.look().pools or ()} == {"gpus": 1, "work": 0}
    finally:
        server.shutdown()
        server.server_close()


def test_a_spot_pool_of_aks_is_told_and_priced_as_one(tmp_path: Path) -> None:
    azure = Azure(tmp_path)
    azure.cluster()
    azure.pool("cheap", vmSize=A100, count=1, scaleSetPriority="Spot", scaleSetEvictionPolicy="Delete")
    server, address = served("/azure", azure_door(azure.world))
    try:
        access = Access(environment={AZURE_ENDPOINT: address})
        pools = Site(target("azure", SUBSCRIPTION, EASTUS, "other"), access).look().pools or ()
        assert [pool.market for pool in pools] == [Market.SPOT]
    finally:
        server.shutdown()
        server.server_close()


def test_a_pool_written_inside_its_cluster_goes_to_zero_too(tmp_path: Path) -> None:
    azure = Azure(tmp_path)
    subnet = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/lab-rg/providers/Microsoft.Network/virtualNetworks/net/subnets/nodes"
    inside = [
        {"name": "system", "mode": "System", "vmSize": CPU, "count": 1, "vnetSubnetID": subnet},
        {"name": "inline", "mode": "User", "vmSize": A100, "count": 1, "vnetSubnetID": subnet},
    ]
    azure.cluster(agentPoolProfiles=inside)
    server, address = served("/azure", azure_door(azure.world))
    made = Site(target("azure", SUBSCRIPTION, EASTUS, "inline"), Access(environment={AZURE_ENDPOINT: address}))
    try:
        acting, done = acted(made, tmp_path / "home", "inline")
        assert (done.acted, made.machines) == (True, 0)
        scale.resume(made.target, acting)
        assert made.machines == 1
    finally:
        server.shutdown()
        server.server_close()


def test_a_tag_is_added_to_those_that_are_there(site: Site) -> None:
    tag(site.target, site.look(), {"team": "ml"}, site.access)
    tag(site.target, site.look(), {"gpukit-expires": "2027-06-30"}, site.access)
    assert {"team": "ml", "gpukit-expires": "2027-06-30"}.items() <= dict(site.look().tags or {}).items()


def test_a_cluster_of_another_name_is_not_there(site: Site) -> None:
    assert not clouds.look(replace(site.target, cluster="other"), site.access, NOW).there


def test_a_cloud_that_does_not_answer_is_a_failure(site: Site) -> None:
    nowhere = dict.fromkeys(site.access.environment, "http://127.0.0.1:9/none")
    with pytest.raises(Failed):
        clouds.look(site.target, Access(environment=nowhere), NOW)


def test_clusters_of_an_account_are_listed_once_a_look_and_anew_before_acting(site: Site) -> None:
    asking = Asking(access=site.access, metering=lambda _: None, rules=Rules(), now=NOW)
    shared = asking.shared()
    targets = [replace(site.target, stack=f"s{n}", cluster=name) for n, name in enumerate(("lab", "lab", "gone", "lab"))]
    looked = together.look(targets, shared)
    assert [each.there for each in looked] == [True, True, False, True]
    assert len(discover([replace(site.target, cluster="known")], shared).looked) == 1
    assert listed(site) == 1
    together.again(looked[0], shared)
    assert listed(site) == 2
    tag(site.target, site.look(), {"gpukit-expires": "2027-06-30"}, shared.access)
    assert listed(site) == 4


def listed(site: Site) -> int:
    """Listings of all clusters so far."""
    return sum(path.endswith(("/locations/-/clusters", "/managedClusters")) for path in site.asked)


def google(names: dict[str, str], *missing: str) -> GcpCalls:
    """What is asked of Google, answered by a listing of these clusters (name to location)."""
    answer = SimpleNamespace(clusters=[SimpleNamespace(name=n, location=at) for n, at in names.items()], missing_zones=list(missing))
    listings = Listings()
    listings.once(("gke", f"projects/{PROJECT}/locations/-"), lambda: answer)
    return GcpCalls.of(target("gcp", PROJECT, "europe-west1", "gpus"), Access(environment={}, listings=listings))


def test_a_region_whose_name_begins_like_another_is_another() -> None:
    assert google({"lab": "europe-west12"}).cluster() is None
    assert google({"lab": "europe-west1-b"}).cluster() is not None


def test_a_cluster_in_a_zone_that_did_not_answer_is_not_gone() -> None:
    with pytest.raises(Failed, match="europe-west1"):
        google({}, "europe-west1-c").cluster()
    with pytest.raises(Failed, match="europe-west4-a"):
        google({}, "europe-west4-a").clusters()
    assert google({}, "europe-west4-a").cluster() is None
