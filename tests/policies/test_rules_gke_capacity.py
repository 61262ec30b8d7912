"""GPU-GKE-10 to 15: ways of buying capacity and what excludes them."""

from __future__ import annotations

from typing import Any

import pytest

from components.unknown import Unknown
from policies import Level, Status
from policies.readers import gcp_types as gcp
from tests.policies.gcp_raw import ZONE, a3_mega, accelerator, cluster, inference, judged, rdma
from tests.policies.raw import Raw

NONE = {"consumeReservationType": "NO_RESERVATION"}
KEY = "compute.googleapis.com/reservation-name"


def flex(**pool: Any) -> Raw:
    """L4 by flex-start, as GKE wants it."""
    node: dict[str, Any] = {
        "machineType": "g2-standard-8",
        "flexStart": True,
        "maxRunDuration": "604800s",
        "reservationAffinity": NONE,
        "guestAccelerators": [accelerator("nvidia-l4", 1)],
    }
    written: dict[str, Any] = {
        "cluster": "@gke",
        "nodeLocations": [ZONE],
        "autoscaling": {"totalMinNodeCount": 0, "totalMaxNodeCount": 4},
        "management": {"autoRepair": False, "autoUpgrade": False},
        "nodeConfig": node,
    }
    return cluster().add(gcp.NODE_POOL, "flex", **(written | pool))


def queued() -> Raw:
    return flex(queuedProvisioning={"enabled": True})


@pytest.mark.failure("D4")
@pytest.mark.parametrize("program", [queued(), flex(), inference(), rdma(), a3_mega()])
@pytest.mark.parametrize("rule", [f"GPU-GKE-{n}" for n in range(10, 16)])
def test_good_pools_are_silent(program: Raw, rule: str) -> None:
    assert judged(program, rule) == []


@pytest.mark.failure("D4")
@pytest.mark.parametrize("affinity", [None, {"consumeReservationType": "ANY_RESERVATION"}])
def test_queued_provisioning_without_no_reservation_is_refused(affinity: dict[str, str] | None) -> None:
    program = queued().set("flex", affinity, "nodeConfig", "reservationAffinity")
    (finding,) = judged(program, "GPU-GKE-10")
    assert (finding.status, finding.level, finding.path) == (Status.VIOLATED, Level.MANDATORY, "nodeConfig.reservationAffinity")
    assert finding.message == (
        "flex: queued provisioning, and reservationAffinity does not say NO_RESERVATION. The default is not none, so GKE refuses the pool. "
        "Write consumeReservationType NO_RESERVATION out."
    )


@pytest.mark.parametrize(
    ("path", "value", "where"),
    [
        (("autoscaling", "totalMinNodeCount"), 1, "autoscaling"),
        (("autoscaling",), None, "autoscaling"),
        (("placementPolicy",), {"type": "COMPACT"}, "placementPolicy"),
    ],
)
def test_queued_provisioning_excludes_minimum_and_placement(path: tuple[str, ...], value: object, where: str) -> None:
    assert where in [f.path for f in judged(queued().set("flex", value, *path), "GPU-GKE-10") if f.fails]


@pytest.mark.failure("D4")
@pytest.mark.parametrize(
    ("path", "value", "where"),
    [
        (("nodeConfig", "spot"), True, "nodeConfig.flexStart"),
        (("nodeConfig", "reservationAffinity"), None, "nodeConfig.reservationAffinity"),
        (("management", "autoRepair"), True, "management.autoRepair"),
        (("management",), None, "management.autoRepair"),
        (("nodeCount",), 2, "nodeCount"),
        (("initialNodeCount",), 2, "nodeCount"),
        (("autoscaling",), None, "nodeCount"),
        (("placementPolicy",), {"type": "COMPACT"}, "placementPolicy"),
        (("nodeConfig", "maxRunDuration"), "604801s", "nodeConfig.maxRunDuration"),
    ],
)
def test_flex_start_excludes(path: tuple[str, ...], value: object, where: str) -> None:
    (finding,) = judged(flex().set("flex", value, *path), "GPU-GKE-11")
    assert (finding.path, finding.fails) == (where, True)


