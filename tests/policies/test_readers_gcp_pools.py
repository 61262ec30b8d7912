"""GKE clusters and pools of any program -> pools, counts, zones, markets."""

from __future__ import annotations

from typing import Any

import pytest

from components.inventory import ControlPlane, GkeCluster, GpuPool, Market, Owner
from components.unknown import Unknown, known
from policies import evaluate
from policies.readers import gcp_types as gcp
from tests.policies.gcp_raw import ZONE, a3_mega, accelerator, cluster, facts, inference, network, pool, rdma
from tests.policies.raw import SETTINGS, Raw, said

ZONES = ["us-central1-a", "us-central1-b"]


def sized(zones: list[str] | None = None, **changes: Any) -> Raw:
    program = inference().set("l4", zones or [ZONE], "nodeLocations").set("l4", None, "autoscaling")
    program.written["l4"].inputs |= changes
    return program


@pytest.mark.failure("D7")
@pytest.mark.parametrize(
    ("zones", "changes", "counts"),
    [
        ([ZONE], {"nodeCount": 3}, (3, 3, 3)),
        (ZONES, {"nodeCount": 3}, (6, 6, 6)),
        (ZONES, {"initialNodeCount": 1}, (2, 2, 2)),
        (ZONES, {}, (6, 6, 6)),
        (ZONES, {"autoscaling": {"minNodeCount": 1, "maxNodeCount": 4}}, (2, 2, 8)),
        (ZONES, {"autoscaling": {"minNodeCount": 0, "maxNodeCount": 4}, "initialNodeCount": 1}, (0, 2, 8)),
        (ZONES, {"autoscaling": {"totalMinNodeCount": 1, "totalMaxNodeCount": 4}}, (1, 1, 4)),
        (ZONES, {"autoscaling": {"totalMaxNodeCount": 4}}, (0, 0, 4)),
        (ZONES, {"autoscaling": {"minNodeCount": 0, "maxNodeCount": 0, "totalMinNodeCount": 2, "totalMaxNodeCount": 4.0}}, (2, 2, 4)),
    ],
)
def test_nodes_are_counted_as_gke_counts_them(zones: list[str], changes: dict[str, Any], counts: tuple[int, int, int]) -> None:
    nodes = pool(sized(zones, **changes), "l4").nodes
    assert (nodes.minimum, nodes.desired, nodes.maximum) == counts


@pytest.mark.failure("D7")
def test_the_cost_counts_every_zone() -> None:
    one, two = (said(evaluate(sized(zones, nodeCount=2).built(), SETTINGS), "GPU-QUOTA-01")[0].message for zones in ([ZONE], ZONES))
    assert "NVIDIA_L4_GPUS 3 GPU" in one
    assert "NVIDIA_L4_GPUS 5 GPU" in two


@pytest.mark.parametrize(
    ("settings", "surge"),
    [
        (None, 1),
        ({}, 1),
        ({"maxSurge": 2}, 2),
        ({"maxSurge": 0, "maxUnavailable": 1}, 0),
        ({"maxUnavailable": 1}, 0),
        ({"strategy": "BLUE_GREEN"}, 4),
    ],
)
def test_the_surge_is_what_an_upgrade_adds(settings: dict[str, Any] | None, surge: int) -> None:
    assert pool(sized(nodeCount=4, upgradeSettings=settings), "l4").nodes.surge == surge


@pytest.mark.parametrize("path", ["autoscaling", "nodeCount"])
def test_a_size_that_is_not_known_is_unknown(path: str) -> None:
    assert isinstance(pool(sized(**{path: Unknown(path)}), "l4").nodes.maximum, Unknown)


def test_a_minimum_that_is_not_known_leaves_the_start_unknown_too() -> None:
    limits = {"minNodeCount": Unknown("minNodeCount"), "maxNodeCount": 4}
    nodes = pool(sized(autoscaling=limits, initialNodeCount=1), "l4").nodes
    assert (isinstance(nodes.minimum, Unknown), isinstance(nodes.desired, Unknown), nodes.maximum) == (True, True, 4)


