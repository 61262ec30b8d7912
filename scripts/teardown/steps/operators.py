"""Operators' own resources and device claims, while their operators live."""

from __future__ import annotations

from scripts.teardown.model import Seen, Thing
from scripts.teardown.step import Step, delete_all

CLAIMS = ("ResourceClaim",)
"""K9: device claims before the driver's kubelet plugin goes."""
CONFIGURATION = (
    "NVIDIADriver.nvidia.com", "ClusterPolicy.nvidia.com", "NicClusterPolicy.mellanox.com", "MacvlanNetwork.mellanox.com",
    "HostDeviceNetwork.mellanox.com", "IPoIBNetwork.mellanox.com",
)  # fmt: skip


def _touches(seen: Seen) -> tuple[Thing, ...]:
    return seen.of(CLAIMS) or tuple(thing for kind in CONFIGURATION for thing in seen.of([kind]))


STEP = Step(
    id="operators",
    title="Delete device claims and operators' resources while their operators live",
    reason="K9: finalizers that nobody serves hold namespaces and definitions for ever; releases and namespaces go with the cluster after it",
    needs=frozenset({*CLAIMS, *CONFIGURATION}),
    touches=_touches,
    act=delete_all,
    minutes=10,
    in_cluster=True,
)
