from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from components.gcp.capacity import Phase, Purchase, Window, bounds, purchase
from components.spec import NodeRange, Pool

CALENDAR = {"mode": "calendar", "id": "h100-2027", "starts": "2027-01-11T11:30Z", "ends": "2027-01-18T11:30Z"}
OPEN = Window(starts=datetime(2027, 1, 11, tzinfo=UTC), ends=datetime(2027, 1, 18, tzinfo=UTC))


def bought(**capacity: Any) -> Purchase:
    return purchase(Pool.model_validate({"name": "a", "machine": "a3-megagpu-8g", "capacity": capacity}))


@pytest.mark.parametrize("mode", ["flex_start", "queued"])
@pytest.mark.failure("D4")
def test_nodes_that_wait_for_room_write_out_that_they_use_no_reservation(mode: str) -> None:
    made = bought(mode=mode, max_run_hours=24)
    assert (made.affinity, made.flex_start, made.max_run_seconds) == ("NO_RESERVATION", True, 86_400)


def test_only_queued_nodes_wait_for_a_request() -> None:
    assert bought(mode="queued").queued
    assert not bought(mode="flex_start").queued


def test_spot_nodes_never_eat_a_reservation() -> None:
    assert bought(mode="spot") == Purchase(spot=True, affinity="NO_RESERVATION")


def test_on_demand_nodes_may_use_an_open_reservation_as_google_does_by_itself() -> None:
    assert bought(mode="on_demand") == Purchase()


@pytest.mark.failure("D6")
@pytest.mark.parametrize(
    ("capacity", "value"),
    [
        ({"mode": "reservation", "id": "r"}, "r"),
        ({"mode": "reservation", "id": "r", "project": "p-host"}, "projects/p-host/reservations/r"),
        ({"mode": "reservation", "id": "r", "block": "b"}, "r/reservationBlocks/b"),
        (CALENDAR, "h100-2027"),
    ],
)
def test_a_reservation_is_named_with_its_project_or_its_block(capacity: dict[str, Any], value: str) -> None:
    assert bought(**capacity) == Purchase(affinity="SPECIFIC_RESERVATION", reservation=value)


@pytest.mark.failure("D4")
def test_a_queue_beside_the_default_affinity_is_refused() -> None:
    with pytest.raises(ValueError, match="NO_RESERVATION"):
        Purchase(flex_start=True, queued=True, max_run_seconds=60)


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"spot": True, "flex_start": True, "max_run_seconds": 60, "affinity": "NO_RESERVATION"}, "use one of them"),
        ({"affinity": "SPECIFIC_RESERVATION"}, "needs its name"),
        ({"reservation": "r"}, "needs its name"),
        ({"spot": True, "affinity": "SPECIFIC_RESERVATION", "reservation": "r"}, "do not come from a reservation"),
        ({"flex_start": True, "affinity": "NO_RESERVATION"}, "a longest run"),
        ({"max_run_seconds": 60}, "a longest run"),
    ],
)
def test_ways_of_buying_that_exclude_each_other_are_refused(fields: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Purchase(**fields)


@pytest.mark.parametrize(
    ("moment", "phase"),
    [("2027-01-10T23:59", Phase.BEFORE), ("2027-01-11T00:00", Phase.OPEN), ("2027-01-18T00:00", Phase.ENDED)],
)
def test_a_window_holds_from_its_start_to_before_its_end(moment: str, phase: Phase) -> None:
    assert OPEN.phase(datetime.fromisoformat(f"{moment}+00:00")) is phase


@pytest.mark.failure("D6")
def test_a_pool_asks_for_no_node_before_its_window_and_may_grow_all_the_same() -> None:
    nodes = NodeRange(min=2, max=4)
    assert bounds(nodes, Phase.BEFORE) == NodeRange(min=0, max=4)
    assert bounds(nodes, Phase.OPEN) == bounds(nodes, None) == nodes
