"""Look-up errors of the catalogue: an unknown name always says what is near it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeGuard

Cloud = Literal["aws", "gcp", "azure"]
CLOUDS: tuple[Cloud, ...] = ("aws", "gcp", "azure")


class UnknownName(LookupError):
    """A name that the catalogue does not hold.

    `kind` says of what ("aws machine", "chart" …), `nearest` gives up to three names that it may have meant, best first.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind = kind
        self.name = name
        self.nearest = nearest(name, known)
        hint = f"; nearest: {', '.join(self.nearest)}" if self.nearest else ""
        super().__init__(f"unknown {kind} {name!r}{hint}")


def nearest(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """Up to three of `known` that resemble `name` (letter case aside), best first; else of those that it is a part of (`p5`)."""
    from difflib import get_close_matches  # only needed for errors, costs milliseconds to import

    by_folded, folded = {k.casefold(): k for k in known}, name[:_LONGEST].casefold()
    close = tuple(by_folded[f] for f in get_close_matches(folded, by_folded, n=3, cutoff=0.5))
    return close or tuple(k for f, k in by_folded.items() if len(folded) >= _SHORTEST_PART and folded in f)[:3]


_SHORTEST_PART = 2
_LONGEST = 100
"""Characters; comparing more takes time and finds nothing."""


def is_cloud(name: str) -> TypeGuard[Cloud]:
    return name in CLOUDS


def cloud_named(name: str) -> Cloud:
    """`name` as a cloud. Raises UnknownName."""
    if is_cloud(name):
        return name
    raise UnknownName("cloud", name, CLOUDS)
