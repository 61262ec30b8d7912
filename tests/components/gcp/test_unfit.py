"""What Google, or two parts of one cluster, would refuse is refused by name before the first resource."""

from __future__ import annotations

from typing import Any

import pytest

from components.gcp.assembly import Assembly, refusals
from components.refusals import SpecErrors
from tests.components.patching import changed

from .specs import INFERENCE, REGION, TPU, TRAINING, spec, training

MIXED = [
    {"name": "one", "machine": "a3-megagpu-8g", "zone": "us-central1-a", "capacity": {"mode": "spot"}},
    {"name": "other", "machine": "a3-highgpu-8g", "zone": "us-central1-a", "capacity": {"mode": "spot"}},
]
EXISTING = {"network": "n", "node_subnets": {"us-central1-a": "s"}, "pod_range": "p", "service_range": "v"}
QUEUED, FLEX, RESERVED = {"mode": "queued"}, {"mode": "flex_start"}, {"mode": "reservation", "id": "r"}


def told(patch: dict[str, Any], base: dict[str, Any] = TRAINING, region: str = REGION) -> dict[str, str]:
    return {refusal.path: str(refusal) for refusal in refusals(spec(base, patch), region)}


def refused(path: str, why: str, patch: dict[str, Any], base: dict[str, Any] = TRAINING) -> None:
    found = told(patch, base)
    assert list(found) == [path]
    assert why in found[path]


@pytest.mark.failure("D8")
def test_a_machine_that_the_region_has_not_is_refused_with_the_regions_that_have_it() -> None:
    patch = {"pools": {"machine": "a4-highgpu-8g", "zone": "us-west4-a"}, "network": {"zones": ["us-west4-a"]}}
    [(path, text)] = told(patch, region="us-west4").items()
    assert path == "pools[0].machine"
    assert "us-central1" in text


@pytest.mark.parametrize("machine", ["a3-ultragpu-8g", "a4-highgpu-8g", "a3-highgpu-2g"])
def test_a_machine_that_is_not_sold_on_demand_is_refused_with_the_ways_in_which_it_is(machine: str) -> None:
    refused("pools[0].capacity.mode", "spot", {"pools": {"machine": machine, "capacity": {"mode": "on_demand"}}})


def test_small_a3_machines_come_from_no_reservation() -> None:
    refused("pools[0].capacity.mode", "not sold that way", {"pools": {"machine": "a3-highgpu-4g", "capacity": RESERVED}})


@pytest.mark.parametrize(
    ("machine", "why"),
    [
        ("a4x-highgpu-4g", "ComputeDomains"),
        ("a4x-maxgpu-4g-metal", "ComputeDomains"),
        ("g4-standard-12", "vGPU"),
        ("tpu7x-standard-4t", "not established"),
        ("ct5l-hightpu-4t", "not established"),
    ],
)
def test_a_machine_that_is_not_built_is_refused(machine: str, why: str) -> None:
    refused("pools[0].machine", why, {"pools": {"machine": machine, "capacity": RESERVED}})


@pytest.mark.parametrize("capacity", [QUEUED, FLEX, RESERVED], ids=lambda c: c["mode"])
@pytest.mark.failure("D13")
def test_capacity_without_a_spare_node_does_not_surge(capacity: dict[str, Any]) -> None:
    refused("pools[0].updates", "use in_place", {"pools": {"capacity": capacity, "updates": "surge"}})


@pytest.mark.parametrize(
    ("capacity", "placement"), [(FLEX, "own"), (FLEX, {"group": "g"}), (QUEUED, {"group": "g"})], ids=["flex own", "flex", "queued"]
)
def test_nodes_that_wait_for_room_are_not_placed_where_google_does_not_place_them(capacity: dict[str, Any], placement: object) -> None:
    refused("pools[0].placement", "not placed compactly", {"pools": {"capacity": capacity, "placement": placement}})


