"""When a pool on a capacity block grows and shrinks: scheduled actions on its scaling group, next to the one that EKS makes itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from .capacity import Phase
from .outline import PoolOutline


@dataclass(frozen=True, kw_only=True)
class Action:
    """From `at` on the scaling group has `nodes` nodes."""

    name: str
    at: datetime
    nodes: int


def schedule(pool: PoolOutline) -> Iterator[Action]:
    """The actions that lie ahead: Auto Scaling takes none for a past moment, and forgets each one once it ran."""
    window = pool.window
    if window is None:
        return
    if pool.phase is Phase.BEFORE:
        yield Action(name="block-starts", at=window.starts, nodes=pool.nodes.max)
    if pool.phase in (Phase.BEFORE, Phase.OPEN):
        yield Action(name="block-drains", at=window.drains, nodes=0)