def test_an_autoscaler_without_a_maximum_bounds_nothing() -> None:
    assert isinstance(pool(sized(autoscaling={"locationPolicy": "ANY"}), "l4").nodes.maximum, Unknown)


@pytest.mark.parametrize(
    ("cluster_changes", "pool_zones", "zones"),
    [
        ({}, [ZONE], (ZONE,)),
        ({}, ["projects/p/zones/us-central1-f"], ("us-central1-f",)),
        ({"nodeLocations": ZONES}, None, tuple(ZONES)),
        ({"location": ZONE}, None, (ZONE,)),
        ({"location": ZONE, "nodeLocations": ["us-central1-c"]}, None, (ZONE, "us-central1-c")),
    ],
)
def test_zones_are_the_pools_own_or_the_clusters(
    cluster_changes: dict[str, Any], pool_zones: list[str] | None, zones: tuple[str, ...]
) -> None:
    program = inference().set("l4", pool_zones, "nodeLocations").set("l4", None, "location")
    program.written["gke"].inputs |= cluster_changes
    assert (pool(program, "l4").zones, pool(program, "l4").region) == (zones, "us-central1")


def test_a_regional_cluster_without_zones_counts_as_three() -> None:
    found = pool(inference().set("l4", None, "nodeLocations"), "l4")
    assert known(found.zones)
    assert [isinstance(zone, Unknown) for zone in found.zones] == [True] * 3
    assert found.gke is not None
    assert not found.gke.zones_chosen


def test_the_zones_of_a_cluster_made_elsewhere_are_unknown() -> None:
    program = inference().without("gke", "system").set("l4", "shared", "cluster").set("l4", None, "nodeLocations")
    assert isinstance(pool(program, "l4").zones, Unknown)
    assert pool(program.set("l4", ZONE, "location"), "l4").zones == (ZONE,)


@pytest.mark.parametrize("named", ["@gke", "gke", "projects/research/locations/us-central1/clusters/gke"])
def test_a_cluster_is_told_by_reference_name_or_path(named: str) -> None:
    program = inference().set("l4", named, "cluster")
    assert pool(program, "l4").cluster == program.urn("gke")


@pytest.mark.parametrize(
    ("node", "market"),
    [
        ({}, Market.ON_DEMAND),
        ({"spot": True}, Market.SPOT),
        ({"preemptible": True}, Market.SPOT),
        ({"flexStart": True}, Market.FLEX_START),
        ({"reservationAffinity": {"consumeReservationType": "ANY_RESERVATION"}}, Market.ON_DEMAND),
        ({"reservationAffinity": {"consumeReservationType": "ANY_RESERVATION_THEN_FAIL"}}, Market.RESERVATION),
        ({"reservationAffinity": {"consumeReservationType": "SPECIFIC_RESERVATION"}}, Market.RESERVATION),
    ],
)
def test_the_market_is_how_nodes_are_bought(node: dict[str, Any], market: Market) -> None:
    program = inference()
    program.written["l4"].inputs["nodeConfig"] |= node
    assert pool(program, "l4").market is market


@pytest.mark.parametrize(("flex", "market"), [(False, Market.QUEUED), (True, Market.FLEX_START)])
def test_queued_provisioning_is_a_market_of_its_own_unless_it_is_flex_start(flex: bool, market: Market) -> None:
    program = inference().set("l4", {"enabled": True}, "queuedProvisioning").set("l4", flex, "nodeConfig", "flexStart")
    assert pool(program, "l4").market is market


@pytest.mark.parametrize(
    "path", [("nodeConfig", "spot"), ("nodeConfig", "flexStart"), ("nodeConfig", "reservationAffinity"), ("queuedProvisioning",)]
)
def test_an_unknown_way_of_buying_is_an_unknown_market(path: tuple[str, ...]) -> None:
    assert isinstance(pool(inference().hide("l4", *path), "l4").market, Unknown)


