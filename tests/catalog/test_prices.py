from datetime import date

import pytest

from components import catalog
from components.catalog.tables import UNDATED, rows


def test_a_machine_price_carries_unit_source_and_day() -> None:
    (row,) = (r for r in rows("aws_prices") if (r["machine"], r["region"], r["market"]) == ("p5.48xlarge", "us-east-1", "on_demand"))
    price = catalog.price("aws", "us-east-1", "p5.48xlarge")

    assert price is not None
    assert price.on_demand is not None
    assert (price.on_demand.usd, price.on_demand.unit) == (float(row["usd"]), "hour")
    assert price.on_demand.source
    assert price.on_demand.as_of == date.fromisoformat(row["as_of"])


def test_spot_and_on_demand_keep_their_own_source_and_day() -> None:
    price = catalog.price("aws", "us-east-1", "p4d.24xlarge")

    assert price is not None
    assert price.on_demand is not None
    assert price.spot_low is not None
    assert price.on_demand.source != price.spot_low.source
    assert price.spot_low.as_of != price.on_demand.as_of


def test_spot_of_several_zones_is_a_range() -> None:
    price = catalog.price("aws", "us-east-1", "p4d.24xlarge")

    assert price is not None
    assert price.spot_low is not None
    assert price.spot_high is not None
    assert price.spot_low.usd < price.spot_high.usd


def test_a_machine_sold_in_blocks_only_has_no_on_demand_price() -> None:
    price = catalog.price("aws", "us-east-1", "p5e.48xlarge") or catalog.price("aws", "us-east-2", "p5e.48xlarge")

    assert price is not None
    assert price.on_demand is None
    assert price.capacity_block is not None


def test_flex_start_and_calendar_have_prices_of_their_own() -> None:
    price = catalog.price("gcp", "us-central1", "a4-highgpu-8g")

    assert price is not None
    assert price.on_demand is not None
    assert price.flex_start is not None
    assert price.calendar is not None
    assert price.flex_start.usd < price.calendar.usd < price.on_demand.usd


def test_a_tpu_host_costs_its_chips() -> None:
    one = catalog.price("gcp", "us-central1", "ct6e-standard-1t")
    four = catalog.price("gcp", "us-central1", "ct6e-standard-4t")

    assert one is not None
    assert four is not None
    assert one.on_demand is not None
    assert four.on_demand is not None
    assert four.on_demand.usd == pytest.approx(4 * one.on_demand.usd)


def test_no_known_price_is_none() -> None:
    assert catalog.price("aws", "us-east-1", "p9.48xlarge") is None
    assert catalog.price("aws", "mars-1", "p5.48xlarge") is None


def test_an_undated_price_has_no_day() -> None:
    """Services, as a refresh dates the prices of machines."""
    undated = next(row for row in rows("aws_services") if row["as_of"] == UNDATED)

    figure = catalog.service_price("aws", undated["region"], undated["service"], undated["sku"])

    assert figure is not None
    assert figure.as_of is None
    assert figure.source


@pytest.mark.parametrize(
    ("service", "sku", "unit"),
    [
        ("eks_control_plane", "standard", "cluster-hour"),
        ("eks_control_plane", "extended", "cluster-hour"),
        ("nat_gateway", "hour", "hour"),
        ("nat_gateway", "gb", "gb"),
        ("public_ipv4", "hour", "hour"),
        ("ebs", "gp3_gb_month", "gb-month"),
        ("ebs", "gp3_iops_month", "iops-month"),
        ("ebs", "gp3_mbps_month", "mbps-month"),
        ("fsx_lustre", "persistent_2_ssd_125_gb_month", "gb-month"),
        ("interface_endpoint", "zone_hour", "hour"),
        ("load_balancer", "network_hour", "hour"),
        ("s3", "standard_gb_month", "gb-month"),
    ],
)
def test_what_a_cluster_bills_besides_machines_has_a_price(service: str, sku: str, unit: str) -> None:
    figure = catalog.service_price("aws", "us-east-1", service, sku)

    assert figure is not None
    assert figure.usd > 0
    assert figure.unit == unit


def test_extended_support_costs_more_than_standard() -> None:
    standard = catalog.service_price("aws", "us-east-1", "eks_control_plane", "standard")
    extended = catalog.service_price("aws", "us-east-1", "eks_control_plane", "extended")

    assert standard is not None
    assert extended is not None
    assert extended.usd > standard.usd


def test_a_worldwide_rate_stands_in_for_a_region() -> None:
    assert catalog.service_price("gcp", "us-central1", "artifact_registry", "storage") == catalog.service_price(
        "gcp", "global", "artifact_registry", "storage"
    )


def test_a_service_without_price_in_the_region_is_none() -> None:
    assert catalog.service_price("aws", "us-west-2", "fsx_lustre", "persistent_2_ssd_125_gb_month") is None
    assert catalog.service_price("aws", "us-east-1", "ebs", "gp9_gb_month") is None


@pytest.mark.parametrize(
    ("cloud", "region", "control_plane"),
    [("aws", "us-east-1", "eks_control_plane"), ("gcp", "us-central1", "gke_control_plane"), ("azure", "eastus", "aks_control_plane")],
)
def test_what_every_cluster_bills_has_one_name_on_all_clouds(cloud: str, region: str, control_plane: str) -> None:
    common = [(control_plane, "standard"), ("nat_gateway", "hour"), ("nat_gateway", "gb"), ("public_ipv4", "hour")]

    assert [item for item in common if catalog.service_price(cloud, region, *item) is None] == []


@pytest.mark.parametrize("cloud", ["aws", "gcp", "azure"])
def test_every_service_that_is_listed_has_a_price_in_its_region(cloud: str) -> None:
    listed = catalog.priced_services(cloud)

    assert {(service, sku) for service, sku, _ in listed} == set(catalog.service_names(cloud))
    assert all(catalog.service_price(cloud, region, service, sku) for service, sku, region in listed)
