"""Series of clouds' metrics folded into figures and heartbeats."""

from __future__ import annotations

import math

import pytest

from scripts.idle.collect.lines import BEATS, Line, Span, What, figures, heartbeats

SPAN = Span(since=0.0, until=3600.0)


def network(*points: tuple[float, float], late: float = 0.0) -> Line:
    return Line(what=What.NETWORK, metric="NetworkIn", period=300.0, late=late, machine="i-1", pool="p", points=points)


def beat(what: What, *values: float) -> Line:
    return Line(what=what, metric=what, period=60.0, pool="p", points=[(60.0 * n, value) for n, value in enumerate(values)])


def whole(**changes: tuple[float, ...]) -> list[Line]:
    return [beat(what, *changes.get(what, (0.0, 0.0))) for what in BEATS]


def test_a_figure_carries_the_highest_value_its_coverage_and_its_time() -> None:
    (figure,) = figures([network((0.0, 5.0), (300.0, 9.0), (600.0, 1.0))], SPAN)
    assert (figure.highest, figure.samples, figure.expected) == (9.0, 3, 12)
    assert figure.last_at.timestamp() == 600.0


def test_samples_that_a_cloud_does_not_show_yet_are_not_expected() -> None:
    (figure,) = figures([network((0.0, 1.0), late=600.0)], SPAN)
    assert figure.expected == 10


def test_two_samples_of_one_period_fill_no_gap() -> None:
    (figure,) = figures([network((0.0, 1.0), (10.0, 2.0), (20.0, 3.0))], SPAN)
    assert figure.samples == 1


@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0, 1e13])
def test_impossible_values_are_a_gap(value: float) -> None:
    assert figures([network((0.0, value))], SPAN) == ()


def test_samples_outside_the_window_say_nothing() -> None:
    assert figures([network((-1.0, 5.0), (3601.0, 5.0))], SPAN) == ()


def test_half_a_heartbeat_is_none() -> None:
    assert len(heartbeats(whole(), SPAN, "CloudWatch")) == 1
    assert heartbeats(whole()[1:], SPAN, "CloudWatch") == ()


def test_a_heartbeat_keeps_both_ends_of_gpus_and_the_most_of_use() -> None:
    lines = [*whole(gpus=(8.0, 7.0, 8.0), busy_gpus=(0.0, 3.0, 0.0)), beat(What.LAST_ACTIVE, 60.0)]
    (found,) = heartbeats(lines, SPAN, "CloudWatch")
    assert (found.gpus_least, found.gpus_most, found.busy_gpus, found.samples) == (7, 8, 3, 2)
    assert found.last_active is not None
    assert found.last_active.timestamp() == 60.0
