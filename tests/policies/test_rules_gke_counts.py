"""GPU-GKE-20 to 24: nodes per zone, numbers that drift, slices of TPU hosts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from components.resource import Options
from components.unknown import Unknown
from policies import Level, Status, evaluate
from policies.readers import gcp_types as gcp
from tests.policies.gcp_raw import ZONE, a3_mega, cluster, inference, judged, pool, rdma
from tests.policies.raw import SETTINGS, Raw, said

ZONES = ["us-central1-a", "us-central1-b", "us-central1-c"]
RULES = [f"GPU-GKE-{n}" for n in range(20, 25)]


@pytest.mark.parametrize("program", [a3_mega(), rdma(), inference(), cluster()])
@pytest.mark.parametrize("rule", RULES)
def test_good_pools_are_silent(program: Raw, rule: str) -> None:
    assert judged(program, rule) == []


@pytest.mark.failure("D7")
@pytest.mark.parametrize("sizes", [{"autoscaling": {"minNodeCount": 0, "maxNodeCount": 6}}, {"autoscaling": None, "nodeCount": 6}])
def test_counts_for_each_of_several_zones_are_refused_with_their_sum(sizes: dict[str, Any]) -> None:
    program = inference().set("l4", ZONES, "nodeLocations")
    program.written["l4"].inputs |= sizes
    (finding,) = judged(program, "GPU-GKE-20")
    assert (finding.status, finding.level, finding.path) == (Status.VIOLATED, Level.MANDATORY, "nodeLocations")
    assert finding.message == (
        "l4: its numbers count for each zone, and it lies in 3 zones: up to 18 nodes in all. The bill and the quota are those of the sum. "
        "Give nodeLocations one zone, and totalMinNodeCount with totalMaxNodeCount."
    )
    assert pool(program, "l4").nodes.maximum == 18


@pytest.mark.failure("D7")
def test_a_pool_that_names_no_zone_inherits_three() -> None:
    program = inference().set("l4", None, "nodeLocations").set("l4", {"minNodeCount": 0, "maxNodeCount": 3}, "autoscaling")
    (finding,) = judged(program, "GPU-GKE-20")
    assert "3 zones that GKE picks, as neither pool nor cluster names any: up to 9 nodes in all" in finding.message


@pytest.mark.failure("D7")
@pytest.mark.parametrize("changed", [{"nodeLocations": [ZONE]}, {"autoscaling": {"totalMinNodeCount": 0, "totalMaxNodeCount": 6}}])
def test_one_zone_or_total_counts_repair_it(changed: dict[str, Any]) -> None:
    program = inference().set("l4", ZONES, "nodeLocations").set("l4", {"minNodeCount": 0, "maxNodeCount": 6}, "autoscaling")
    program.written["l4"].inputs |= changed
    assert judged(program, "GPU-GKE-20") == []


@pytest.mark.failure("F7")
def test_a_fabric_over_several_zones_is_refused_however_it_is_counted() -> None:
    (finding,) = judged(a3_mega().set("h100", ZONES, "nodeLocations"), "GPU-GKE-20")
    assert "nodes of a3-megagpu-8g in 3 zones: their fast network reaches across none of them" in finding.message


@pytest.mark.failure("F7")
def test_a_fabric_in_one_zone_passes() -> None:
    assert judged(a3_mega(), "GPU-GKE-20") == []


@pytest.mark.parametrize("path", ["nodeLocations", "autoscaling"])
def test_zones_or_numbers_that_are_not_known_are_no_pass(path: str) -> None:
    program = inference().set("l4", ZONES, "nodeLocations").set("l4", Unknown(path), path)
    (finding,) = judged(program, "GPU-GKE-20")
    assert (finding.status, finding.fails) == (Status.UNKNOWN, True)


def test_a_machine_that_may_have_no_gpus_is_unknown_rather_than_wrong() -> None:
    program = cluster().set("system", "q2-custom-4-8192", "nodeConfig", "machineType").set("system", ZONES, "nodeLocations")
    (finding,) = judged(program, "GPU-GKE-20")
    assert finding.status is Status.UNKNOWN


@pytest.mark.failure("D8")
@pytest.mark.parametrize("zone", ["us-east1-b", "us-central1", "iowa"])
def test_a_zone_of_another_region_is_refused(zone: str) -> None:
    (finding,) = judged(inference().set("l4", [zone], "nodeLocations"), "GPU-GKE-21")
    assert f"{zone} is not a zone of region us-central1" in finding.message


def drifting(*ignored: str) -> list[str]:
    program = inference().set("l4", 1, "initialNodeCount").built()
    options = Options(ignore_changes=ignored)
    resources = tuple(replace(r, options=options) if r.name == "l4" else r for r in program.resources)
    return [f.path for f in said(evaluate(replace(program, resources=resources), SETTINGS), "GPU-GKE-22") if f.fails]


@pytest.mark.failure("D11")
def test_an_initial_count_whose_changes_count_is_refused() -> None:
    assert drifting() == ["initialNodeCount"]


@pytest.mark.failure("D11")
@pytest.mark.parametrize("spelling", ["initialNodeCount", "initial_node_count"])
def test_ignoring_its_changes_repairs_it(spelling: str) -> None:
    assert drifting(spelling) == []


@pytest.mark.failure("H1")
def test_a_fixed_count_beside_the_autoscaler_is_refused() -> None:
    (finding,) = judged(inference().set("l4", 2, "nodeCount"), "GPU-GKE-23")
    assert (finding.path, finding.fails) == ("nodeCount", True)


@pytest.mark.failure("H1")
def test_the_autoscaler_alone_repairs_it() -> None:
    assert judged(inference(), "GPU-GKE-23") == []


@pytest.mark.parametrize("limits", [{"totalMaxNodeCount": 6, "maxNodeCount": 6}, {"totalMaxNodeCount": 6, "minNodeCount": 0}])
def test_limits_of_both_kinds_are_refused(limits: dict[str, int]) -> None:
    (finding,) = judged(inference().set("l4", limits, "autoscaling"), "GPU-GKE-23")
    assert finding.path == "autoscaling"


def test_zeros_that_a_provider_fills_in_are_no_limits() -> None:
    filled = {"minNodeCount": 0, "maxNodeCount": 0, "totalMinNodeCount": 0, "totalMaxNodeCount": 6}
    assert judged(inference().set("l4", filled, "autoscaling"), "GPU-GKE-23") == []


@pytest.mark.parametrize(
    ("changed", "where"),
    [
        ({"autoscaling": {"totalMinNodeCount": 5, "totalMaxNodeCount": 4}}, "autoscaling"),
        ({"autoscaling": None, "nodeCount": 2, "initialNodeCount": 2}, "nodeCount"),
    ],
)
def test_numbers_that_contradict_each_other_are_refused(changed: dict[str, Any], where: str) -> None:
    program = inference()
    program.written["l4"].inputs |= changed
    assert [f.path for f in judged(program, "GPU-GKE-23") if f.fails] == [where]


def test_an_unknown_limit_contradicts_nothing_for_certain() -> None:
    assert judged(inference().hide("l4", "autoscaling", "totalMaxNodeCount"), "GPU-GKE-23") == judged(inference(), "GPU-GKE-23")


def tpus(topology: str = "4x4", most: int = 4, **pool: Any) -> Raw:
    """A slice of v6e: 16 chips on 4 hosts."""
    written: dict[str, Any] = {
        "cluster": "@gke",
        "nodeLocations": [ZONE],
        "autoscaling": {"totalMinNodeCount": 0, "totalMaxNodeCount": most},
        "placementPolicy": {"type": "COMPACT", "tpuTopology": topology},
        "nodeConfig": {"machineType": "ct6e-standard-4t"},
    }
    return cluster().add(gcp.NODE_POOL, "tpu", **(written | pool))


def test_a_slice_with_all_its_hosts_passes_every_rule_of_the_area() -> None:
    assert [judged(tpus(), rule) for rule in RULES] == [[]] * len(RULES)
    assert judged(tpus("2x2", 1, placementPolicy={"tpuTopology": "2x2"}), "GPU-GKE-24") == []
    assert judged(tpus(placementPolicy={}), "GPU-GKE-24") == []


@pytest.mark.parametrize(
    ("program", "where"),
    [
        (tpus(most=3), "placementPolicy.tpuTopology"),
        (tpus("4 by 4"), "placementPolicy.tpuTopology"),
        (tpus("0x4"), "placementPolicy.tpuTopology"),
        (tpus(placementPolicy={"tpuTopology": "4x4"}), "placementPolicy.type"),
    ],
)
def test_a_slice_without_all_its_hosts_is_refused(program: Raw, where: str) -> None:
    (finding,) = judged(program, "GPU-GKE-24")
    assert (finding.path, finding.status, finding.fails) == (where, Status.VIOLATED, True)


@pytest.mark.parametrize("path", [("placementPolicy", "tpuTopology"), ("placementPolicy", "type"), ("autoscaling",)])
def test_a_slice_that_cannot_be_told_is_unknown(path: tuple[str, ...]) -> None:
    (finding,) = judged(tpus().hide("tpu", *path), "GPU-GKE-24")
    assert finding.status is Status.UNKNOWN


def test_a_gpu_pool_has_no_slices() -> None:
    program = inference().set("l4", {"tpuTopology": "4x4"}, "placementPolicy")
    assert judged(program, "GPU-GKE-24") == []


def test_a_zone_of_the_file_that_is_hidden_may_be_another_regions() -> None:
    (finding,) = judged(inference().set("l4", [Unknown("zone")], "nodeLocations"), "GPU-GKE-21")
    assert (finding.status, finding.level) == (Status.UNKNOWN, Level.ADVISORY)
