"""Many clusters asked at once."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from scripts.idle.collect import together
from scripts.idle.collect.clouds import Access
from scripts.idle.collect.targets import Target
from scripts.idle.collect.together import AT_ONCE, Asking, Looked
from scripts.idle.intent import Policy
from scripts.idle.rules import Rules

SLOW = Target(
    stack="slow-0", cluster="lab", cloud="aws", account="123456789012", region="us-east-1", workload="training", owner="ml-platform",
    expires=date(2027, 3, 1), policy=Policy(), notify=(), markets={},
)  # fmt: skip
ASKING = Asking(access=Access(environment={}), metering=lambda _: None, rules=Rules(), now=datetime(2026, 11, 30, tzinfo=UTC))


def test_a_place_that_is_slow_to_answer_holds_up_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """More clusters than are asked at once wait in one region, and answer only after the cluster of another region has."""
    other_answered = threading.Event()

    def answer(target: Target, asking: Asking) -> Looked:
        waited = other_answered.wait(20) if target.region == SLOW.region else other_answered.set()
        return Looked(
            target=target, cluster=together._described(target, asking), found=None, errors=() if waited is not False else ("late",)
        )

    monkeypatch.setattr(together, "of", answer)
    targets = [*(replace(SLOW, stack=f"slow-{i}") for i in range(AT_ONCE + 8)), replace(SLOW, stack="quick", region="eu-west-1")]
    looked = together.look(targets, ASKING)
    assert [each.target for each in looked] == targets
    assert not any(each.errors for each in looked)


def test_no_clusters_are_an_answer_too() -> None:
    assert together.look([], ASKING) == []