def test_flex_start_on_a3_ultra_may_be_compact() -> None:
    program = flex(placementPolicy={"type": "COMPACT"}).set("flex", "a3-ultragpu-8g", "nodeConfig", "machineType")
    assert judged(program, "GPU-GKE-11") == []


@pytest.mark.parametrize("path", [("nodeConfig", "spot"), ("management", "autoRepair"), ("nodeConfig", "maxRunDuration")])
def test_what_cannot_be_told_is_advice(path: tuple[str, ...]) -> None:
    (finding,) = judged(flex().hide("flex", *path), "GPU-GKE-11")
    assert (finding.status, finding.level) == (Status.UNKNOWN, Level.ADVISORY)


def test_a_run_time_that_is_no_number_of_seconds_is_unknown() -> None:
    (finding,) = judged(flex().set("flex", "7d", "nodeConfig", "maxRunDuration"), "GPU-GKE-11")
    assert "'7d', which is no number of seconds" in finding.message


@pytest.mark.failure("B2")
@pytest.mark.parametrize(
    ("key", "value", "where"),
    [
        ("values", [], "nodeConfig.reservationAffinity.values"),
        ("values", ["one", "two"], "nodeConfig.reservationAffinity.values"),
        ("key", "reservation-name", "nodeConfig.reservationAffinity.key"),
        ("consumeReservationType", "ANY_RESERVATION", "nodeConfig.reservationAffinity.consumeReservationType"),
    ],
)
def test_a_reservation_that_is_not_really_named_is_refused(key: str, value: object, where: str) -> None:
    (finding,) = judged(rdma().set("h200", value, "nodeConfig", "reservationAffinity", key), "GPU-GKE-12")
    assert (finding.path, finding.fails) == (where, True)


@pytest.mark.failure("B2")
def test_one_name_under_the_right_key_repairs_it() -> None:
    assert judged(rdma().set("h200", ["ours/reservationBlocks/b1"], "nodeConfig", "reservationAffinity", "values"), "GPU-GKE-12") == []


def test_spot_beside_a_reservation_is_refused() -> None:
    (finding,) = judged(rdma().set("h200", True, "nodeConfig", "spot"), "GPU-GKE-12")
    assert finding.path == "nodeConfig.spot"


@pytest.mark.failure("A9")
def test_compact_placement_beside_a_specific_reservation_is_refused() -> None:
    (finding,) = judged(rdma().set("h200", {"type": "COMPACT"}, "placementPolicy"), "GPU-GKE-13")
    assert (finding.path, finding.fails) == ("placementPolicy", True)


@pytest.mark.failure("A9")
def test_the_policy_of_the_reservation_repairs_it() -> None:
    assert judged(rdma().set("h200", {"type": "COMPACT", "policyName": "made-with-ours"}, "placementPolicy"), "GPU-GKE-13") == []


def test_a_placement_policy_that_this_program_makes_is_its_own() -> None:
    program = rdma().plus(gcp.RESOURCE_POLICY, "close", groupPlacementPolicy={"collocation": "COLLOCATED"})
    (finding,) = judged(program.set("h200", {"type": "COMPACT", "policyName": "@close"}, "placementPolicy"), "GPU-GKE-13")
    assert finding.status is Status.VIOLATED


def test_an_unknown_placement_is_advice() -> None:
    (finding,) = judged(rdma().set("h200", Unknown("placementPolicy"), "placementPolicy"), "GPU-GKE-13")
    assert (finding.status, finding.level) == (Status.UNKNOWN, Level.ADVISORY)


def reserved(**properties: Any) -> Raw:
    """The pool of H200 with a reservation that the program makes."""
    specific = {"count": 2, "instanceProperties": {"machineType": "a3-ultragpu-8g"}}
    program = rdma().plus(gcp.RESERVATION, "ours", zone=ZONE, specificReservationRequired=True, specificReservation=specific)
    program.written["ours"].inputs |= properties
    return program.set("h200", ["@ours"], "nodeConfig", "reservationAffinity", "values")


