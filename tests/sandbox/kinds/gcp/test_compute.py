from __future__ import annotations

from typing import Any

import pytest

from scripts.sandbox.kinds.gcp import tokens as t
from scripts.sandbox.store import Record
from tests.sandbox.gcp_cloud import ZONE, Gcp
from tests.sandbox.kinds.gcp.test_network import refused

CPU = "e2-standard-4"


def machine(gcp: Gcp, **changes: Any) -> Record:
    subnetwork = next(iter(gcp.all(t.SUBNETWORK)), None) or gcp.subnetwork(gcp.network())
    interface = {"network": subnetwork.state["networkId"], "subnetwork": subnetwork.id}
    given = {"zone": ZONE, "machineType": CPU, "bootDisk": {"initializeParams": {"size": 50}}, "networkInterfaces": [interface]}
    return gcp.make(t.INSTANCE, **{**given, **changes})


def test_a_machine_has_its_disk_and_an_address_of_its_subnetwork(gcp: Gcp):
    made = machine(gcp)
    assert made.state["networkInterfaces"][0]["networkIp"] == "10.0.0.2"
    assert [(d.state["size"], d.parent) for d in gcp.all(t.DISK)] == [(50, made.ref)]
    gcp.delete(made)
    assert not gcp.all(t.DISK)


def test_a_disk_that_is_to_stay_outlives_its_machine(gcp: Gcp):
    made = machine(gcp, bootDisk={"autoDelete": False})
    (disk,) = gcp.all(t.DISK)
    refused(lambda: gcp.delete(disk), "already being used by")
    gcp.delete(made)
    gcp.delete(disk)


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"machineType": "e2-nothing"}, "does not exist in zone"),
        ({"machineType": "g2-standard-8", "scheduling": {"onHostMaintenance": "MIGRATE"}}, "live migration"),
        ({"scheduling": {"provisioningModel": "SPOT", "automaticRestart": True}}, "not restarted automatically"),
        ({"zone": None}, "give the instance's zone"),
    ],
)
def test_what_compute_engine_refuses_of_a_machine(gcp: Gcp, changes: dict[str, Any], match: str):
    refused(lambda: machine(gcp, **changes), match)


def test_a_protected_machine_stays(gcp: Gcp):
    made = machine(gcp, deletionProtection=True)
    refused(lambda: gcp.delete(made), "protected against deletion")
    gcp.delete(gcp.change(made, deletionProtection=False))


def test_a_managed_group_follows_its_target_size_and_holds_its_template(gcp: Gcp):
    subnetwork = gcp.subnetwork(gcp.network())
    interface = {"network": subnetwork.state["networkId"], "subnetwork": subnetwork.id}
    template = gcp.make(t.TEMPLATE, machineType=CPU, disks=[{}], networkInterfaces=[interface], labels={"team": "a"})
    versions = [{"instanceTemplate": template.state["selfLink"]}]
    group = gcp.make(t.GROUP, zone=ZONE, baseInstanceName="w", versions=versions, targetSize=2)
    assert [i.tags["team"] for i in gcp.running()] == ["a", "a"]
    refused(lambda: gcp.delete(template), "already being used by")
    gcp.change(group, targetSize=1)
    assert len(gcp.running()) == 1
    gcp.delete(group)
    assert not gcp.running()
    gcp.delete(template)


def test_a_reservation_takes_quota_serves_machines_that_name_it_and_stays_while_they_run(gcp: Gcp):
    specific = {"count": 1, "instanceProperties": {"machineType": CPU}}
    held = gcp.make(t.RESERVATION, name="held", zone=ZONE, specificReservation=specific, specificReservationRequired=True)
    affinity = {
        "type": "SPECIFIC_RESERVATION",
        "specificReservation": {"key": "compute.googleapis.com/reservation-name", "values": ["held"]},
    }
    made = machine(gcp, reservationAffinity=affinity)
    refused(lambda: machine(gcp, reservationAffinity=affinity), "does not have enough capacity")
    refused(lambda: machine(gcp, reservationAffinity=affinity, machineType="e2-standard-8"), "holds machine type")
    refused(lambda: gcp.delete(held), "already being used by")
    gcp.delete(made)
    gcp.delete(held)
    refused(
        lambda: gcp.make(t.RESERVATION, zone=ZONE, specificReservation={"count": 0, "instanceProperties": {"machineType": CPU}}),
        "at least 1",
    )


def test_a_placement_policy_stays_while_a_pool_names_it(gcp: Gcp):
    policy = gcp.make(t.POLICY, name="tight", region="us-central1", groupPlacementPolicy={"collocation": "COLLOCATED"})
    cluster = gcp.cluster()
    pool = gcp.pool(cluster, placementPolicy={"type": "COMPACT", "policyName": "tight"})
    refused(lambda: gcp.delete(policy), "already being used by")
    refused(lambda: gcp.pool(cluster, placementPolicy={"type": "COMPACT", "policyName": "gone"}), "resourcePolicies/gone")
    gcp.delete(pool)
    gcp.delete(policy)
