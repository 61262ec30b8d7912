from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.errors import BadInput
from scripts.sandbox.clock import Clock, duration

ORIGIN = datetime(2026, 11, 30, 12, tzinfo=UTC)


class Ticks:
    def __init__(self) -> None:
        self.at = 0.0

    def __call__(self) -> float:
        return self.at


def test_it_runs_with_the_wall_clock_and_jumps_when_told():
    ticks = Ticks()
    clock = Clock(ORIGIN, speed=0, tick=ticks)
    ticks.at = 90
    assert clock.now() == ORIGIN + timedelta(seconds=90)
    clock.advance(timedelta(days=1))
    assert clock.now() == ORIGIN + timedelta(days=1, seconds=90)


def test_an_operation_takes_its_time_in_the_world_even_when_it_is_instant_outside():
    clock = Clock(ORIGIN, speed=0, tick=Ticks())
    clock.spend(600)
    assert clock.now() == ORIGIN + timedelta(seconds=600)


@given(moments=st.lists(st.integers(-1000, 1000), max_size=8))
def test_it_never_goes_back(moments: list[int]):
    clock = Clock(ORIGIN, speed=0, tick=Ticks())
    last = clock.now()
    for offset in moments:
        clock.reach(ORIGIN + timedelta(seconds=offset))
        assert clock.now() >= last
        last = clock.now()


@pytest.mark.parametrize(("text", "seconds"), [("2h", 7200), ("90m", 5400), ("1d 6h", 108_000), ("1.5h", 5400), ("30s", 30)])
def test_durations_are_read_in_days_hours_minutes_seconds(text: str, seconds: int):
    assert duration(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "2", "h", "2 weeks", "2h and more", "-2h", "0s"])
def test_anything_else_is_refused_with_an_example(text: str):
    with pytest.raises(BadInput, match=r"duration|forward"):
        duration(text)
