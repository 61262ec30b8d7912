"""Warn, wait, act: from verdicts and what earlier runs did; and the limits beyond which nothing is touched."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.idle.intent import Do, Intent, Past, Policy, Reach, Strongest, beyond, intent
from scripts.idle.verdict import PoolVerdict, Status, Verdict

from .traces import NOW

SCALE = Policy(strongest=Strongest.SCALE_TO_ZERO)
DESTROY = Policy(strongest=Strongest.DESTROY)
IDLE = PoolVerdict(pool="a100", status=Status.IDLE, reason="r", nodes=2, usd_per_hour=40.0, resting=True)
BUSY = PoolVerdict(pool="h100", status=Status.ACTIVE, reason="r", nodes=1, usd_per_hour=50.0)


def verdict(*pools: PoolVerdict, status: Status = Status.IDLE, minutes: float = 0) -> Verdict:
    return Verdict(
        cluster="lab", status=status, reason="why", pools=pools, resting=all(p.resting for p in pools),
        at=NOW + timedelta(minutes=minutes), window_minutes=60, usd_per_hour=41.0,
    )  # fmt: skip


def run(*steps: tuple[Status, float], policy: Policy = SCALE) -> list[Do]:
    """What each run does, the record carried from one to the next."""
    past, done = Past(), []
    for status, minutes in steps:
        pool = IDLE if status in (Status.IDLE, Status.EXPIRED) else replace(IDLE, status=status, resting=False)
        found = intent(verdict(pool, status=status, minutes=minutes), policy, past)
        past, done = found.past, [*done, found.do]
    return done


def test_an_idle_cluster_is_warned_then_waited_for_then_scaled() -> None:
    assert run((Status.IDLE, 0), (Status.IDLE, 30), (Status.IDLE, 60)) == [Do.WARN, Do.WAIT, Do.SCALE]


def test_a_missed_run_catches_up() -> None:
    assert run((Status.IDLE, 0), (Status.IDLE, 3000)) == [Do.WARN, Do.SCALE]


@pytest.mark.parametrize("between", [Status.ACTIVE, Status.UNKNOWN, Status.HUNG, Status.PROTECTED])
def test_whatever_is_not_idle_ends_the_grace(between: Status) -> None:
    assert run((Status.IDLE, 0), (between, 30), (Status.IDLE, 90)) == [Do.WARN, run((between, 0))[0], Do.WARN]


@pytest.mark.parametrize(
    ("status", "do"), [(Status.HUNG, Do.TELL), (Status.UNKNOWN, Do.TELL), (Status.ACTIVE, Do.NOTHING), (Status.PROTECTED, Do.NOTHING)]
)
def test_only_proven_rest_is_ever_acted_upon(status: Status, do: Do) -> None:
    assert run((status, 0), (status, 500), policy=DESTROY) == [do, do]


def test_destroying_is_opted_into_and_needs_every_pool_to_rest() -> None:
    past = Past(warned_at=NOW - timedelta(hours=2))
    assert intent(verdict(IDLE), DESTROY, past).do is Do.DESTROY
    assert intent(verdict(IDLE), SCALE, past).do is Do.SCALE
    mixed = replace(verdict(IDLE, BUSY, status=Status.EXPIRED), resting=False)
    assert (intent(mixed, DESTROY, past).do, intent(mixed, DESTROY, past).pools) == (Do.SCALE, ("a100",))


def test_an_ended_lease_over_a_running_job_is_told_and_not_ended() -> None:
    assert (
        intent(replace(verdict(BUSY, status=Status.EXPIRED), resting=False), DESTROY, Past(warned_at=NOW - timedelta(days=2))).do is Do.TELL
    )


def test_without_leave_it_is_only_spoken_about() -> None:
    assert intent(verdict(IDLE), Policy(), Past(warned_at=NOW - timedelta(days=2))).do is Do.TELL


@pytest.mark.parametrize("pool", [replace(IDLE, nodes=0), replace(IDLE, prepaid=True)])
def test_what_does_not_bill_or_is_paid_for_is_left_alone(pool: PoolVerdict) -> None:
    assert intent(verdict(pool), SCALE, Past(warned_at=NOW - timedelta(days=2))).do is Do.NOTHING


def many(acting: int, others: int = 0, usd: float | None = 1.0) -> list[Intent]:
    acts = [Intent(cluster=f"c{i}", do=Do.SCALE, reason="", usd_per_hour=usd) for i in range(acting)]
    return acts + [Intent(cluster=f"o{i}", do=Do.NOTHING, reason="") for i in range(others)]


def test_one_cluster_more_than_the_limit_stops_the_whole_run() -> None:
    reach = Reach(clusters=50, usd_per_hour=1000)
    assert beyond(many(50, 100), reach) is None
    assert "51 clusters" in str(beyond(many(51, 100), reach))


def test_a_share_or_a_sum_beyond_the_limit_stops_it_too() -> None:
    assert "3 of 5 clusters" in str(beyond(many(3, 2), Reach()))
    assert beyond(many(2, 1), Reach()) is None
    assert "600.00 USD per hour" in str(beyond(many(6, 10, usd=100.0), Reach()))


def test_an_unknown_price_is_beyond_any_limit() -> None:
    assert "not known" in str(beyond(many(1, 3, usd=None), Reach(usd_per_hour=1e9)))


@pytest.mark.parametrize("wrong", [{"clusters": 0}, {"share": 0}, {"share": 1.5}, {"usd_per_hour": 0}, {"usd_per_hour": float("nan")}])
def test_limits_that_limit_nothing_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="limit"):
        Reach(**wrong)


@given(st.lists(st.sampled_from([Do.SCALE, Do.DESTROY, Do.WARN, Do.NOTHING]), max_size=30), st.integers(1, 20))
def test_more_of_the_same_never_becomes_allowed_by_being_more(dos: list[Do], limit: int) -> None:
    intents = [Intent(cluster=str(i), do=do, reason="", usd_per_hour=1.0) for i, do in enumerate(dos)]
    reach = Reach(clusters=limit, share=1.0)
    more = [*intents, Intent(cluster="one more", do=Do.SCALE, reason="", usd_per_hour=1.0)]
    assert beyond(intents, reach) is None or beyond(more, reach) is not None
