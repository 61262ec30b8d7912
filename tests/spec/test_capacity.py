"""Capacity modes: each with what it needs, each refused where the cloud has no such thing, with the reason and the alternative."""

from __future__ import annotations

import pytest

from tests.spec.documents import MAKERS, RESERVATION_GROUP, Document, changed, errors

WINDOW = {"starts": "2027-01-11T11:30Z", "ends": "2027-01-18T11:30Z"}
BLOCK = {"mode": "capacity_block", "id": "cr-0123456789abcdef0", **WINDOW}


def with_capacity(maker: str, capacity: Document, **pool: object) -> Document:
    document = MAKERS[maker]()
    return changed(document, "pools.0", {**document["pools"][0], "capacity": capacity, **pool})


@pytest.mark.parametrize(
    ("maker", "capacity"),
    [
        ("aws", {"mode": "on_demand"}),
        ("aws", {"mode": "spot"}),
        ("aws", {"mode": "reservation", "id": "cr-0123456789abcdef0"}),
        ("aws", {"mode": "reservation", "group": "arn:aws:resource-groups:us-east-1:123456789012:group/gpus"}),
        ("aws", BLOCK),
        ("gcp", {"mode": "on_demand"}),
        ("gcp", {"mode": "reservation", "id": "h100", "project": "shared"}),
        ("gcp", {"mode": "flex_start", "max_run_hours": 24}),
        ("gcp", {"mode": "queued"}),
        ("gcp", {"mode": "calendar", "id": "january", **WINDOW}),
        ("azure", {"mode": "spot", "max_usd_per_hour": 12.5}),
        ("azure", {"mode": "reservation", "group": RESERVATION_GROUP}),
    ],
    ids=str,
)
def test_a_mode_is_accepted_where_the_cloud_has_it_and_it_carries_what_it_needs(maker: str, capacity: Document):
    assert errors(with_capacity(maker, capacity)) == {}


@pytest.mark.parametrize(
    ("maker", "capacity", "alternative"),
    [
        ("gcp", BLOCK, "capacity blocks are sold by AWS: use calendar"),
        ("azure", BLOCK, "capacity blocks are sold by AWS: use reservation"),
        ("aws", {"mode": "flex_start"}, "flex-start is a mode of GCP: use capacity_block"),
        ("azure", {"mode": "flex_start"}, "flex-start is a mode of GCP: use spot"),
        ("aws", {"mode": "queued"}, "queued provisioning is a mode of GCP: use capacity_block"),
        ("azure", {"mode": "queued"}, "queued provisioning is a mode of GCP: use reservation"),
        ("aws", {"mode": "calendar", "id": "january", **WINDOW}, "calendar mode is a mode of GCP: use capacity_block"),
        ("azure", {"mode": "calendar", "id": "january", **WINDOW}, "calendar mode is a mode of GCP: use reservation"),
    ],
    ids=lambda value: value if isinstance(value, str) else value["mode"],
)
def test_a_mode_of_another_cloud_is_refused_with_the_alternative_here(maker: str, capacity: Document, alternative: str):
    text = errors(with_capacity(maker, capacity))["pools[0].capacity.mode"]
    assert alternative in text
    assert "allowed: on_demand, spot, reservation" in text


