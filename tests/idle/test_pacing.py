"""Calls within an API's rate, on a clock of the test's own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.idle.collect.pacing import ATTEMPTS, SHARE, Pace, Paces, Throttled, limits


class Time:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@given(st.floats(0.5, 100), st.integers(1, 50), st.integers(1, 300))
def test_calls_take_what_the_limit_dictates_and_no_more(rate: float, burst: int, calls: int) -> None:
    time = Time()
    pace = Pace(rate, burst, clock=time, sleep=time.sleep)
    for _ in range(calls):
        pace.call(lambda: None)
    assert time.now == pytest.approx(max(calls - burst, 0) / rate, abs=1e-6)


def departures(rate: float, burst: int, gaps: list[float]) -> list[float]:
    """When calls leave that arrive after these gaps and wait side by side: sleeping stops nobody else's clock."""
    time, slept = Time(), [0.0]
    pace = Pace(rate, burst, clock=time, sleep=slept.append)
    left: list[float] = []
    for gap in gaps:
        time.now += gap
        slept[:] = [0.0]
        pace.wait()
        left.append(time.now + slept[-1])
    return left


ARRIVALS = st.lists(st.sampled_from([0.0, 0.0, 0.0, 0.01, 0.3, 2.0, 60.0]), min_size=1, max_size=80)


@given(st.floats(0.5, 50), st.integers(1, 10), ARRIVALS)
def test_no_stretch_of_time_sees_more_calls_than_the_limit_grants(rate: float, burst: int, gaps: list[float]) -> None:
    left = departures(rate, burst, gaps)
    for first, start in enumerate(left):
        for last, end in enumerate(left[first:], first):
            assert last - first + 1 <= burst + rate * (end - start) + 1e-6


@given(st.floats(0.5, 50), st.integers(1, 10), ARRIVALS)
def test_a_call_waits_only_while_the_limit_is_used_up(rate: float, burst: int, gaps: list[float]) -> None:
    """Each call leaves as it arrives, or at the end of a stretch in which no further call was granted."""
    left = departures(rate, burst, gaps)
    arrived = 0.0
    for last, (gap, end) in enumerate(zip(gaps, left, strict=True)):
        arrived += gap
        used_up = (last - first + 1 >= burst + rate * (end - start) - 1e-6 for first, start in enumerate(left[: last + 1]))
        assert end == arrived or any(used_up)


def test_google_counts_by_the_minute_and_never_sees_more_than_it_grants() -> None:
    rate, burst = limits("gke")
    left = departures(rate, int(burst), [0.0] * 6000)
    assert max(sum(start <= at < start + 60 for at in left) for start in range(60)) <= 3000


def test_a_server_with_a_bucket_of_its_own_is_followed_within_a_third() -> None:
    """Two hundred clusters, three calls each, at an API whose limit is known."""
    time = Time()
    pace = Pace(20.0, 100.0, clock=time, sleep=time.sleep)
    tokens, at, refused = 100.0, 0.0, 0

    def serve() -> None:
        nonlocal tokens, at, refused
        tokens, at = min(100.0, tokens + (time.now - at) * 20.0), time.now
        if tokens < 0.999:
            refused += 1
            raise Throttled("slow down")
        tokens -= 1

    for _ in range(600):
        pace.call(serve)
    assert time.now <= 1.3 * (600 - 100) / 20
    assert refused == 0


def test_refusals_are_waited_out_as_long_as_the_api_says() -> None:
    time = Time()
    pace = Pace(10.0, 10.0, clock=time, sleep=time.sleep)
    answers = iter([Throttled("no", after=7.0), "fine"])

    def serve() -> str:
        answer = next(answers)
        if isinstance(answer, Throttled):
            raise answer
        return str(answer)

    assert pace.call(serve) == "fine"
    assert time.now >= 7.0


def test_an_api_that_only_refuses_is_given_up_after_some_attempts() -> None:
    time, asked = Time(), []
    pace = Pace(10.0, 10.0, clock=time, sleep=time.sleep)

    def refuse() -> None:
        asked.append(1)
        raise Throttled("no")

    with pytest.raises(Throttled):
        pace.call(refuse)
    assert len(asked) == ATTEMPTS


def test_accounts_and_regions_have_paces_of_their_own() -> None:
    paces = Paces(limits)
    assert paces.of("ec2", "aws", "1", "us-east-1") is paces.of("ec2", "aws", "1", "us-east-1")
    assert paces.of("ec2", "aws", "1", "us-east-1") is not paces.of("ec2", "aws", "1", "us-west-2")


def test_a_part_of_each_limit_is_left_and_one_call_is_always_allowed() -> None:
    pace = Paces(lambda _: (10.0, 20.0)).of("api")
    assert (pace.rate, pace.burst) == (10.0 * SHARE, 20.0 * SHARE)
    assert Paces(lambda _: (1.0, 1.0)).of("api").burst == 1.0


@pytest.mark.parametrize(("rate", "burst"), [(0, 1), (-1, 1), (1, 0), (float("nan"), 1)])
def test_a_pace_that_stands_still_is_refused(rate: float, burst: float) -> None:
    with pytest.raises(ValueError, match="pace"):
        Pace(rate, burst)
