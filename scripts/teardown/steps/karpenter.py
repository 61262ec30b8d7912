"""Karpenter's pools and machines, which no state knows."""

from __future__ import annotations

from scripts.teardown import kinds as k
from scripts.teardown.model import Seen, Thing
from scripts.teardown.step import Scene, Step, delete_all, in_cluster
from scripts.teardown.steps.recreators import NODE_POOL

NODE_CLAIM = "NodeClaim.karpenter.sh"


def _machines(seen: Seen) -> tuple[Thing, ...]:
    """Machines of the cluster that belong to no pool of the cloud."""
    return tuple(each for each in seen.going([k.INSTANCE]) if not each.detail.get("pool"))


def _touches(seen: Seen) -> tuple[Thing, ...]:
    return (*seen.of([NODE_POOL]), *seen.of([NODE_CLAIM]), *(each for each in _machines(seen) if each.detail.get("karpenter")))


def _act(scene: Scene, things: tuple[Thing, ...]) -> None:
    delete_all(scene, tuple(thing for thing in things if in_cluster(thing)))


STEP = Step(
    id="karpenter",
    title="Delete Karpenter's NodePools and NodeClaims; wait until its machines have ended",
    reason="K4: its machines outlive the cluster and bill on; its finalizer ends them only while it lives",
    needs=frozenset({NODE_POOL, NODE_CLAIM, k.INSTANCE}),
    touches=_touches,
    act=_act,
    minutes=20,
    in_cluster=True,
)

LEFT = Step(
    id="machines-left",
    title="End machines of the cluster that belong to no pool",
    reason="K4, J6: found by tag, ended through the cloud's API and looked at again; a stopped one is never started",
    needs=frozenset({k.INSTANCE}),
    touches=_machines,
    act=delete_all,
    minutes=15,
)
