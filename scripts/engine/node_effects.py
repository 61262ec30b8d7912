"""What a change of a node pool does to the nodes that run in it: the plan says it before anybody confirms.

Sources: EKS user guide, "Update a managed node group" (a new template version, release or Kubernetes version replaces nodes; size, labels,
taints and tags do not); GKE, "Node upgrade strategies" and provider documentation of `node_config` (labels, taints and tags are set in
place); AKS, "Upgrade node images and Kubernetes" and the fields that a pool can change only by reimaging.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

STAY = "its nodes stay"
ROLLED = "its nodes are replaced"
GONE = "its nodes go with it"
UNTOLD = "whether its nodes stay is not told"


@dataclass(frozen=True)
class Rolling:
    """Properties whose change replaces a pool's nodes; `but` are paths below them that do not."""

    properties: frozenset[str]
    but: frozenset[str] = frozenset()

    def holds(self, path: str) -> bool:
        parts = re.split(r"[.\[]", path.replace('"', ""))
        return parts[0] in self.properties and ".".join(parts[:2]) not in self.but


_GKE_IN_PLACE = frozenset(f"nodeConfig.{name}" for name in ("labels", "taints", "resourceLabels", "tags"))
POOLS: Mapping[str, Rolling] = {
    "aws:eks/nodeGroup:NodeGroup": Rolling(frozenset({"launchTemplate", "releaseVersion", "version"})),
    "gcp:container/nodePool:NodePool": Rolling(frozenset({"nodeConfig", "version"}), _GKE_IN_PLACE),
    "azure-native:containerservice:AgentPool": Rolling(frozenset({"orchestratorVersion", "osSKU", "linuxOSConfig", "kubeletConfig"})),
}
"""By type token."""


def of_nodes(operation: str, type_: str, properties: Iterable[str]) -> str:
    """One of the words above for a pool's change, "" for what is no pool. `properties` are the paths that differ."""
    rolling = POOLS.get(type_)
    if rolling is None:
        return ""
    if operation in ("replace", "delete"):
        return GONE
    paths = tuple(properties)
    if not paths:
        return UNTOLD
    return ROLLED if any(rolling.holds(path) for path in paths) else STAY
