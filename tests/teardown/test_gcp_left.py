"""What is left on GCP: kept data, capacity that is reserved, addresses, with prices; and lists that are throttled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from components import catalog
from components.costing import HOURS_PER_MONTH
from scripts.errors import Exit, Failed
from scripts.sandbox.kinds.gcp import tokens as t
from scripts.sandbox.store import Record
from scripts.teardown import kinds as k
from scripts.teardown.clouds.gcp import prices
from scripts.teardown.clouds.gcp.cloud import GcpCloud
from scripts.teardown.model import Scope
from scripts.teardown.verifying import Ending
from tests.sandbox.gcp_cloud import PROJECT, REGION, ZONE, Gcp
from tests.teardown.gcp_lab import LABELS, TARGET, served, teardown
from tests.teardown.lab import Ticks


@pytest.fixture
def gcp(tmp_path: Path) -> Gcp:
    return Gcp(tmp_path)


@pytest.fixture
def environment(gcp: Gcp) -> Iterator[dict[str, str]]:
    with served(gcp) as found:
        yield found


def price(service: str, sku: str) -> float:
    found = catalog.service_price("gcp", REGION, service, sku)
    assert found is not None
    return found.usd


def reserved(gcp: Gcp, name: str = "winter") -> Record:
    """A reservation of two machines that the pool `l4` names."""
    specific = {"count": 2, "instanceProperties": {"machineType": "g2-standard-8"}}
    made = gcp.make(t.RESERVATION, name=name, zone=ZONE, specificReservationRequired=True, specificReservation=specific)
    (pool,) = [each for each in gcp.all(t.NODE_POOL) if each.state["name"] == "l4"]
    affinity = {
        "consumeReservationType": "SPECIFIC_RESERVATION", "key": "compute.googleapis.com/reservation-name", "values": [name],
    }  # fmt: skip
    with gcp.world.store.transaction():
        gcp.world.store.put(pool.with_state(nodeConfig={**pool.state["nodeConfig"], "reservationAffinity": affinity}))
    return made


def ended(environment: dict[str, str], tmp_path: Path, **choices: Any) -> Ending:
    made = teardown(environment, tmp_path, **choices)
    return made.act(made.plan())


def test_a_reservation_that_the_clusters_pools_name_is_told_with_its_price_and_kept(
    gcp: Gcp, environment: dict[str, str], tmp_path: Path
) -> None:
    reserved(gcp)
    specific = {"count": 1, "instanceProperties": {"machineType": "g2-standard-8"}}
    gcp.make(t.RESERVATION, name="summer", zone=ZONE, specificReservationRequired=True, specificReservation=specific)
    ending = ended(environment, tmp_path)
    (told,) = [thing for thing in ending.kept if thing.kind == k.RESERVATION]
    machine = catalog.price("gcp", REGION, "g2-standard-8")
    assert machine is not None
    assert machine.on_demand is not None
    assert (ending.exit, told.name) == (Exit.FINE, "winter")
    assert told.monthly_usd == pytest.approx(2 * machine.on_demand.usd * HOURS_PER_MONTH)
    assert "--cancel-reservations" in ending.text()
    assert {each.state["name"] for each in gcp.all(t.RESERVATION)} == {"winter", "summer"}


def test_a_reservation_is_cancelled_when_a_person_asks_and_others_stay(gcp: Gcp, environment: dict[str, str], tmp_path: Path) -> None:
    reserved(gcp)
    specific = {"count": 1, "instanceProperties": {"machineType": "g2-standard-8"}}
    gcp.make(t.RESERVATION, name="summer", zone=ZONE, specificReservationRequired=True, specificReservation=specific)
    assert ended(environment, tmp_path, cancel_reservations=True).exit is Exit.FINE
    assert [each.state["name"] for each in gcp.all(t.RESERVATION)] == ["summer"]


def test_a_reservation_that_others_run_in_is_not_cancelled_under_them(gcp: Gcp, environment: dict[str, str], tmp_path: Path) -> None:
    reservation = reserved(gcp)
    theirs = gcp.running()[0]
    with gcp.world.store.transaction():
        theirs = replace(theirs, id=f"{theirs.id}-theirs", tags={}, parent=None)
        gcp.world.store.put(theirs.with_state(name="theirs", labels={}, reservation=reservation.id))
    ending = ended(environment, tmp_path, cancel_reservations=True, minutes={"reservations": 2})
    assert [each.state["name"] for each in gcp.all(t.RESERVATION)] == ["winter"]
    (step,) = [each for each in ending.done if each.step == "reservations"]
    assert "in use by 1 machines" in step.why


def test_a_snapshot_with_the_targets_labels_is_data_and_kept_at_its_price(gcp: Gcp, environment: dict[str, str], tmp_path: Path) -> None:
    gcp.make(t.SNAPSHOT, name="before-the-upgrade", storageBytes=str(40 * 2**30), labels=LABELS, tags=LABELS)
    gcp.make(t.SNAPSHOT, name="theirs", storageBytes="1", labels={"gpukit-stack": "lab-2"}, tags={"gpukit-stack": "lab-2"})
    ending = ended(environment, tmp_path)
    (told,) = [thing for thing in ending.kept if thing.kind == k.SNAPSHOT]
    assert told.name == "before-the-upgrade"
    assert told.monthly_usd == pytest.approx(40 * price("block_storage", "disk_snapshot"))


def test_disks_and_addresses_that_the_cluster_left_end_and_those_of_a_retained_claim_stay(
    gcp: Gcp, environment: dict[str, str], tmp_path: Path
) -> None:
    made: dict[str, Any] = {"zone": ZONE, "type": "pd-balanced", "size": 100, "labels": LABELS, "tags": LABELS}
    gcp.make(t.DISK, name="scratch", **made)
    gcp.make(t.DISK, name="pvc-1", description='{"kubernetes.io/created-for/pvc/name":"data"}', **made)
    gcp.make(t.DISK, name="theirs", **{**made, "labels": {"gpukit-stack": "lab-2"}, "tags": {"gpukit-stack": "lab-2"}})
    gcp.make(t.ADDRESS, name="front", region=REGION, addressType="EXTERNAL", labels=LABELS, tags=LABELS)
    gcp.make(t.ADDRESS, name="their-front", region=REGION, addressType="EXTERNAL")
    planned = {thing.name: thing for thing in teardown(environment, tmp_path).plan().going}
    assert planned["scratch"].monthly_usd == pytest.approx(100 * price("block_storage", "pd_balanced"))
    assert planned["front"].monthly_usd == pytest.approx(price("public_ipv4", "unused_hour") * HOURS_PER_MONTH)

    ending = ended(environment, tmp_path)
    assert (ending.exit, ending.residue) == (Exit.FINE, ())
    (kept,) = [thing for thing in ending.kept if thing.kind == k.VOLUME]
    assert (kept.name, kept.monthly_usd) == ("pvc-1", pytest.approx(100 * price("block_storage", "pd_balanced")))
    assert f"volume pvc-1: about {kept.monthly_usd:,.2f} USD a month; data of a claim" in ending.text()
    assert {each.state["name"] for each in gcp.all(t.DISK)} == {"pvc-1", "theirs"}
    assert [each.state["name"] for each in gcp.all(t.ADDRESS)] == ["their-front"]


def test_the_stacks_service_accounts_end_and_those_that_look_alike_stay(gcp: Gcp, environment: dict[str, str], tmp_path: Path) -> None:
    for id_, description in (("lab-nodes-0a1b2c", "gpukit stack lab"), ("lab-nodes", ""), ("lab-2-nodes-3d4e5f", "gpukit stack lab-2")):
        gcp.make(t.SERVICE_ACCOUNT, accountId=id_, description=description or None)
    assert ended(environment, tmp_path).exit is Exit.FINE
    assert {each.state["accountId"] for each in gcp.all(t.SERVICE_ACCOUNT)} == {"lab-nodes", "lab-2-nodes-3d4e5f"}


def test_a_service_account_is_shown_and_left_when_nothing_tells_the_stack(gcp: Gcp, environment: dict[str, str]) -> None:
    for id_, shown in (("lab-nodes-0a1b2c", "lab nodes"), ("lab-2-nodes-3d4e5f", "lab-2 nodes")):
        gcp.make(t.SERVICE_ACCOUNT, accountId=id_, displayName=shown, description="gpukit stack of-old")
    (found,) = GcpCloud(TARGET, environment).find({k.ROLE}, Scope())
    assert found.name.startswith("lab-nodes-0a1b2c@")
    assert "'gpukit stack of-old'" in found.kept
    assert GcpCloud(TARGET, environment).find({k.ROLE}, Scope(stack="lab")) == ()


@pytest.mark.parametrize(
    ("given", "known"),
    [
        ({"type": "zones/a/diskTypes/pd-ssd", "sizeGb": "10"}, True),
        ({"type": "zones/a/diskTypes/of-tomorrow", "sizeGb": "10"}, False),
        ({"type": "zones/a/diskTypes/pd-ssd", "sizeGb": "many"}, False),
        ({}, False),
    ],
)
def test_a_disk_whose_price_is_not_known_never_costs_nothing(given: dict[str, Any], known: bool) -> None:
    found = prices.disk(REGION, given)
    assert (found is not None and found > 0) is known
    assert found != 0.0


def test_one_charge_covers_the_first_forwarding_rules_and_nobody_guesses_beyond() -> None:
    assert prices.forwarding_rule(REGION, 0) == pytest.approx(price("load_balancer", "first_five_rules_hour") * HOURS_PER_MONTH)
    assert [prices.forwarding_rule(REGION, before) for before in (1, 4, 5)] == [0.0, 0.0, None]


@pytest.mark.parametrize(("service", "kind"), [("storage", k.BUCKET), ("compute", k.INSTANCE)], ids=["429", "403 of Compute Engine"])
def test_a_throttled_list_is_asked_for_again_with_growing_pauses(gcp: Gcp, environment: dict[str, str], service: str, kind: str) -> None:
    found = GcpCloud(TARGET, environment).find({kind}, Scope(stack="lab"))
    ticks = Ticks()
    gcp.world.faults.add("throttle", {"service": service, "times": 3})
    assert found
    assert GcpCloud(TARGET, environment, sleep=ticks.sleep).find({kind}, Scope(stack="lab")) == found
    assert ticks.seconds == 1 + 2 + 4


def test_a_project_that_stays_throttled_is_a_failure_and_never_an_empty_list(gcp: Gcp, environment: dict[str, str]) -> None:
    gcp.world.faults.add("throttle", {"service": "storage", "times": 100})
    with pytest.raises(Failed, match=f"still throttles project {PROJECT}.*Run the teardown again"):
        GcpCloud(TARGET, environment, sleep=Ticks().sleep).find({k.BUCKET}, Scope(stack="lab"))


def test_a_teardown_under_throttling_reaches_the_same_end(gcp: Gcp, environment: dict[str, str], tmp_path: Path) -> None:
    for service in ("compute", "container", "storage"):
        gcp.world.faults.add("throttle", {"service": service, "times": 4})
    ending = ended(environment, tmp_path)
    assert (ending.exit, ending.residue) == (Exit.FINE, ())
    assert not gcp.all(t.CLUSTER)