@pytest.mark.failure("D6")
@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (
            ("specificReservation", "instanceProperties", "machineType"),
            "a4-highgpu-8g",
            "machine a3-ultragpu-8g where a4-highgpu-8g is reserved",
        ),
        (("zone",), "us-central1-b", "nodes outside zone us-central1-b"),
        (("specificReservationRequired",), False, "specificReservationRequired is not set"),
    ],
)
def test_nodes_that_differ_from_their_reservation_are_refused(path: tuple[str, ...], value: object, said: str) -> None:
    (finding,) = judged(reserved().set("ours", value, *path), "GPU-GKE-14")
    assert finding.fails
    assert said in finding.message


@pytest.mark.failure("D6")
def test_nodes_like_their_reservation_pass() -> None:
    assert judged(reserved(), "GPU-GKE-14") == []


def test_more_nodes_than_are_reserved_are_told() -> None:
    (finding,) = judged(reserved().set("ours", 1, "specificReservation", "count"), "GPU-GKE-14")
    assert (finding.level, "up to 2 nodes, and ours reserves 1" in finding.message) == (Level.ADVISORY, True)


def test_a_reservation_that_cannot_be_read_is_advice() -> None:
    (finding,) = judged(reserved().hide("ours", "zone"), "GPU-GKE-14")
    assert (finding.status, finding.level) == (Status.UNKNOWN, Level.ADVISORY)


def test_a_pool_that_may_name_the_reservation_or_another_is_unknown() -> None:
    program = reserved().set("h200", [Unknown("values[0]")], "nodeConfig", "reservationAffinity", "values")
    (finding,) = judged(program, "GPU-GKE-14")
    assert (finding.status, finding.urn) == (Status.UNKNOWN, program.urn("h200"))
    assert "it cannot be told which reservation its nodes must match" in finding.message


def compact(**pool: Any) -> Raw:
    program = a3_mega().set("h100", {"type": "COMPACT"}, "placementPolicy")
    program.written["h100"].inputs |= pool
    return program


@pytest.mark.failure("A8")
@pytest.mark.parametrize(
    ("changed", "where"),
    [
        ({"nodeLocations": [ZONE, "us-central1-b"]}, "nodeLocations"),
        ({"upgradeSettings": {"strategy": "BLUE_GREEN"}}, "upgradeSettings.strategy"),
    ],
)
def test_compact_placement_over_zones_or_with_blue_green_is_refused(changed: dict[str, Any], where: str) -> None:
    (finding,) = judged(compact(**changed), "GPU-GKE-15")
    assert (finding.path, finding.fails) == (where, True)


@pytest.mark.failure("A8")
def test_compact_placement_in_one_zone_passes() -> None:
    assert judged(compact(), "GPU-GKE-15") == []


@pytest.mark.failure("D8")
def test_a_machine_that_is_not_sold_on_demand_is_refused() -> None:
    program = rdma().set("h200", None, "nodeConfig", "reservationAffinity")
    (finding,) = [f for f in judged(program, "GPU-CAP-07") if f.fails]
    assert "a3-ultragpu-8g is not sold as on demand" in finding.message


@pytest.mark.failure("D8")
def test_the_same_machine_in_a_reservation_passes() -> None:
    assert judged(rdma(), "GPU-CAP-07") == judged(rdma(), "GPU-ZONE-01") == []


def test_small_a3_high_comes_from_no_reservation() -> None:
    (finding,) = judged(rdma().set("h200", "a3-highgpu-2g", "nodeConfig", "machineType"), "GPU-CAP-07")
    assert "a3-highgpu-2g is not sold as reservation" in finding.message


def test_any_reservation_serves_a_machine_that_is_not_sold_on_demand() -> None:
    affinity = {"consumeReservationType": "ANY_RESERVATION"}
    assert judged(rdma().set("h200", affinity, "nodeConfig", "reservationAffinity"), "GPU-CAP-07") == []


@pytest.mark.failure("D6")
def test_a_block_of_the_reservation_is_the_reservation() -> None:
    program = reserved().set("h200", ["ours/reservationBlocks/b1"], "nodeConfig", "reservationAffinity", "values")
    program.written["ours"].inputs |= {"name": "ours", "zone": "us-central1-b"}
    assert [f.fails for f in judged(program, "GPU-GKE-14")] == [True]
