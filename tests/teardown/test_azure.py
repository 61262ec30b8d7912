"""A cluster of the simulated Azure ends by its tags, through Resource Manager."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from components import catalog
from components.costing import HOURS_PER_MONTH
from scripts.engine.azure_session import Arm
from scripts.engine.environment import AZURE_ENDPOINT
from scripts.errors import Exit, Failed
from scripts.sandbox.doors.azure.door import door
from scripts.sandbox.doors.http import DoorServer
from scripts.sandbox.kinds.azure import tokens as t
from scripts.teardown import kinds as k
from scripts.teardown.clouds import azure_prices
from scripts.teardown.clouds.azure import AzureCloud
from scripts.teardown.clouds.cloud import Busy
from scripts.teardown.journal import Journal
from scripts.teardown.model import Scope, Seen, Target, Thing
from scripts.teardown.running import Pace
from scripts.teardown.step import Choices, Scene
from scripts.teardown.steps import rest
from scripts.teardown.teardown import Teardown
from tests.sandbox.azure import A100, H100, REGION, SUBSCRIPTION, Azure
from tests.teardown.lab import Ticks, ended_after_kills

TAGS = {"gpukit-stack": "lab", "gpukit-cluster": "lab"}
TARGET = Target(cloud="azure", account=SUBSCRIPTION, region=REGION, cluster="lab", world="sandbox")


@pytest.fixture
def azure(tmp_path: Path) -> Azure:
    return Azure(tmp_path)


@pytest.fixture
def environment(azure: Azure) -> Iterator[dict[str, str]]:
    yield from serving(azure)


def serving(azure: Azure) -> Generator[dict[str, str]]:
    """The environment in which clients find the world of `azure`."""
    server = DoorServer(0, {"/azure": door(azure.world)})
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield {AZURE_ENDPOINT: f"http://127.0.0.1:{server.port}/azure"}
    server.shutdown()
    server.server_close()


def teardown(environment: dict[str, str], tmp_path: Path, appended: Callable[[Any], None] = lambda _: None, **chosen: Any) -> Teardown:
    cloud, ticks = AzureCloud(TARGET, environment), Ticks()
    facts = cloud.cluster()
    choices = Choices(without_api=True, **chosen)
    return Teardown(
        scene=Scene(target=TARGET, cloud=cloud, cluster=None, engine=None, cluster_gone=facts is None, choices=choices),
        facts=facts,
        journal=Journal(tmp_path / "teardown.jsonl", appended=appended),
        say=lambda _: None,
        pace=Pace(look_seconds=300, now=ticks.now, sleep=ticks.sleep),
    )


@pytest.mark.failure("K10")
def test_a_pool_that_no_state_knows_goes_with_its_cluster_and_the_group_last(
    azure: Azure, environment: dict[str, str], tmp_path: Path
) -> None:
    azure.cluster(tags=TAGS)
    azure.pool("a100", vmSize=A100, count=1)
    made = teardown(environment, tmp_path)
    plan = made.plan()
    assert [thing.name for thing in plan.steps[0].things] == ["a100"]
    named = {thing.name for step in plan.steps for thing in step.things if thing.kind == k.POOL}
    assert named == {"a100"}, "AKS refuses to delete the last system pool: it goes with its cluster"
    ending = made.act(plan)
    assert ending.exit is Exit.FINE
    assert not azure.all(t.CLUSTER)
    assert azure.all(t.RESOURCE_GROUP), "a group without the target's tags is not the target's"


def test_a_group_that_holds_kept_data_is_kept_and_an_empty_one_goes(azure: Azure, environment: dict[str, str], tmp_path: Path) -> None:
    for name in ("data-rg", "empty-rg", "foreign-rg"):
        azure.group(name, tags=TAGS)
    azure.make(t.STORAGE_ACCOUNT, resourceGroupName="data-rg", accountName="labdata", location=REGION, kind="StorageV2", sku={"name": "Standard_LRS"}, tags=TAGS)  # fmt: skip
    azure.make(t.IDENTITY, resourceGroupName="foreign-rg", resourceName="theirs", location=REGION)
    made = teardown(environment, tmp_path)
    ending = made.act(made.plan())
    groups = {each.inputs["resourceGroupName"] for each in azure.all(t.RESOURCE_GROUP)}
    assert groups == {"data-rg", "foreign-rg"}
    assert [(thing.kind, thing.name) for thing in ending.residue] == [(k.GROUP, "foreign-rg")], "someone else's identity is in it"
    assert {thing.kind for thing in ending.kept} == {k.BUCKET, k.GROUP}


def find(environment: dict[str, str], *kinds: str, group: str = "") -> tuple[Thing, ...]:
    return AzureCloud(TARGET, environment).find(kinds or k.EVERYTHING, Scope(group=group))


def populated(azure: Azure, tags: dict[str, str], word: str) -> None:
    """Things of every kind beside a cluster, named after `word`, in a group of their own."""
    group = azure.group(f"{word}-rg", tags=tags)
    common: dict[str, Any] = {"resourceGroupName": f"{word}-rg", "location": REGION, "tags": tags}
    azure.make(t.LOAD_BALANCER, **common, loadBalancerName=f"{word}-lb", sku={"name": "Standard"})
    azure.make(t.PUBLIC_IP, **common, publicIpAddressName=f"{word}-ip", sku={"name": "Standard"}, publicIPAllocationMethod="Static")
    azure.make(t.PLACEMENT_GROUP, **common, proximityPlacementGroupName=f"{word}-near")
    azure.make(t.WORKSPACE, **common, workspaceName=f"{word}-logs")
    azure.make(t.SNAPSHOT, **common, snapshotName=f"{word}-snap", creationData={"createOption": "Empty"}, diskSizeGB=64)
    azure.make(
        t.DISK, **common, diskName=f"{word}-disk", creationData={"createOption": "Empty"}, diskSizeGB=64, sku={"name": "Premium_LRS"}
    )
    net = azure.vnet(f"{word}-net", **common)
    zone = azure.make(t.PRIVATE_ZONE, **{**common, "location": "global"}, privateZoneName=f"{word}.internal")
    link = {"privateZoneName": f"{word}.internal", "virtualNetworkLinkName": "net", "virtualNetwork": {"id": net.id}}
    azure.make(t.ZONE_LINK, resourceGroupName=f"{word}-rg", location="global", registrationEnabled=False, **link)
    who = azure.make(t.IDENTITY, **common, resourceName=f"{word}-id")
    azure.make(
        t.ROLE_ASSIGNMENT, scope=group.id, principalId=who.state["principalId"], principalType="ServicePrincipal", roleDefinitionId=READER,
        roleAssignmentName=f"00000000-0000-4000-9000-{len(azure.all(t.ROLE_ASSIGNMENT)):012d}",
    )  # fmt: skip
    counted = {"dimensions": {"name": "ResourceGroupName", "operator": "In", "values": [f"{word}-rg", f"{word}-rg-nodes"]}}
    azure.make(
        t.BUDGET, scope=f"/subscriptions/{SUBSCRIPTION}", budgetName=f"{word}-budget", amount=100, category="Cost", timeGrain="Monthly",
        filter=counted, timePeriod={"startDate": "2026-11-01T00:00:00Z"}, notifications={},
    )  # fmt: skip
    assert zone.id


READER = f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/acdd72a7-3385-48ef-bd42-f606fba81ae7"
OWNED = (
    *(t.LOAD_BALANCER, t.PUBLIC_IP, t.PLACEMENT_GROUP, t.WORKSPACE, t.DISK, t.VNET, t.PRIVATE_ZONE, t.ZONE_LINK, t.IDENTITY),
    *(t.ROLE_ASSIGNMENT, t.BUDGET),
)


@pytest.mark.failure("H12")
def test_what_a_lost_state_leaves_ends_whatever_its_kind_and_look_alikes_stay(
    azure: Azure, environment: dict[str, str], tmp_path: Path
) -> None:
    populated(azure, TAGS, "lab")
    populated(azure, {"gpukit-stack": "lab-2", "gpukit-cluster": "lab-2"}, "lab-2")
    made = teardown(environment, tmp_path)
    ending = made.act(made.plan())
    left = {kind: [each.id.rpartition("/")[2] for each in azure.all(kind)] for kind in OWNED}
    assert {kind: len(names) for kind, names in left.items()} == dict.fromkeys(OWNED, 1)
    assert left[t.BUDGET] == ["lab-2-budget"]
    assert left[t.DISK] == ["lab-2-disk"]
    assert ending.residue == ()
    assert {(thing.kind, thing.name) for thing in ending.kept} == {(k.SNAPSHOT, "lab-snap"), (k.GROUP, "lab-rg")}


def test_a_budget_that_counts_somebody_elses_group_too_is_not_the_targets(azure: Azure, environment: dict[str, str]) -> None:
    azure.group("theirs-rg")
    azure.group("mine-rg", tags=TAGS)
    for name, groups in (("both", ["mine-rg", "theirs-rg"]), ("all", []), ("mine", ["MINE-RG", "gone-rg"])):
        counted = {"filter": {"dimensions": {"name": "ResourceGroupName", "operator": "In", "values": groups}}} if groups else {}
        azure.make(
            t.BUDGET, scope=f"/subscriptions/{SUBSCRIPTION}", budgetName=name, amount=1, category="Cost", timeGrain="Monthly",
            timePeriod={"startDate": "2026-11-01T00:00:00Z"}, notifications={}, **counted,
        )  # fmt: skip
    assert [thing.name for thing in find(environment, k.BUDGET)] == ["mine"]


def test_an_identity_waits_for_its_rights_and_a_zone_for_its_links(azure: Azure, environment: dict[str, str]) -> None:
    """Were the identity gone first, nothing would tell any more whose the rights are."""
    populated(azure, TAGS, "lab")
    cloud = AzureCloud(TARGET, environment)
    for owner, part in ((k.ROLE, k.GRANT), (k.ZONE, k.ZONE_LINK)):
        (whole,) = cloud.find([owner], Scope())
        with pytest.raises(Busy, match=part):
            cloud.delete(whole)
        (inside,) = cloud.find([part], Scope())
        cloud.delete(inside)
        cloud.delete(whole)


def test_rights_of_the_identity_that_aks_makes_for_nodes_end_with_the_cluster_and_those_of_a_given_one_stay(
    azure: Azure, environment: dict[str, str]
) -> None:
    cluster = azure.cluster(tags=TAGS)
    kubelet = cluster.state["identityProfile"]["kubeletidentity"]["objectId"]
    given = azure.grant(f"/subscriptions/{SUBSCRIPTION}/resourceGroups/lab-rg")
    azure.make(
        t.ROLE_ASSIGNMENT, scope=f"/subscriptions/{SUBSCRIPTION}/resourceGroups/lab-rg", principalId=kubelet, roleDefinitionId=READER,
        roleAssignmentName="00000000-0000-4000-9000-000000000099", principalType="ServicePrincipal",
    )  # fmt: skip
    cloud = AzureCloud(TARGET, environment)
    cloud.delete(*cloud.find([k.CLUSTER], Scope()))
    assert [each.id for each in azure.all(t.ROLE_ASSIGNMENT)] == [given.id]


def test_reservations_are_reported_with_their_price_and_end_on_request_only(
    azure: Azure, environment: dict[str, str], tmp_path: Path
) -> None:
    azure.group("reserved-rg", tags=TAGS)
    group = {"resourceGroupName": "reserved-rg", "capacityReservationGroupName": "held"}
    azure.make(t.RESERVATION_GROUP, **group, location=REGION, tags=TAGS)
    azure.make(t.RESERVATION, **group, capacityReservationName="h100", location=REGION, sku={"name": H100, "capacity": 2})
    made = teardown(environment, tmp_path)
    ending = made.act(made.plan())
    assert azure.all(t.RESERVATION)
    assert ending.exit is Exit.NO
    price = catalog.price("azure", REGION, H100)
    assert price is not None
    assert price.on_demand is not None
    (held,) = (thing for thing in ending.residue if thing.name.startswith("2 x"))
    assert held.monthly_usd == pytest.approx(2 * price.on_demand.usd * HOURS_PER_MONTH)
    assert "--cancel-reservations" in ending.text()

    again = teardown(environment, tmp_path, cancel_reservations=True)
    again.act(again.plan())
    assert not azure.all(t.RESERVATION)
    assert not azure.all(t.RESERVATION_GROUP)


def test_a_disk_of_a_known_tier_has_a_price_and_one_of_an_unknown_tier_is_never_free() -> None:
    shown = {"sku": {"name": "Premium_LRS"}, "properties": {"tier": "P10"}}
    figure = catalog.service_price("azure", REGION, "managed_disk", "premium_ssd_v1_p10_lrs")
    assert figure is not None
    assert azure_prices.disk(REGION, shown) == figure.usd
    assert azure_prices.disk(REGION, {"sku": {"name": "Premium_LRS"}, "properties": {}}) is None
    assert azure_prices.disk(REGION, {"sku": {"name": "UltraSSD_LRS"}, "properties": {"tier": "P10"}}) is None


@pytest.mark.failure("K5")
def test_an_interface_in_use_goes_with_what_uses_it(azure: Azure, environment: dict[str, str]) -> None:
    subnet = azure.ground()
    ports = [{"name": "one", "subnet": {"id": subnet.id}}]
    for name in ("used", "left"):
        azure.make(t.INTERFACE, networkInterfaceName=name, location=REGION, ipConfigurations=ports, tags=TAGS)
    used = next(each for each in azure.all(t.INTERFACE) if each.id.endswith("/used"))
    with azure.world.store.transaction():
        azure.world.store.put(replace(used, state={**used.state, "virtualMachine": {"id": "/vm"}}))
    seen = Seen(things=find(environment, k.INTERFACE))
    assert [thing.name for thing in rest.INTERFACES.touches(seen)] == ["left"]


@pytest.mark.failure("K11")
def test_a_lock_on_the_group_protects_the_cluster_in_it(azure: Azure, environment: dict[str, str]) -> None:
    azure.cluster(tags=TAGS)
    cloud = AzureCloud(TARGET, environment)
    facts = cloud.cluster()
    assert facts is not None
    assert not facts.protected
    scope = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/lab-rg"
    azure.make(t.LOCK, scope=scope, lockName="keep", level="CanNotDelete")
    locked = cloud.cluster()
    assert locked is not None
    assert locked.protected


@pytest.mark.long
def test_runs_that_are_killed_again_and_again_reach_the_same_end(azure: Azure, environment: dict[str, str], tmp_path: Path) -> None:
    azure.cluster(tags=TAGS)
    azure.pool("a100", vmSize=A100, count=1)
    kills, ending = ended_after_kills(lambda appended: teardown(environment, tmp_path, appended))
    assert kills > 1
    assert (ending.exit, ending.residue, ending.kept) == (Exit.FINE, (), ())
    assert not azure.all(t.CLUSTER)


def test_throttling_is_waited_for_then_tried_again_by_the_step_and_never_taken_for_an_empty_list(
    azure: Azure, environment: dict[str, str]
) -> None:
    azure.group(tags=TAGS)
    azure.vnet(tags=TAGS, location=REGION)
    ticks = Ticks()
    cloud = AzureCloud(TARGET, environment, Arm(environment, sleep=ticks.sleep))
    azure.world.faults.add("throttle", {"service": "resources", "times": 1})
    (net,) = cloud.find([k.NETWORK], Scope())
    assert ticks.seconds > 0
    azure.world.faults.add("throttle", {"service": "network", "times": 3})
    with pytest.raises(Busy, match="TooManyRequests"):
        cloud.delete(net)
    cloud.delete(net)
    assert not azure.all(t.VNET)
    azure.world.faults.add("throttle", {"service": "resources", "times": 99})
    with pytest.raises(Failed, match="TooManyRequests"):
        cloud.find([k.NETWORK], Scope())


def test_a_cloud_that_does_not_answer_is_a_failure_and_never_a_cluster_that_is_gone() -> None:
    with pytest.raises(Failed, match=r"did not answer .*Nothing was changed"):
        AzureCloud(TARGET, {AZURE_ENDPOINT: "http://127.0.0.1:9/azure"}).cluster()
