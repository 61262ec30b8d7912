"""Things for pure tests: each starts from what is plain and changes one thing."""

from __future__ import annotations

from typing import Any

from scripts.teardown import kinds as k
from scripts.teardown.model import Scope, Seen, Thing


def pool(**detail: Any) -> Thing:
    sizes = {"gpu": True, "minimum": 0, "desired": 0, "maximum": 4, "running": 0, "groups": []}
    return Thing(kind=k.POOL, id="lab:gpu", name="gpu", detail={**sizes, **detail})


def thing(kind: str, id_: str = "one", **changes: Any) -> Thing:
    return Thing(kind=kind, id=id_, **changes)


def obj(kind: str, name: str = "one", namespace: str = "default", **body: Any) -> Thing:
    """An object of a cluster; `metadata` is completed."""
    metadata = {"name": name, "namespace": namespace, **body.pop("metadata", {})}
    return Thing(kind=kind, id=f"{namespace}/{name}", name=name, detail={"object": {"metadata": metadata, **body}, "path": f"/{name}"})


def seen(*things: Thing, recorded: frozenset[str] = frozenset(), **scope: Any) -> Seen:
    return Seen(things=things, recorded=recorded, scope=Scope(**scope))