@pytest.mark.parametrize(
    ("words", "owners"),
    [
        (["LATEST"], (Owner.CLOUD,)),
        (["DEFAULT"], (Owner.CLOUD,)),
        ([None], (Owner.CLOUD,)),
        (["INSTALLATION_DISABLED"], ()),
        ([], (Owner.CLOUD,)),
    ],
)
def test_gke_installs_the_driver_unless_it_is_told_not_to(words: list[str | None], owners: tuple[Owner, ...]) -> None:
    listed = [accelerator("nvidia-l4", 1, word) for word in words]
    assert pool(inference().set("l4", listed, "nodeConfig", "guestAccelerators"), "l4").driver_owners == owners


@pytest.mark.parametrize("word", [Unknown("x"), "NEWEST"])
def test_a_driver_setting_that_means_nothing_known_has_unknown_owners(word: object) -> None:
    path = ("nodeConfig", "guestAccelerators", 0, "gpuDriverInstallationConfig", "gpuDriverVersion")
    assert isinstance(pool(inference().set("l4", word, *path), "l4").driver_owners, Unknown)


@pytest.mark.parametrize(
    ("changes", "disk"),
    [
        ({"diskSizeGb": None}, (100, "pd-balanced")),
        ({"diskType": "pd-ssd"}, (200, "pd-ssd")),
        ({"bootDisk": {"sizeGb": 300, "diskType": "hyperdisk-balanced"}}, (300, "hyperdisk-balanced")),
        ({"machineType": "a3-ultragpu-8g"}, (200, "hyperdisk-balanced")),
    ],
)
def test_the_boot_disk_is_the_written_one_or_gkes_default(changes: dict[str, Any], disk: tuple[int, str]) -> None:
    program = inference()
    program.written["l4"].inputs["nodeConfig"] |= changes
    found = pool(program, "l4")
    assert (found.root_disk_gib, found.root_disk_kind) == disk


def test_labels_and_taints_are_read() -> None:
    program = inference().set("l4", {"team": "search"}, "nodeConfig", "labels")
    assert pool(program, "l4").labels == {"team": "search"}
    assert pool(program, "l4").taints == ("nvidia.com/gpu=present:NO_SCHEDULE",)
    assert isinstance(pool(program.set("l4", [1], "nodeConfig", "labels"), "l4").labels, Unknown)
    assert isinstance(pool(program.hide("l4", "nodeConfig", "taints", 0, "key"), "l4").taints, Unknown)


def test_gpus_that_are_attached_to_plain_machines_make_a_gpu_pool() -> None:
    program = inference().set("l4", "n1-standard-8", "nodeConfig", "machineType")
    found = pool(program.set("l4", [accelerator("nvidia-tesla-t4", 2)], "nodeConfig", "guestAccelerators"), "l4")
    assert isinstance(found, GpuPool)
    assert known(found.attached)
    assert [(a.kind, a.count) for a in found.attached] == [("nvidia-tesla-t4", 2)]


def test_accelerators_of_a_machine_that_carries_them_are_not_counted_twice() -> None:
    assert pool(inference(), "l4").attached == ()


def test_extra_networks_are_told_by_their_subnets_where_ids_are_not_known() -> None:
    program = rdma()
    found = pool(program, "h200").gke
    assert found is not None
    assert known(found.extra_networks)
    networks = [entry.network for entry in found.extra_networks]
    assert (networks.count(program.urn("gvnic")), networks.count(program.urn("roce"))) == (1, 8)


# --- pools inside the cluster, and those that GKE makes by itself


def inline(**changes: Any) -> Raw:
    pools = [
        {"name": "gpu", "nodeCount": 2, "nodeConfig": {"machineType": "g2-standard-8", "guestAccelerators": [accelerator("nvidia-l4", 1)]}}
    ]
    program = cluster().without("system").set("gke", pools, "nodePools").set("gke", False, "removeDefaultNodePool")
    program.written["gke"].inputs |= {"location": ZONE} | changes
    return program


def test_pools_inside_a_cluster_are_pools() -> None:
    program = inline()
    (found,) = facts(program).gpu_pools
    assert (found.name, found.urn, found.nodes.maximum, found.zones) == ("gke/gpu", program.urn("gke"), 2, (ZONE,))
    assert found.paths["machines"] == "nodePools[0].nodeConfig.machineType"


