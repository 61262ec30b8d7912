"""Tags that must sit on a pool's scaling group itself, since the tags of a managed group stop at the group.

They tell the cluster autoscaler what a node would offer while there is none (F1), and carry the user's tags to instances: through the
launch template a change of them would roll every node. Source of the keys: cluster autoscaler, cloud provider AWS, "Auto-discovery setup"
and "Scaling a node group to 0".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .outline import PoolOutline

PREFIX = "k8s.io/cluster-autoscaler"
EFA_RESOURCE = "vpc.amazonaws.com/efa"
TAINT_VALUE = "present"


@dataclass(frozen=True, kw_only=True)
class ScalingTag:
    key: str
    value: str
    reaches_instances: bool


def scaling_tags(outline: PoolOutline, cluster: str, user_tags: Mapping[str, str]) -> tuple[ScalingTag, ...]:
    """Every tag of the pool's scaling group: discovery, hints, and the user's own, which instances inherit."""
    hints = [ScalingTag(key=key, value=value, reaches_instances=False) for key, value in _hints(outline, cluster)]
    return (*hints, *(ScalingTag(key=key, value=value, reaches_instances=True) for key, value in user_tags.items()))


def _hints(outline: PoolOutline, cluster: str) -> Iterator[tuple[str, str]]:
    if outline.autoscaled:
        yield f"{PREFIX}/enabled", "true"
        yield f"{PREFIX}/{cluster}", "owned"
    for resource, count in outline.sharing.offers.items():
        yield f"{PREFIX}/node-template/resources/{resource}", str(count)
    if outline.efa_interfaces:
        yield f"{PREFIX}/node-template/resources/{EFA_RESOURCE}", str(outline.efa_interfaces)
    for key, value in outline.labels.items():
        yield f"{PREFIX}/node-template/label/{key}", value
    for key in outline.taints:
        yield f"{PREFIX}/node-template/taint/{key}", f"{TAINT_VALUE}:NoSchedule"
