"""When a pool counts as resting by its heartbeat alone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components import heartbeat
from components.aws.idle_watch_function.rest import LEAST_GPUS, SERIES, USES, Judged, Points, Status, judged
from scripts.idle.rules import Rules

NOW = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)
GPUS = 16
MINUTES = 60


def resting(gpus: float = GPUS) -> dict[str, Points]:
    """A whole heartbeat of `gpus` GPUs that nothing uses."""
    times = [NOW.timestamp() - 60 * minute for minute in range(MINUTES)]
    return {name: [(at, 0.0 if name in USES else gpus) for at in times] for name in SERIES}


def status(series: dict[str, Points], gpus: int | None = GPUS) -> Status:
    return judged(series, gpus, NOW, MINUTES).status


def test_a_whole_recent_heartbeat_without_use_is_rest() -> None:
    assert judged(resting(), GPUS, NOW, MINUTES) == Judged(
        status=Status.IDLE, reason="for 60 minutes all 16 GPUs rested, and no GPU pod or workload ran or waited"
    )


@pytest.mark.parametrize("use", USES)
def test_one_minute_of_any_use_is_use_even_in_a_thin_heartbeat(use: str) -> None:
    series = {**resting(), use: [(NOW.timestamp() - 3000, 1.0)]}
    assert status(series) is Status.ACTIVE


def test_a_cluster_that_never_told_of_itself_is_unknown() -> None:
    assert status({}) is Status.UNKNOWN


@pytest.mark.parametrize("name", SERIES)
def test_half_a_heartbeat_says_nothing(name: str) -> None:
    assert status({**resting(), name: []}) is Status.UNKNOWN
    assert status({**resting(), name: resting()[name][: MINUTES // 2]}) is Status.UNKNOWN


def test_a_heartbeat_that_stopped_is_unknown() -> None:
    late: dict[str, Points] = {
        name: [(at - 60 * (heartbeat.STALE_MINUTES + 1), value) for at, value in points] for name, points in resting().items()
    }
    assert judged(late, GPUS, NOW, MINUTES + heartbeat.STALE_MINUTES + 1).status is Status.UNKNOWN


def test_many_samples_of_one_minute_fill_no_gap() -> None:
    crowded: dict[str, Points] = {
        name: [(at + second, value) for at, value in points[:6] for second in range(20)] for name, points in resting().items()
    }
    assert status(crowded) is Status.UNKNOWN


@pytest.mark.parametrize("gpus", [None, 8, 24])
def test_gpus_that_do_not_match_the_machines_are_unknown(gpus: int | None) -> None:
    assert status(resting(), gpus) is Status.UNKNOWN


def test_a_machine_that_came_within_the_window_is_unknown() -> None:
    grown = {**resting(), LEAST_GPUS: [*resting()[LEAST_GPUS][:-1], (NOW.timestamp() - 59 * 60, 8.0)]}
    assert status(grown) is Status.UNKNOWN


@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf")])
def test_impossible_values_are_gaps_and_neither_use_nor_rest(value: float) -> None:
    series = {**resting(), heartbeat.BUSY_GPUS: [(at, value) for at, _ in resting()[heartbeat.BUSY_GPUS]]}
    assert status(series) is Status.UNKNOWN


def test_samples_from_the_future_are_gaps() -> None:
    ahead = {name: [(at + 3600 * 2, value) for at, value in points] for name, points in resting().items()}
    assert status(ahead) is Status.UNKNOWN


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_fewer_samples_never_turn_use_or_doubt_into_rest(data: st.DataObject) -> None:
    values = st.sampled_from([0.0, 0.0, 0.0, 1.0, 16.0])
    whole: dict[str, Points] = {
        name: [(at, data.draw(values) if name in USES and index % 20 == 0 else value) for index, (at, value) in enumerate(points)]
        for name, points in resting().items()
    }
    idle_before = status(whole) is Status.IDLE
    in_use = {name for name in USES if any(value for _, value in whole[name])}
    fewer = {name: points if name in in_use else points[data.draw(st.integers(0, 59)) :] for name, points in whole.items()}
    assert status(fewer) is not Status.IDLE or idle_before


def test_the_numbers_are_those_of_the_other_idle_tools() -> None:
    rules = Rules()
    mine = (heartbeat.WINDOW_MINUTES, heartbeat.COVERAGE, heartbeat.STALE_MINUTES, heartbeat.SKEW_MINUTES)
    assert mine == (rules.window_minutes, rules.coverage, rules.stale_minutes, rules.skew_minutes)
