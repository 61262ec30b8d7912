from __future__ import annotations

from typing import Any

import pytest

from scripts.errors import BadInput
from scripts.sandbox import clouds
from scripts.sandbox.declared import RESERVATION, declare
from scripts.sandbox.kinds.aws import tokens as t
from tests.sandbox.cloud import Cloud

BLOCK: dict[str, Any] = {
    "id": "cr-0123456789abcdef0",
    "region": "us-east-1",
    "machine": "p5.48xlarge",
    "zone": "us-east-1d",
    "count": 4,
    "block": True,
    "starts": "2027-01-11T11:30Z",
    "ends": "2027-01-18T11:30Z",
}
ELSEWHERE: list[dict[str, Any]] = [
    {"cloud": "gcp", "id": "held", "zone": "us-central1-a", "machine": "a3-megagpu-8g", "count": 2},
    {
        "cloud": "azure",
        "group": "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/lab/providers/Microsoft.Compute/capacityReservationGroups/h100",
        "machine": "Standard_ND96isr_H100_v5",
        "count": 2,
        "location": "eastus",
    },
]


def test_what_is_declared_adds_to_what_was_and_plenty_ends_a_limit(cloud: Cloud):
    declare(cloud.world, {"accounts": {"aws": "999999999999"}, "quotas": {"L-417A185B": "192"}})
    told = declare(cloud.world, {"accounts": {"gcp": "my-project"}, "quotas": {"L-DB2E81BA": 64}})
    assert told["quotas"] == {"L-417A185B": 192, "L-DB2E81BA": 64}
    assert (told["accounts"]["aws"], told["accounts"]["gcp"]) == ("999999999999", "my-project")
    assert declare(cloud.world, {"quotas": {"L-417A185B": "plenty"}})["quotas"] == {"L-DB2E81BA": 64}
    assert declare(cloud.world, {})["quotas"] == {"L-DB2E81BA": 64}


def test_a_code_is_kept_as_the_catalogue_spells_it(cloud: Cloud):
    assert declare(cloud.world, {"quotas": {"standardncsv3 family": 24}})["quotas"] == {"standardNCSv3Family": 24}


@pytest.mark.parametrize("reservation", [BLOCK, *ELSEWHERE], ids=["aws", "gcp", "azure"])
def test_every_cloud_takes_a_reservation(cloud: Cloud, reservation: dict[str, Any]):
    [made] = declare(cloud.world, {"reservations": [reservation]})["reservations"]
    assert [r.id for r in cloud.world.store if r.id == made]


def test_a_refused_part_leaves_nothing_declared(cloud: Cloud):
    with pytest.raises(BadInput, match="needs zone"):
        declare(cloud.world, {"quotas": {"L-417A185B": 1}, "reservations": [BLOCK, {**BLOCK, "id": "cr-2", "zone": ""}]})
    assert declare(cloud.world, {})["quotas"] == {}
    assert not cloud.world.store.of_kind(t.CAPACITY_RESERVATION, cloud.world.place("us-east-1").key)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"quotas": {"L-417A185C": 1}}, r"unknown quota 'L-417A185C'; nearest: L-417A185B.*gpukit catalog quotas"),
        ({"quotas": {"L-417A185B": "-1"}}, r"limit of L-417A185B is '-1': give a number, 0 or more"),
        ({"quotas": {"L-417A185B": "inf"}}, "0 or more"),
        ({"accounts": {"aws": "12345"}}, "account of aws is '12345': an AWS account id is 12 digits"),
        ({"accounts": {"ibm": "x"}}, r"no cloud 'ibm': accounts are declared for aws, gcp, azure"),
        ({"reservations": ["cr-1"]}, "is 'cr-1': it is an object"),
        ({"reservations": [{**BLOCK, "cloud": "ibm"}]}, "cloud is 'ibm': it is one of aws, gcp, azure"),
        ({"reservations": [{**BLOCK, "zones": "us-east-1a"}]}, "on aws has no zones: it takes id, region"),
        ({"reservations": [{**BLOCK, "count": 0}]}, "count of a reservation is 0"),
        ({"reservations": [{**BLOCK, "count": "4"}]}, "count of a reservation is '4'"),
        ({"reservations": [{**BLOCK, "machine": "p5.49xlarge"}]}, r"machine of a reservation is 'p5\.49xlarge'"),
        ({"colour": "red"}, "not colour"),
    ],
)
def test_a_mistake_is_told_with_what_is_allowed(cloud: Cloud, given: dict[str, Any], message: str):
    with pytest.raises(BadInput, match=message):
        declare(cloud.world, given)


def test_every_cloud_says_what_its_reservations_are_made_of():
    assert set(RESERVATION) == set(clouds.NAMES)
