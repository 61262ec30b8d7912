"""One order for the resources of a recording, whatever order the program's concurrent registrations happened to arrive in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .tape import Entry


def ordered(entries: Sequence[Entry]) -> list[Entry]:
    """Every entry after all that it needs; those that need equally much by URN. Two runs of one program give one order."""
    by_urn = {entry.urn: entry for entry in entries}
    ranks: dict[str, int] = {}
    for entry in entries:  # what an entry needs was registered before it, so that its rank is known
        ranks[entry.urn] = 1 + max((ranks.get(urn, 0) for urn in _needs(entry) if urn in by_urn), default=-1)
    return sorted(entries, key=lambda entry: (ranks[entry.urn], entry.urn))


def _needs(entry: Entry) -> Iterator[str]:
    yield entry.parent
    yield entry.provider
    yield from entry.dependencies
    for urns in entry.property_dependencies.values():
        yield from urns
