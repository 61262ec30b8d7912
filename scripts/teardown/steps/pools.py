"""GPU pools to zero, before anything else can fail."""

from __future__ import annotations

from scripts.teardown import kinds as k
from scripts.teardown.model import Seen, Thing
from scripts.teardown.step import Scene, Step


def _touches(seen: Seen) -> tuple[Thing, ...]:
    """Pools of GPU machines that have, want or must have any; what is not known of a pool counts as some (unknown is never zero)."""
    return tuple(pool for pool in seen.going([k.POOL]) if pool.detail.get("gpu", True) and _may_bill(pool))


def _may_bill(pool: Thing) -> bool:
    return any(pool.detail.get(size, 1) for size in ("minimum", "desired", "running"))


def _act(scene: Scene, pools: tuple[Thing, ...]) -> None:
    for pool in pools:
        scene.cloud.to_zero(pool)


STEP = Step(
    id="gpu-pools",
    title="Scale GPU pools to zero",
    reason="K11: whatever fails later then fails cheaply",
    needs=frozenset({k.POOL}),
    touches=_touches,
    act=_act,
    minutes=30,
)