def test_flex_start_nodes_are_placed_compactly_on_newer_machines() -> None:
    assert told({"pools": {"machine": "a3-ultragpu-8g", "capacity": FLEX, "placement": "own"}}) == {}


@pytest.mark.parametrize("capacity", [QUEUED, RESERVED])
def test_a_placement_of_ones_own_beside_a_queue_or_a_reservation_is_refused(capacity: dict[str, Any]) -> None:
    found = told({"pools": {"capacity": capacity, "placement": "own"}})
    assert list(found) == ["pools[0].placement"]


@pytest.mark.failure("D4")
def test_a_queue_has_no_least_number_of_nodes_and_no_repair() -> None:
    found = told({"pools": {"capacity": QUEUED, "nodes": {"min": 1, "max": 4}, "node_auto_repair": True}})
    assert set(found) == {"pools[0].nodes.min", "pools[0].node_auto_repair"}


def test_a_block_of_a_reservation_is_of_the_same_project() -> None:
    refused("pools[0].capacity.block", "same project", {"pools": {"capacity": {**RESERVED, "project": "p", "block": "b"}}})


def test_two_fabrics_in_one_cluster_are_refused_once() -> None:
    refused("pools", "different fabric networks", {"pools": MIXED})


@pytest.mark.failure("C7")
def test_pools_of_which_one_leaves_its_plugin_to_the_operator_are_refused() -> None:
    pools = [
        {"name": "cos", "machine": "g2-standard-8", "zone": "us-central1-a"},
        {"name": "ubuntu", "machine": "g2-standard-8", "zone": "us-central1-a", "image": "ubuntu"},
    ]
    refused("pools", "into two clusters", {"pools": pools}, INFERENCE)


@pytest.mark.failure("C7")
def test_pools_that_all_leave_their_plugin_to_the_operator_are_not_refused() -> None:
    pools = [{"name": n, "machine": "g2-standard-8", "zone": "us-central1-a", "image": "ubuntu"} for n in ("one", "two")]
    assert told({"pools": pools}, INFERENCE) == {}


def test_ubuntu_with_a_fabric_is_not_built() -> None:
    refused("pools[0].image", "Container-Optimized OS", {"pools": {"image": "ubuntu"}})


@pytest.mark.parametrize("machine", ["a3-megagpu-8g", "a3-highgpu-8g", "a2-highgpu-8g"])
def test_dranet_manages_rdma_networks_alone(machine: str) -> None:
    refused("pools[0].fabric", "RDMA", {"pools": {"machine": machine, "fabric": "dranet"}})


def test_dranet_needs_a_version_that_has_it() -> None:
    refused("pools[0].fabric", "1.34", {"pools": {"machine": "a4-highgpu-8g", "fabric": "dranet"}, "kubernetes_version": "1.33"})


@pytest.mark.parametrize(
    ("pool", "path", "why"),
    [
        ({"topology": "4x4", "nodes": {"min": 0, "max": 5}}, "pools[0].nodes", "{min: 0, max: 4}"),
        ({"topology": "4x4", "nodes": {"min": 1, "max": 4}}, "pools[0].nodes", "come and go together"),
        ({"topology": "3x3"}, "pools[0].topology", "give a multiple"),
        ({"placement": "own"}, "pools[0].placement", "by its topology"),
        ({"image": "ubuntu"}, "pools[0].image", "TPU nodes"),
        ({"sharing": {"time_slices": 2}}, "pools[0].sharing.time_slices", "training pools take none"),
    ],
)
def test_a_slice_that_cannot_stand_is_refused(pool: dict[str, Any], path: str, why: str) -> None:
    found = told({"pools": pool}, TPU)
    assert why in found[path]


def test_tpu_nodes_start_when_there_is_room_from_a_version_on() -> None:
    refused("pools[0].capacity.mode", "1.33", {"pools": {"capacity": FLEX}, "kubernetes_version": "1.32"}, TPU)


