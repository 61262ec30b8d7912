"""Kueue's cluster queues, held while their pools are at zero: `spec.stopPolicy: Hold` admits nothing new and ends nothing.

Kueue, "ClusterQueue", stopPolicy: None, Hold, HoldAndDrain; the last would evict admitted workloads and is never set here.
"""

from __future__ import annotations

from collections.abc import Iterable

from scripts.idle.act.state import Held
from scripts.idle.collect.found import Endpoint
from scripts.idle.collect.kubernetes import KUEUE, Api, connected

HOLD, NONE = "Hold", "None"


def to_hold(endpoint: Endpoint, cluster: str) -> tuple[Held, ...]:
    """Queues that can be held, with the policy that each has now; none where the cluster has no Kueue. Raises Failed."""
    with connected(endpoint, f"cluster {cluster}") as api:
        queues = _queues(api)
        if queues is None:
            return ()
        listed = ((item["metadata"]["name"], str((item.get("spec") or {}).get("stopPolicy") or NONE)) for item in api.items_if_any(queues))
        return tuple(Held(name=name, policy=policy) for name, policy in listed if policy == NONE)


def hold(endpoint: Endpoint, cluster: str, queues: Iterable[Held]) -> None:
    """Repeatable. Raises Failed."""
    _set(endpoint, cluster, [(queue.name, HOLD) for queue in queues])


def release(endpoint: Endpoint, cluster: str, queues: Iterable[Held]) -> None:
    """Give queues the policy back that they had. Repeatable; one that is gone needs nothing. Raises Failed."""
    _set(endpoint, cluster, [(queue.name, queue.policy) for queue in queues])


def _set(endpoint: Endpoint, cluster: str, policies: list[tuple[str, str]]) -> None:
    if not policies:
        return
    with connected(endpoint, f"cluster {cluster}") as api:
        queues = _queues(api)
        there = {item["metadata"]["name"] for item in api.items_if_any(queues)} if queues else set[str]()
        for name, policy in policies:
            if name in there:
                api.patch(f"{queues}/{name}", {"spec": {"stopPolicy": policy}})


def _queues(api: Api) -> str | None:
    group = api.group(KUEUE)
    return None if group is None else f"{group}/clusterqueues"
