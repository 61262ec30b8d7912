"""Whose a thing of a Google project is: by its labels, or by its name where its kind carries none."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from components.naming import tag_key
from scripts.teardown import kinds as k
from scripts.teardown.clouds.gcp import controllers
from scripts.teardown.model import Scope, Target

STACK = tag_key("gcp", "stack")
_CLUSTER = tag_key("gcp", "cluster")
_GKE_CLUSTER, _GKE_PLACE = "goog-k8s-cluster-name", "goog-k8s-cluster-location"


@dataclass(frozen=True, kw_only=True)
class Whose:
    """The target's claim on things. Each answer says why a thing is the target's; "" when it is not."""

    target: Target
    scope: Scope

    def own_network(self, name: str) -> bool:
        """Whether this project made the network for this cluster alone."""
        return re.fullmatch(f"{re.escape(self.target.cluster)}-vpc-[0-9a-f]{{7}}", name) is not None

    def by_labels(self, labels: Mapping[str, str]) -> str:
        stack, cluster = self.target.stack or self.scope.stack, self.target.cluster
        if labels.get(STACK) and stack and labels[STACK] != stack:
            return ""
        if stack and labels.get(STACK) == stack:
            return f"label {STACK}={stack}"
        if labels.get(_CLUSTER) == cluster:
            return f"label {_CLUSTER}={cluster}"
        place = str(labels.get(_GKE_PLACE, self.target.region))
        mine = labels.get(_GKE_CLUSTER) == cluster and (place == self.target.region or place.startswith(f"{self.target.region}-"))
        return f"label {_GKE_CLUSTER}={cluster}" if mine else ""

    def by_name(self, kind: str, each: Mapping[str, Any]) -> str:
        """By exact form of the name, inside of the cluster's own network (K6). The network itself only when this project's names made it."""
        cluster, name = re.escape(self.target.cluster), str(each["name"])
        made = re.compile(f"{cluster}(-[a-z0-9-]+)?-[0-9a-f]{{7}}")
        gke = re.compile(f"gke-{cluster}-[0-9a-f]{{8}}-[a-z]+|k8s-(fw|[0-9a-f]{{16}})-.*")
        if kind == k.NETWORK:
            own = name == self.scope.network and self.own_network(name)
            return "the cluster's own network, named after it" if own else ""
        if kind == k.PLACEMENT:
            return "named after the cluster by this project" if made.fullmatch(name) else ""
        inside = bool(self.scope.network) and str(each.get("network", "")).rsplit("/", 1)[-1] == self.scope.network
        if inside and (made.fullmatch(name) or (kind == k.FIREWALL and gke.fullmatch(name) and self._of_cluster(each))):
            return f"in the cluster's own network {self.scope.network}, by name"
        if inside and controllers.named(name, self.scope.uid):
            return "in the cluster's network, and its name is made of the cluster's uid"
        return ""

    def _of_cluster(self, firewall: Mapping[str, Any]) -> bool:
        """Rules of GKE apply to the cluster's node tag; one without a tag says whose it is by its name alone."""
        tags = [str(tag) for tag in firewall.get("targetTags") or ()]
        return str(firewall["name"]).startswith(f"gke-{self.target.cluster}-") or any(
            re.fullmatch(f"gke-{re.escape(self.target.cluster)}-[0-9a-f]{{8}}-node", tag) for tag in tags
        )