@pytest.mark.parametrize(
    ("patch", "path", "why"),
    [
        ({"owner": "ML Platform"}, "owner", "lower-case"),
        ({"tags": {"Cost": "1"}}, "tags", "lower-case"),
        ({"kubernetes_version": "1.29"}, "kubernetes_version", "the catalogue knows"),
        ({"network": {"cidr": "10.64.0.0/18"}}, "network.cidr", "give a /16 or larger"),
        ({"network": {"cidr": "10.64.0.0/21"}}, "network.cidr", "give a /9 to /20"),
        ({"pools": {"nodes": {"min": 0, "max": 300}}}, "network.cidr", "fewer nodes"),
        ({"encryption_key": "projects/p/locations/europe-west4/keyRings/r/cryptoKeys/k"}, "encryption_key", "key of that region"),
        ({"encryption_key": "my-key"}, "encryption_key", "write the key as"),
        ({"access": {"admins": ["a@example.com"], "viewers": ["user:a@example.com"]}}, "access.viewers", "named twice"),
        ({"monitoring": {"log_retention_days": 4000}}, "monitoring.log_retention_days", "3650"),
        ({"budget": {"alert_emails": ["a@example.com"], "monthly_usd": 9}}, "budget.alert_emails", "billing_account"),
        ({"billing_account": "012345-6789AB-CDEF01"}, "billing_account", "a budget needs a sum"),
        ({"pools": {"labels": {"cloud.google.com/gke-spot": "true"}}}, "pools[0].labels", "set by GKE"),
        ({"storage": {"shared_filesystem": {"tib": 10, "mb_s_per_tib": 500}}}, "storage.shared_filesystem.tib", "18000 GiB"),
        ({"storage": {"shared_filesystem": {"tib": 10, "mb_s_per_tib": 300}}}, "storage.shared_filesystem.mb_s_per_tib", "1000"),
    ],
)
def test_a_value_that_google_would_refuse_is_refused_by_name(patch: dict[str, Any], path: str, why: str) -> None:
    refused(path, why, patch)


@pytest.mark.parametrize(
    ("existing", "path", "why"),
    [
        ({"network": "projects/p/global/networks/n"}, "network.existing.network", "the name alone"),
        ({"node_subnets": {"us-central1-a": "s", "us-central1-b": "t"}}, "network.existing.node_subnets", "each zone the same"),
        ({"pod_range": None}, "network.existing.pod_range", "secondary range for pods"),
        ({"service_range": None}, "network.existing.service_range", "secondary range for services"),
        ({"fabric_cidr": "10.0.0.0/20"}, "network.existing.fabric_cidr", "no pool has a fabric"),
    ],
)
def test_an_existing_network_that_cannot_serve_is_refused(existing: dict[str, Any], path: str, why: str) -> None:
    refused(path, why, {"network": {"existing": {**EXISTING, **existing}}}, INFERENCE)


@pytest.mark.parametrize(
    ("existing", "path", "why"),
    [
        ({}, "network.existing.fabric_cidr", "that need addresses"),
        ({"fabric_cidr": "8.8.0.0/16"}, "network.existing.fabric_cidr", "public address space"),
        ({"fabric_cidr": "10.0.0.0/28"}, "network.existing.fabric_cidr", "/25 or larger"),
        ({"fabric_cidr": "10.0.0.0/20", "host_project": "h"}, "network.existing.host_project", "shared network"),
    ],
)
def test_a_fabric_beside_an_existing_network_needs_room_of_its_own(existing: dict[str, Any], path: str, why: str) -> None:
    refused(path, why, {"network": {"existing": {**EXISTING, **existing}}})


def test_without_any_zone_there_is_no_place_for_nodes() -> None:
    bare = changed(INFERENCE, {"network": {"zones": []}, "pools": {"zone": None}})
    refused("network.zones", "no zone is named", {}, bare)


def test_a_stack_whose_name_is_no_label_is_refused() -> None:
    with pytest.raises(SpecErrors, match="the stack's name = Lab: "):
        Assembly(spec=training(), region=REGION, stack="Lab")
