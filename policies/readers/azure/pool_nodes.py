"""Machines and sizes of an agent pool."""

from __future__ import annotations

import math
import re

from components.inventory import NodeCount
from components.unknown import Maybe, Unknown
from policies.readers.values import given, items, text, whole

from .pool_source import PoolSource
from .references import size_name

DEFAULT_COUNT = 1
DEFAULT_SURGE = "10%"
"""What AKS takes where the program says nothing (pulumi-azure-native 3.29.0, `AgentPool.count`, `upgradeSettings.maxSurge`)."""
_PERCENT = 100


def machines(source: PoolSource) -> Maybe[tuple[Maybe[str], ...]]:
    """One size, or those of a pool of mixed machines (`virtualMachinesProfile`)."""
    mixed = _mixed(source)
    if isinstance(mixed, Unknown):
        return mixed
    if mixed:
        return tuple(size_name(given(text(source.resource.read(*at, "size"), path), path, "not given")) for at, path in mixed)
    size = given(source.word("machine"), source.path("machine"), "not given, so that AKS picks one")
    return (size_name(size),)


def _mixed(source: PoolSource) -> Maybe[list[tuple[tuple[str | int, ...], str]]]:
    """Where the sizes of a mixed pool stand, with their property paths."""
    at = (*source.base, *source.words["mixed"], "manual")
    path = f"{source.path('mixed')}.manual"
    listed = items(source.resource.read(*at), path)
    if isinstance(listed, Unknown):
        return listed
    return [((*at, i), f"{path}[{i}]") for i in range(len(listed))]


def nodes(source: PoolSource, *, spot: Maybe[bool]) -> NodeCount:
    """AKS counts a pool's nodes over all its zones."""
    mixed = _mixed(source)
    if isinstance(mixed, Unknown) or mixed:
        total = mixed if isinstance(mixed, Unknown) else _total(source, mixed)
        return NodeCount(minimum=total, desired=total, maximum=total, surge=_surge(source, total, spot))
    autoscaled = source.autoscaled
    if isinstance(autoscaled, Unknown):
        return NodeCount(minimum=autoscaled, desired=autoscaled, maximum=autoscaled, surge=autoscaled)
    count = source.whole("count")
    if not autoscaled:
        fixed = DEFAULT_COUNT if count is None else count
        return NodeCount(minimum=fixed, desired=fixed, maximum=fixed, surge=_surge(source, fixed, spot))
    minimum, maximum = (given(source.whole(key), source.path(key), "not given") for key in ("minimum", "maximum"))
    return NodeCount(minimum=minimum, desired=_started(count, minimum), maximum=maximum, surge=_surge(source, maximum, spot))


def _started(count: Maybe[int | None], minimum: Maybe[int]) -> Maybe[int]:
    """Nodes with which an autoscaled pool begins: its `count`, else the default of one, never fewer than the minimum."""
    if count is not None or isinstance(minimum, Unknown):
        return minimum if count is None else count
    return max(DEFAULT_COUNT, minimum)


def _total(source: PoolSource, mixed: list[tuple[tuple[str | int, ...], str]]) -> Maybe[int]:
    total = 0
    for at, path in mixed:
        count = given(whole(source.resource.read(*at, "count"), f"{path}.count"), f"{path}.count", "not given")
        if isinstance(count, Unknown):
            return count
        total += count
    return total


def _surge(source: PoolSource, maximum: Maybe[int], spot: Maybe[bool]) -> Maybe[int]:
    """Nodes that an upgrade adds: a number, or a share of the pool rounded up. Spot pools take none (E4)."""
    if isinstance(spot, Unknown):
        return spot
    value = source.value("surge")
    if spot:
        return value if isinstance(value, Unknown) else 0
    written = text(str(value) if isinstance(value, int) and not isinstance(value, bool) else value, source.path("surge"))
    if isinstance(written, Unknown):
        return written
    return surge_nodes(written or DEFAULT_SURGE, maximum, source.path("surge"))


def surge_nodes(written: str, maximum: Maybe[int], path: str) -> Maybe[int]:
    """`2` -> 2, `33%` of 7 -> 3."""
    found = re.fullmatch(r"(\d{1,9})(%?)", written.strip())
    if found is None:
        return Unknown(path, "not readable: neither a number nor a percentage")
    amount = int(found[1])
    if not found[2]:
        return amount
    return maximum if isinstance(maximum, Unknown) else math.ceil(maximum * amount / _PERCENT)
