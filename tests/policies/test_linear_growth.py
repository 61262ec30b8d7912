"""Five times the resources take at most about five times the work, counted in calls, which no machine can slow down."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.unknown import Maybe, Unknown
from policies import Limits, Settings, evaluate
from policies.rules.clusters import ByCluster
from scripts.plan import stackfile
from scripts.plan.build import recorded
from tests.bench.guardrails import ROOT, multiplied

COPIES = 3
ALLOWED = 5.2
"""Sorting and what is the same for any program leave a little room around 5; pairs of any two kinds of things would come to 10 and more."""


@contextmanager
def counted() -> Generator[Callable[[], int]]:
    """Counts every call inside: of functions, of what is built in, and each time that a generator goes on."""
    calls = 0

    def called(_frame: FrameType, event: str, _: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(called)
    try:
        yield lambda: calls
    finally:
        sys.setprofile(before)


@pytest.mark.parametrize("name", ["aws-training-dev", "gcp-training-a3mega", "azure-training-ndh100", "aws-inference-dev"])
def test_five_times_the_resources_take_five_times_the_work(name: str) -> None:
    stack = recorded(Path(ROOT), stackfile.read(Path(ROOT), name)).resources
    settings = Settings.for_stack(stack.config, limits=Limits.load())
    few = COPIES * (len(stack.resources) - 1) + 1
    evaluate(multiplied(stack, few), settings)  # what the catalogue reads, it reads once

    def work(count: int) -> int:
        program = multiplied(stack, count)
        with counted() as calls:
            evaluate(program, settings)
        return calls()

    assert work(5 * few) < ALLOWED * work(few)


def _may_be_together(one: Maybe[str | None], other: Maybe[str | None]) -> bool:
    return not (isinstance(one, str) and isinstance(other, str)) or one == other


clusters = st.sampled_from(["a", "b", "c", None, Unknown("provider")])


@given(st.lists(clusters), clusters)
def test_what_may_stand_in_a_cluster_is_all_but_what_stands_in_another_one(held: list[Maybe[str | None]], asked: Maybe[str | None]) -> None:
    facts = list(enumerate(held))
    found = ByCluster((cluster, at) for at, cluster in facts).beside(asked)
    assert list(found) == [at for at, cluster in facts if _may_be_together(cluster, asked)]