@pytest.mark.failure("D10")
def test_rules_name_the_place_inside_the_cluster() -> None:
    program = inline().set("gke", None, "nodePools", 0, "nodeConfig", "guestAccelerators", 0, "gpuDriverInstallationConfig")
    (finding,) = said(evaluate(program.built(), SETTINGS), "GPU-GKE-30")
    assert (finding.urn, finding.path) == (program.urn("gke"), "nodePools[0].nodeConfig.guestAccelerators")


def test_the_default_pool_is_described_by_the_cluster_itself() -> None:
    program = inline(nodePools=None, initialNodeCount=3, nodeConfig={"machineType": "e2-standard-4"})
    (found,) = facts(program).pools
    assert (found.name, found.machines, found.nodes.maximum) == ("gke/default-pool", ("e2-standard-4",), 3)


def test_the_default_pool_that_is_removed_at_once_is_none() -> None:
    assert facts(inline(nodePools=None, removeDefaultNodePool=True)).pools == ()


def test_a_default_pool_that_says_nothing_is_of_plain_machines() -> None:
    (found,) = facts(inline(nodePools=None)).pools
    assert (found.machines, isinstance(found, GpuPool)) == (("e2-medium",), False)


def test_inline_pools_that_cannot_be_read_are_lost() -> None:
    assert ["cannot be read" in lost.reason for lost in facts(inline(nodePools=Unknown("nodePools"))).lost] == [True]


@pytest.mark.parametrize("value", [True, Unknown("enableAutopilot")])
def test_autopilot_starts_machines_without_a_bound(value: object) -> None:
    found = facts(inline(enableAutopilot=value))
    assert (found.pools, ["Autopilot" in lost.reason for lost in found.lost]) == ((), [True])


def provisioning(*limits: dict[str, Any], enabled: object = True) -> Raw:
    return cluster().set("gke", {"enabled": enabled, "resourceLimits": list(limits)}, "clusterAutoscaling")


def test_auto_provisioning_counts_at_its_limits() -> None:
    program = provisioning(
        {"resourceType": "cpu", "maximum": 10},
        {"resourceType": "memory", "maximum": 64},
        {"resourceType": "nvidia-l4", "maximum": 16},
        {"resourceType": "nvidia-h100-mega-80gb", "maximum": 20},
    )
    found = {p.name: (p.machines, p.nodes.maximum) for p in facts(program).pools if "auto" in p.name}
    assert found == {
        "gke/auto-provisioned cpu": (("e2-standard-4",), 3),
        "gke/auto-provisioned nvidia-l4": (("g2-standard-12",), 16),
        "gke/auto-provisioned nvidia-h100-mega-80gb": (("a3-megagpu-8g",), 2),
    }


@pytest.mark.parametrize(
    "limit",
    [{"resourceType": Unknown("x"), "maximum": 4}, {"resourceType": "nvidia-l4"}, {"resourceType": "nvidia-future", "maximum": 4}],
)
def test_limits_that_bound_nothing_leave_the_cost_unbounded(limit: dict[str, Any]) -> None:
    assert said(evaluate(provisioning(limit).built(), SETTINGS), "GPU-COST-03")


@pytest.mark.parametrize("program", [provisioning(), provisioning(enabled=Unknown("enabled"))])
def test_auto_provisioning_without_readable_limits_is_lost(program: Raw) -> None:
    assert ["auto-provisioning" in lost.reason for lost in facts(program).lost] == [True]


def test_auto_provisioning_that_is_off_makes_nothing() -> None:
    assert [p.name for p in facts(provisioning({"resourceType": "nvidia-l4", "maximum": 9}, enabled=False)).pools] == ["system"]


@pytest.mark.parametrize(("written", "minor"), [("1.35", "1.35"), ("1.35.2-gke.1840000", "1.35"), (None, None)])
def test_the_control_plane_says_its_minor_version(written: str | None, minor: str | None) -> None:
    assert [plane.version for plane in facts(cluster().set("gke", written, "minMasterVersion")).control_planes] == [minor]


