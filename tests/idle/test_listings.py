"""One answer for all who ask the same at once, whether it is good or bad."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from scripts.idle.collect.listings import Listings, once


def test_whoever_asks_at_the_same_time_waits_for_the_one_answer() -> None:
    listings, together, asked = Listings(), Barrier(8), []

    def ask() -> int:
        asked.append(1)
        return 7

    def one(_: int) -> int:
        together.wait(10)
        return listings.once("clusters", ask)

    with ThreadPoolExecutor(max_workers=8) as threads:
        assert list(threads.map(one, range(8))) == [7] * 8
    assert len(asked) == 1


def test_a_refusal_is_told_to_each_and_other_questions_are_asked() -> None:
    listings = Listings()

    def refuse() -> int:
        raise ValueError("no")

    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            listings.once("clusters", refuse)
    assert listings.once("others", lambda: 1) == 1


def test_without_a_look_each_question_is_asked_anew() -> None:
    answers = iter((1, 2))
    assert [once(None, "clusters", lambda: next(answers)) for _ in range(2)] == [1, 2]
