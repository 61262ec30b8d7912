"""Answers that serve many clusters of one look: a listing of an account's clusters is asked for once, by whoever needs it first."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from concurrent.futures import Future
from threading import Lock
from typing import Any, TypeVar, cast

T = TypeVar("T")


class Listings:
    """Belongs to one look: what is asked again before acting must be asked anew."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._answers: dict[Hashable, Future[Any]] = {}

    def once(self, key: Hashable, ask: Callable[[], T]) -> T:
        """What `ask` gives or raises, the same for all who ask by this key; the others wait for the first."""
        with self._lock:
            first = key not in self._answers
            answer = self._answers.setdefault(key, Future())
        if first:
            try:
                answer.set_result(ask())
            except BaseException as error:  # noqa: BLE001 # whoever waits must hear of it, else they wait for ever
                answer.set_exception(error)
        return cast("T", answer.result())


def once(listings: Listings | None, key: Hashable, ask: Callable[[], T]) -> T:
    """`Listings.once`, or a fresh answer where none are shared."""
    return ask() if listings is None else listings.once(key, ask)
