from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from components.costing import Missing, cost
from components.inventory import Inventory
from components.resource import Resource, ResourceSet
from components.unknown import Unknown
from policies.readers import inventory

LUSTRE = "aws:fsx/lustreFileSystem:LustreFileSystem"
BUCKET = "aws:s3/bucket:Bucket"
NOW = datetime(2026, 11, 30, tzinfo=UTC)
VALID: dict[str, Any] = {
    "deploymentType": "PERSISTENT_2",
    "storageType": "SSD",
    "storageCapacity": 4800,
    "perUnitStorageThroughput": 125,
    "region": "us-east-1",
}


def read(kind: str, **inputs: Any) -> Inventory:
    made = Resource(urn=f"urn:pulumi:dev::p::{kind}::data", type=kind, name="data", inputs=inputs)
    return inventory(ResourceSet(project="p", stack="dev", resources=(made,), config={}))


def test_a_file_system_costs_its_size_at_the_rate_of_its_throughput() -> None:
    [line] = cost(read(LUSTRE, **VALID), now=NOW).lines
    assert line.usd_per_hour * 730 == pytest.approx(4800 * 0.145)
    assert line.source


@pytest.mark.parametrize(
    "changes",
    [
        {"perUnitStorageThroughput": Unknown("perUnitStorageThroughput", "known later")},
        {"storageCapacity": Unknown("storageCapacity", "known later")},
        {"deploymentType": "PERSISTENT_1"},
        {"storageCapacity": None},
        {"region": "eu-west-1"},
    ],
    ids=["rate unknown", "size unknown", "no price for the kind", "size of a backup", "no price in the region"],
)
def test_what_is_not_known_makes_the_sum_partial_and_never_nothing(changes: dict[str, Any]) -> None:
    made = cost(read(LUSTRE, **{**VALID, **changes}), now=NOW)
    assert [type(entry) for entry in made.missing] == [Missing]
    assert made.now.partial


@pytest.mark.parametrize(
    ("inputs", "row"),
    [
        ({"deploymentType": "SCRATCH_2"}, "scratch_2_ssd_gb_month"),
        ({"deploymentType": "PERSISTENT_1", "storageType": "HDD", "perUnitStorageThroughput": 12}, "persistent_hdd_12_gb_month"),
        ({"deploymentType": "PERSISTENT_2", "perUnitStorageThroughput": 1000}, "persistent_2_ssd_1000_gb_month"),
    ],
)
def test_every_kind_of_file_system_has_its_row_of_the_price_list(inputs: dict[str, Any], row: str) -> None:
    [system] = read(LUSTRE, storageCapacity=6000, region="us-east-1", **inputs).file_systems
    assert system.tier == f"fsx_lustre/{row}"
    assert cost(read(LUSTRE, storageCapacity=6000, region="us-east-1", **inputs), now=NOW).lines


def test_a_bucket_is_said_with_the_price_of_what_it_will_hold() -> None:
    made = cost(read(BUCKET, region="us-east-1"), now=NOW)
    [missing] = made.missing
    assert "0.023 USD per GB" in missing.reason
    assert made.now.partial
    assert made.bounded, "a bucket alone must not make the budget unjudgeable"
