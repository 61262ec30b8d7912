"""Parts of load balancers, and snapshots of disks: named within their collection, and kept by whatever names them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

from scripts.sandbox.kinds.gcp import paths
from scripts.sandbox.kinds.gcp import tokens as t
from scripts.sandbox.kinds.kind import Order
from scripts.sandbox.simulation import Simulation
from scripts.sandbox.store import Record

Place = Callable[[Order], str]
PARTS: tuple[tuple[str, str, str], ...] = (
    (t.FORWARDING_RULE, "regions", "forwardingRules"),
    (t.GLOBAL_FORWARDING_RULE, "global", "forwardingRules"),
    (t.HTTP_PROXY, "global", "targetHttpProxies"),
    (t.HTTPS_PROXY, "global", "targetHttpsProxies"),
    (t.TCP_PROXY, "global", "targetTcpProxies"),
    (t.URL_MAP, "global", "urlMaps"),
    (t.BACKEND_SERVICE, "global", "backendServices"),
    (t.REGION_BACKEND_SERVICE, "regions", "backendServices"),
    (t.ENDPOINT_GROUP, "zones", "networkEndpointGroups"),
    (t.TARGET_POOL, "regions", "targetPools"),
    (t.HEALTH_CHECK, "global", "healthChecks"),
    (t.CERTIFICATE, "global", "sslCertificates"),
    (t.SNAPSHOT, "global", "snapshots"),
)
"""Type, scope and collection (Compute Engine API reference, v1)."""
FIELDS = (
    "target",
    "backendService",
    "urlMap",
    "defaultService",
    "pathMatchers",
    "backends",
    "healthChecks",
    "sslCertificates",
    "instances",
)
"""Where a part names another."""


def _collection(scope: str, plural: str) -> Place:
    words: Mapping[str, Place] = {
        "global": lambda _: "global",
        "regions": lambda order: f"regions/{paths.region(order)}",
        "zones": lambda order: f"zones/{paths.zone(order)}",
    }
    return lambda order: f"{words[scope](order)}/{plural}"


def _releases(world: Simulation, part: Record) -> None:
    """K6: what another part names stays; Google answers resourceInUseByAnotherResource."""
    for token, _, _ in PARTS:
        for other in world.store.of_kind(token, part.key):
            if any(text.endswith(f"/{part.id}") or text == part.id for field in FIELDS for text in _texts(other.state.get(field))):
                raise paths.in_use(part.id.split("/")[-2], part.id, other.id)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in cast("Mapping[str, Any]", value).values():
            yield from _texts(each)
    elif isinstance(value, Sequence):
        for each in cast("Sequence[Any]", value):
            yield from _texts(each)


KINDS = tuple(paths.kind(token, _collection(scope, plural), releases=_releases, starts="READY") for token, scope, plural in PARTS)