@pytest.mark.parametrize(
    ("maker", "capacity", "where", "words"),
    [
        ("aws", {"mode": "reservation"}, "id", "give one of id (cr-…) and group"),
        ("aws", {"mode": "reservation", "id": "h100"}, "id", "give the reservation's id, cr-…"),
        ("aws", {"mode": "reservation", "group": "gpus"}, "group", "give the ARN of the resource group"),
        ("aws", {"mode": "reservation", "id": "cr-0123456789abcdef0", "project": "p"}, "project", "reservations on aws have no such field"),
        ("gcp", {"mode": "reservation"}, "id", "is missing: give the reservation's name"),
        ("gcp", {"mode": "reservation", "id": "h100", "group": "g"}, "group", "reservations on gcp have no such field"),
        ("gcp", {"mode": "reservation", "id": "h100", "project": "p", "block": "b"}, "block", "within the same project only"),
        ("azure", {"mode": "reservation"}, "group", "is missing: give the id of the capacity reservation group"),
        ("azure", {"mode": "reservation", "group": "h100"}, "group", "give the id of the capacity reservation group"),
        ("azure", {"mode": "reservation", "group": RESERVATION_GROUP, "id": "x"}, "id", "reservations on azure have no such field"),
        ("aws", {**BLOCK, "id": "block"}, "id", "give the block's capacity reservation id"),
        ("aws", {**BLOCK, "ends": "2028-01-18T11:30Z"}, "ends", "longer than 182 days"),
        ("aws", {**BLOCK, "starts": "2027-01-18T11:29Z", "ends": "2027-01-18T11:30Z"}, "ends", "over before its nodes have run a job"),
        ("aws", {**BLOCK, "ends": "2027-01-11T11:30Z"}, "", "give starts < ends"),
        ("aws", {**BLOCK, "starts": "2027-01-11 11:30"}, "starts", "the time zone is missing"),
        ("aws", {"mode": "capacity_block", "id": BLOCK["id"]}, "starts", "is missing: start of the paid window"),
        ("aws", {"mode": "spot", "max_usd_per_hour": 3.5}, "max_usd_per_hour", "take no price limit"),
        ("gcp", {"mode": "flex_start", "max_run_hours": 200}, "max_run_hours", "must be at most 168"),
        ("gcp", {"mode": "calendar", "id": "Future 1", **WINDOW}, "id", "give the name of the future reservation"),
        (
            "aws",
            {"mode": "spot", "id": "cr-0123456789abcdef0"},
            "id",
            "belongs to mode reservation or capacity_block or calendar, and this one is spot",
        ),
        ("aws", "spot", "", "a mapping from key to value is expected, such as {mode: spot}"),
        ("aws", {}, "mode", "is missing; allowed: on_demand, spot, reservation, capacity_block"),
        ("aws", {"mode": "sopt"}, "mode", "did you mean spot?"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_a_mode_without_what_it_needs_is_refused(maker: str, capacity: object, where: str, words: str):
    document = MAKERS[maker]()
    found = errors(changed(document, "pools.0.capacity", capacity))
    assert words in found["pools[0].capacity" + (f".{where}" if where else "")]


@pytest.mark.parametrize(
    ("maker", "capacity", "pool", "where", "words"),
    [
        ("aws", BLOCK, {"machine": "g5.2xlarge"}, "capacity.mode", "g5.2xlarge is not sold in capacity blocks"),
        ("gcp", {"mode": "queued"}, {"nodes": {"min": 1, "max": 4}}, "nodes.min", "queued pools start from zero"),
        ("gcp", {"mode": "flex_start"}, {"node_auto_repair": True}, "node_auto_repair", "cannot be replaced by repair"),
        ("gcp", {"mode": "queued"}, {"placement": "own"}, "placement", "outside queued capacity"),
        ("azure", {"mode": "spot"}, {"updates": "surge"}, "updates", "spot pools on Azure cannot surge"),
        (
            "aws",
            {"mode": "reservation", "id": "cr-0123456789abcdef0", "placement_group": "paid"},
            {"placement": {"group": "other"}},
            "placement",
            "the reservation was made in the placement group paid: use auto",
        ),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_does_not_go_with_a_mode_is_refused(maker: str, capacity: Document, pool: Document, where: str, words: str):
    assert words in errors(with_capacity(maker, capacity, **pool))[f"pools[0].{where}"]


@pytest.mark.failure("A9")
@pytest.mark.parametrize("capacity", [BLOCK, {"mode": "reservation", "id": "cr-0123456789abcdef0"}], ids=lambda c: c["mode"])
def test_a_placement_group_of_its_own_beside_paid_capacity_is_refused(capacity: Document):
    text = errors(with_capacity("aws", capacity, placement="own"))["pools[0].placement"]
    assert f"lies outside {capacity['mode']} capacity: use auto" in text


@pytest.mark.failure("A9")
@pytest.mark.parametrize("capacity", [BLOCK, {"mode": "reservation", "id": "cr-0123456789abcdef0"}], ids=lambda c: c["mode"])
def test_paid_capacity_with_placement_left_to_us_is_fine(capacity: Document):
    assert errors(with_capacity("aws", capacity, placement="auto")) == {}


@pytest.mark.failure("B1")
def test_a_reservation_without_its_target_is_refused_since_both_would_be_paid():
    assert "beside the paid capacity" in errors(with_capacity("aws", {"mode": "reservation"}))["pools[0].capacity.id"]


@pytest.mark.failure("B1")
def test_a_reservation_with_its_target_is_fine():
    assert errors(with_capacity("aws", {"mode": "reservation", "id": "cr-0123456789abcdef0"})) == {}
