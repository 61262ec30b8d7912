"""What bills beside nodes, on each cloud by its own units."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components import catalog, costing
from components.catalog import Figure
from components.costing import Cost, Line
from components.costing.lines import hourly
from components.inventory import Bucket, Cloud, ControlPlane, Disk, FileSystem, Inventory, LoadBalancer, Nat
from components.unknown import Unknown
from tests.costing.pools import NOW, pool, stack

REGIONS: dict[Cloud, str] = {"aws": "us-east-1", "gcp": "us-central1", "azure": "eastus"}


def cost(inventory: Inventory, **settings: object) -> Cost:
    return costing.cost(inventory, **{"now": NOW, **settings})  # pyright: ignore[reportArgumentType] # settings by name


def listed(cloud: Cloud, service: str, sku: str) -> float:
    figure = catalog.service_price(cloud, REGIONS[cloud], service, sku)
    assert figure is not None
    return figure.usd


def only(inventory: Inventory) -> Line:
    (line,) = cost(inventory).lines
    return line


def disk(cloud: Cloud, kind: str, gib: float) -> Inventory:
    return stack(disks=(Disk(urn="urn:pulumi:dev::lab::t::disk", cloud=cloud, region=REGIONS[cloud], kind=kind, gib=gib),))


@pytest.mark.parametrize(
    ("cloud", "kind", "sku"),
    [
        ("aws", "io1", "io1_gb_month"),
        ("gcp", "pd-ssd", "pd_ssd"),
        ("gcp", "pd-balanced", "pd_balanced"),
        ("gcp", "hyperdisk-balanced", "hyperdisk_balanced_capacity"),
        ("azure", "PremiumV2_LRS", "premium_ssd_v2_capacity"),
    ],
)
def test_a_disk_bills_by_its_size(cloud: Cloud, kind: str, sku: str) -> None:
    service = {"aws": "ebs", "gcp": "block_storage", "azure": "managed_disk"}[cloud]
    assert only(disk(cloud, kind, 300)).usd_per_hour == pytest.approx(300 * listed(cloud, service, sku) / 730)


@pytest.mark.parametrize(
    ("kind", "gib", "sku"),
    [
        ("Premium_LRS", 32, "premium_ssd_v1_p4_lrs"),
        ("Premium_LRS", 33, "premium_ssd_v1_p6_lrs"),
        ("Premium_LRS", 500, "premium_ssd_v1_p20_lrs"),
        ("Premium_LRS", 513, "premium_ssd_v1_p30_lrs"),
        ("StandardSSD_LRS", 128, "standard_ssd_e10_lrs"),
        ("standardssd_zrs", 100, "standard_ssd_e10_zrs"),
    ],
)
def test_an_azure_disk_between_two_tiers_bills_as_the_larger(kind: str, gib: float, sku: str) -> None:
    assert only(disk("azure", kind, gib)).usd_per_hour == pytest.approx(listed("azure", "managed_disk", sku) / 730)


@pytest.mark.parametrize(("cloud", "kind", "gib"), [("azure", "Premium_LRS", 5000), ("azure", "Standard_LRS", 100), ("gcp", "pd-new", 100)])
def test_a_disk_of_no_known_row_is_missing_and_not_free(cloud: Cloud, kind: str, gib: float) -> None:
    total = cost(disk(cloud, kind, gib))
    assert not total.lines
    assert len(total.missing) == 1
    assert total.max.partial


def test_a_root_disk_on_the_machines_own_disk_is_in_the_machines_price() -> None:
    node = pool(cloud="azure", region="eastus", machines=("Standard_ND96isr_H100_v5",), root_disk_gib=128, root_disk_kind="Ephemeral")
    total = cost(stack(node))
    assert [str(line.kind) for line in total.lines] == ["nodes"]
    assert not total.missing


def test_a_root_disk_of_a_kind_that_the_plan_does_not_tell_is_missing_off_aws() -> None:
    node = pool(cloud="gcp", region="us-central1", machines=("g2-standard-8",), root_disk_gib=100)
    assert [m.reason for m in cost(stack(node)).missing] == ["no price for this kind in this region"]


def plane(cloud: Cloud, **changes: object) -> Inventory:
    found = ControlPlane(urn="urn:pulumi:dev::lab::t::k8s", name="k8s", cloud=cloud, region=REGIONS[cloud], version="1.34", **changes)  # pyright: ignore[reportArgumentType]
    return stack(control_planes=(found,))


def test_the_fee_of_gke_is_whole_and_its_free_tier_is_said_not_subtracted() -> None:
    line = only(plane("gcp"))
    assert line.usd_per_hour == listed("gcp", "gke_control_plane", "standard")
    assert "free tier (74.4 USD a month per billing account, zonal and Autopilot clusters only) is not taken off" in line.what


@pytest.mark.parametrize("tier", ["Standard", "Premium"])
def test_aks_bills_by_tier(tier: str) -> None:
    assert only(plane("azure", tier=tier)).usd_per_hour == listed("azure", "aks_control_plane", tier.lower())


@pytest.mark.parametrize("tier", ["Free", None])
def test_the_free_tier_of_aks_is_no_line_and_no_gap(tier: str | None) -> None:
    assert cost(plane("azure", tier=tier)) == Cost()


def test_an_unknown_tier_of_aks_is_a_gap_and_not_free() -> None:
    assert cost(plane("azure", tier=Unknown("sku.tier"))).max.partial


def nat(gb: float | None = None) -> Cost:
    return cost(stack(nats=(Nat(urn="urn:pulumi:dev::lab::t::nat", cloud="gcp", region="us-central1"),)), nat_gb_per_month=gb)


@pytest.mark.failure("J4")
def test_traffic_through_nat_is_counted_at_an_assumption_that_the_line_states() -> None:
    by_kind = {str(line.kind): line for line in nat().lines}
    assert by_kind["nat_traffic"].what == "NAT traffic, 1,000 GB a month assumed"
    assert by_kind["nat_traffic"].usd_per_hour == pytest.approx(1000 * listed("gcp", "nat_gateway", "gb") / 730)


@pytest.mark.failure("J4")
def test_the_assumption_is_the_readers_to_make() -> None:
    base, none, much = nat(1000), nat(0), nat(100_000)
    assert len(none.lines) == 1
    assert much.max.monthly_usd - none.max.monthly_usd == pytest.approx(100 * (base.max.monthly_usd - none.max.monthly_usd))


@pytest.mark.parametrize(
    ("cloud", "kind", "sku"),
    [
        ("aws", "network", "network_hour"),
        ("aws", "application", "application_hour"),
        ("gcp", "", "first_five_rules_hour"),
        ("azure", "standard", "first_five_rules_hour"),
    ],
)
def test_a_load_balancer_bills_by_the_hour(cloud: Cloud, kind: str, sku: str) -> None:
    balancer = LoadBalancer(urn="urn:pulumi:dev::lab::t::lb", cloud=cloud, region=REGIONS[cloud], kind=kind)
    assert only(stack(load_balancers=(balancer,))).usd_per_hour == listed(cloud, "load_balancer", sku)


def test_a_load_balancer_of_an_unknown_kind_is_a_gap() -> None:
    balancer = LoadBalancer(urn="urn:pulumi:dev::lab::t::lb", cloud="aws", region="us-east-1", kind=Unknown("loadBalancerType"))
    assert cost(stack(load_balancers=(balancer,))).max.partial


def test_a_file_system_bills_by_its_row_and_unit() -> None:
    zonal = FileSystem(urn="urn:pulumi:dev::lab::t::fs", cloud="gcp", region="us-central1", tier="filestore/zonal", gib=1024)
    assert only(stack(file_systems=(zonal,))).usd_per_hour == pytest.approx(1024 * listed("gcp", "filestore", "zonal") / 730)


def test_a_file_system_priced_for_no_stated_region_is_missing() -> None:
    lustre = FileSystem(
        urn="urn:pulumi:dev::lab::t::fs", cloud="azure", region="eastus", tier="azure_managed_lustre/amlfs_durable_premium_125", gib=16384
    )
    assert len(cost(stack(file_systems=(lustre,))).missing) == 1


@pytest.mark.parametrize(("cloud", "price"), [("aws", "0.023 USD per GB"), ("gcp", "0.02 USD per GiB"), ("azure", "0.0208 USD per GB")])
def test_a_bucket_is_told_with_the_price_of_a_unit(cloud: Cloud, price: str) -> None:
    (missing,) = cost(stack(buckets=(Bucket(urn="urn:pulumi:dev::lab::t::data", cloud=cloud, region=REGIONS[cloud]),))).missing
    assert price in missing.reason


@pytest.mark.parametrize(("unit", "usd"), [("gib-month", 1.0), ("disk-month", 1.0), ("gib-hour", 730.0), ("hour", 730.0), ("gb", 730.0)])
def test_every_unit_becomes_an_hour_in_its_own_way(unit: str, usd: float) -> None:
    assert hourly(Figure(730, unit, "x", None), 1.0) == usd


@pytest.mark.parametrize("unit", ["billing-account-month", "iops-month", "furlong"])
def test_a_unit_that_nothing_turns_into_hours_is_refused(unit: str) -> None:
    with pytest.raises(ValueError, match=unit):
        hourly(Figure(1, unit, "x", None))


@given(st.sampled_from(["Premium_LRS", "StandardSSD_LRS", "PremiumV2_LRS"]), st.integers(1, 4096), st.integers(1, 4096))
def test_a_larger_disk_never_costs_less(kind: str, one: int, other: int) -> None:
    small, large = sorted((one, other))
    assert only(disk("azure", kind, small)).usd_per_hour <= only(disk("azure", kind, large)).usd_per_hour + 1e-9
