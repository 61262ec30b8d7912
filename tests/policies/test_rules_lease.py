"""GPU-LEASE-01: an ended lease is in sight wherever a stack is judged."""

from __future__ import annotations

import json

import pytest

from policies import Finding, Level, Limits, Settings, Status, evaluate
from tests.policies.raw import NOW, said, training


def lease(value: object) -> list[Finding]:
    settings = Settings.for_stack({"gpukit:cluster": json.dumps({"lease": value})}, limits=Limits(), now=NOW)
    return said(evaluate(training().built(), settings), "GPU-LEASE-01")


def test_an_ended_lease_is_advice_that_growth_is_refused() -> None:
    (finding,) = lease({"expires": "2025-03-01"})
    assert (finding.status, finding.level, finding.fails) == (Status.UNCHECKED, Level.ADVISORY, False)
    assert "it ended on 2025-03-01, so growth is refused" in finding.message


@pytest.mark.parametrize("value", [None, {"expires": f"{NOW:%Y-%m-%d}"}, {"expires": "2027-03-01"}])
def test_without_a_lease_and_up_to_its_last_day_there_is_nothing_to_say(value: object) -> None:
    assert lease(value) == []


@pytest.mark.parametrize("value", [{"expires": "soon"}, {"expires": 5}, {}, "2027-03-01x", []])
def test_a_lease_that_cannot_be_read_is_unknown(value: object) -> None:
    assert [(f.status, f.fails) for f in lease(value)] == [(Status.UNKNOWN, True)]