def test_an_alias_says_no_version() -> None:
    (plane,) = facts(cluster().set("gke", "latest", "minMasterVersion")).control_planes
    assert isinstance(plane, ControlPlane)
    assert isinstance(plane.version, Unknown)


def test_exclusions_without_a_scope_hold_back_every_upgrade() -> None:
    (found,) = facts(cluster().set("gke", [{"exclusionName": "freeze"}], "maintenancePolicy", "maintenanceExclusions")).of_google(
        GkeCluster
    )
    assert found.exclusions == ("NO_UPGRADES",)


@pytest.mark.parametrize(
    ("config", "provider", "region"),
    [
        ({"gcp:region": "europe-west4"}, {}, "europe-west4"),
        ({"gcp:zone": "europe-west4-b"}, {}, "europe-west4"),
        ({}, {"region": "us-east1"}, "us-east1"),
        ({"gcp:region": "europe-west4"}, {"zone": "us-east1-b"}, "us-east1"),
    ],
)
def test_the_region_is_the_resources_the_providers_or_the_stacks(config: dict[str, str], provider: dict[str, str], region: str) -> None:
    program = a3_mega().set("gke", None, "location").set("h100", None, "location")
    program.config.clear()
    program.config.update(config)
    if provider:
        program.add(gcp.PROVIDER, "gcp", **provider)
        program.written["gke"].provider = "gcp"
    assert pool(program, "h100").region == region


def test_a_region_that_nobody_gives_is_unknown() -> None:
    program = network().add(gcp.CLUSTER, "gke")
    program.config.clear()
    assert [isinstance(plane.region, Unknown) for plane in facts(program).control_planes] == [True]
    assert isinstance(pool(a3_mega().set("h100", "somewhere", "location"), "h100").region, Unknown)


@pytest.mark.parametrize("path", ["imageType", "guestAccelerators"])
def test_an_unknown_image_or_list_of_gpus_has_unknown_owners(path: str) -> None:
    assert isinstance(pool(inference().hide("l4", "nodeConfig", path), "l4").driver_owners, Unknown)


def test_an_image_in_no_catalogue_has_unknown_owners() -> None:
    assert isinstance(pool(inference().set("l4", "GENTOO_CONTAINERD", "nodeConfig", "imageType"), "l4").driver_owners, Unknown)


def test_other_unknown_settings_stay_unknown() -> None:
    assert isinstance(pool(inference().hide("l4", "nodeConfig", "taints"), "l4").taints, Unknown)
    assert isinstance(pool(sized(nodeCount=2, upgradeSettings={"strategy": Unknown("s")}), "l4").nodes.surge, Unknown)
    assert isinstance(
        pool(inference().set("l4", None, "nodeLocations").hide("gke", "location").set("l4", None, "location"), "l4").zones, Unknown
    )
    hidden = inference().set("l4", None, "nodeLocations").set("gke", Unknown("nodeLocations"), "nodeLocations")
    assert isinstance(pool(hidden, "l4").zones, Unknown)


def test_limits_of_auto_provisioning_that_cannot_be_read_are_lost() -> None:
    program = cluster().set("gke", {"enabled": True, "resourceLimits": Unknown("x")}, "clusterAutoscaling")
    assert ["cannot be read" in lost.reason for lost in facts(program).lost] == [True]


def test_gpus_on_a_custom_machine_of_n1_count_as_attached() -> None:
    program = cluster().add(
        gcp.NODE_POOL,
        "t4",
        cluster="@gke",
        nodeLocations=[ZONE],
        nodeCount=1,
        nodeConfig={"machineType": "n1-custom-8-30720", "guestAccelerators": [accelerator("nvidia-tesla-t4", 2)]},
    )
    found = pool(program, "t4")
    assert isinstance(found, GpuPool)
    assert known(found.attached)
    assert [(entry.kind, entry.count) for entry in found.attached] == [("nvidia-tesla-t4", 2)]
