"""Whose the parts of a load balancer are that controllers inside of a cluster have made (K1, K6). Pure.

None of them carries a label of the cluster. What is sure, by the source of kubernetes/ingress-gce (pkg/utils/namer, pkg/utils/common,
pkg/utils/negdescription.go):

- a group of endpoints tells the cluster in its description: `{"cluster-uid": …}`, the uid of the namespace kube-system;
- names of the second and third form hold eight letters that are made of that uid: `k8s2-<word>-…`, `k8s2-<what>-<word>-…`, `k8s3-<word>-…`.

Older names (`k8s-fw-…`, `k8s1-…`, `a<uid of the Service>`) and those of GKE's Gateway controller (`gkegw…`) are made of other numbers, which
nobody can know once the cluster is gone. Parts of that kind count as the cluster's when they do nothing but serve parts that are: a URL map of
its backends only, a proxy of such a map, a pool of its machines only, a forwarding rule of such a proxy or pool. Where not even that is told, a part is shown and left.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, cast

_LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz"
_WORD = 8
_WHAT = "(fr|fs|tp|ts|um|rm|cr|tcp|udp|l3)"
"""What the name's second word may say: frontends of an Ingress, protocols of a Service (frontendnamer.go, l4_namer.go)."""
_MADE = re.compile(r"k8s[123]?-[a-z0-9].*|gkegw[0-9]+-.*|a[0-9a-f]{31}")
"""Forms of the names that controllers give (namer.go; `a` and the Service's uid: cloud-provider, DefaultLoadBalancerName)."""
_NAMED_IN = ("kubernetes.io/service-name", "networking.gke.io/service-name", "kubernetes.io/ingress-name", "cluster-uid")
"""Keys of the JSON in a description that only controllers write."""
_SERVES = ("instances", "backends", "defaultService", "pathMatchers", "urlMap", "target", "backendService")
_USES = ("healthChecks", "sslCertificates")


@dataclass(frozen=True, kw_only=True)
class Part:
    """One part as Compute Engine shows it."""

    collection: str
    """Such as `backendServices`."""
    path: str
    """`projects/…`, the id."""
    given: Mapping[str, Any]

    @property
    def name(self) -> str:
        return str(self.given["name"])

    @property
    def network(self) -> str:
        """Name of its network; "" for kinds that stand in none, or do not say."""
        return str(self.given.get("network") or "").rsplit("/", 1)[-1]

    @property
    def description(self) -> Mapping[str, Any]:
        try:
            told = json.loads(str(self.given.get("description") or ""))
        except ValueError:
            return {}
        return cast("Mapping[str, Any]", told) if isinstance(told, dict) else {}

    @property
    def by_controller(self) -> bool:
        return bool(_MADE.fullmatch(self.name)) or any(key in self.description for key in _NAMED_IN)


@dataclass(frozen=True, kw_only=True)
class Owned:
    part: Part
    why: str
    left: str = ""
    """Why it is not touched although it may be the cluster's; "" for what is."""


def word(uid: str) -> str:
    """The letters that stand for a cluster in names of the second form (ContentHash); "" without a uid."""
    return "".join(_LETTERS[byte % len(_LETTERS)] for byte in sha256(uid.encode()).digest()[:_WORD]) if uid else ""


def named(name: str, uid: str) -> bool:
    """Whether a controller of the cluster with this uid gave the name."""
    return bool(uid) and re.fullmatch(f"k8s2-({_WHAT}-)?{word(uid)}-.+|k8s3-{word(uid)}-.+", name) is not None


@dataclass(frozen=True, kw_only=True)
class Owner:
    """What is known of the cluster."""

    uid: str = ""
    network: str = ""
    own: bool = False
    """The network was made for this cluster alone."""
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    """Path to why, of parts whose labels say whose they are."""
    machines: frozenset[str] = frozenset()
    """Paths of the cluster's machines: the pools of the oldest balancers list them (`targetPools`, cloud-provider, ensureExternalLoadBalancer)."""

    def of(self, parts: Sequence[Part]) -> tuple[Owned, ...]:
        """Those of `parts` that are the cluster's, and those of which nobody can tell; in the order of `parts`."""
        whose = dict.fromkeys(self.machines, "a machine of the cluster")
        whose |= {part.path: why for part in parts if (why := self._itself(part))}
        self._spread(parts, whose)
        found = (Owned(part=part, why=whose[part.path]) if part.path in whose else self._untold(part, whose) for part in parts)
        return tuple(each for each in found if each is not None)

    def _itself(self, part: Part) -> str:
        if part.path in self.labels:
            return self.labels[part.path]
        if not self.uid:
            return "in the cluster's own network, made by a controller" if self._inside(part) else ""
        told = str(part.description.get("cluster-uid") or "")
        if told == self.uid:
            return "its description tells the cluster's uid"
        if named(part.name, self.uid):
            return "its name is made of the cluster's uid"
        return "in the cluster's own network, made by a controller" if not told and self._inside(part) else ""

    def _inside(self, part: Part) -> bool:
        return self.own and bool(self.network) and part.network == self.network and part.by_controller

    @staticmethod
    def _spread(parts: Sequence[Part], whose: dict[str, str]) -> None:
        """Upwards to what serves nothing but the cluster, then down to what nothing else uses."""
        controllers = [part for part in parts if part.by_controller and part.path not in whose]
        grown = True
        while grown:
            grown = False
            for part in controllers:
                served = set(_named_by(part, _SERVES))
                if part.path not in whose and served and served <= whose.keys():
                    whose[part.path] = f"serves {min(served).rsplit('/', 1)[-1]} of the cluster and nothing else"
                    grown = True
        for part in controllers:
            users = {other.path for other in parts if part.path in _named_by(other, _USES)}
            if part.path not in whose and users and users <= whose.keys():
                whose[part.path] = f"used by {min(users).rsplit('/', 1)[-1]} of the cluster and nothing else"

    def _untold(self, part: Part, whose: Mapping[str, str]) -> Owned | None:
        """A part that may be the cluster's: in its network, or serving something of it, and nothing says whose it is."""
        touches = sorted(set(_named_by(part, _SERVES)) & whose.keys())
        if touches:
            reason = f"it serves {touches[0].rsplit('/', 1)[-1]}, which ends, and something else, or nobody says that a controller made it"
        elif self.network and part.network == self.network and part.by_controller and not self._another(part):
            reason = "nothing says of which cluster in this network it is"
        else:
            return None
        return Owned(part=part, why="", left=f"whose it is cannot be told: {reason}; look at it and delete it by hand")

    def _another(self, part: Part) -> bool:
        """Its name or description speaks of a cluster that is not this one."""
        told = str(part.description.get("cluster-uid") or "")
        second = re.match(f"k8s[23]-({_WHAT}-)?[a-z0-9]{{8}}-", part.name) is not None
        return bool(self.uid) and (bool(told) or second)


def _named_by(part: Part, fields: Sequence[str]) -> Iterator[str]:
    """Paths of everything that these fields of a part refer to."""
    for name in fields:
        yield from _links(part.given.get(name))


def _links(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if "/projects/" in value:
            yield "projects/" + value.partition("/projects/")[2]
    elif isinstance(value, Mapping):
        for each in cast("Mapping[str, Any]", value).values():
            yield from _links(each)
    elif isinstance(value, Sequence):
        for each in cast("Sequence[Any]", value):
            yield from _links(each)
