"""One look at cloud, cluster and state."""

from __future__ import annotations

from collections.abc import Collection

from scripts.teardown.cluster import Unreachable
from scripts.teardown.model import Scope, Seen, Thing
from scripts.teardown.step import Scene
from scripts.teardown.steps.engine import STATE


def look(scene: Scene, kinds: Collection[str], scope: Scope) -> Seen:
    """Everything of `kinds` that is the target's. Raises Failed when the cloud does not answer; a silent cluster shows nothing and is `silent`."""
    objects = frozenset(kind for kind in kinds if kind[:1].isupper() and kind not in _CLOUD_CAPITALS)
    outside = frozenset(kinds) - objects - {STATE}
    found: tuple[Thing, ...] = ()
    silent = False
    if objects and scene.cluster is not None:
        try:
            found += scene.cluster.find(objects)
        except Unreachable:
            silent = True
    if outside:
        found += scene.cloud.find(outside, scope)
    if STATE in kinds and scene.engine is not None:
        found += scene.engine.recorded()
    recorded = scene.engine.ids() if scene.engine is not None else frozenset[str]()
    return Seen(things=found, scope=scope, recorded=recorded, silent=silent)


_CLOUD_CAPITALS = frozenset({"NAT gateway"})
