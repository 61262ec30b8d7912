"""Parts of load balancers in a project, as things: forwarding rules, and what they forward to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from scripts.teardown import kinds as k
from scripts.teardown.clouds.gcp import prices
from scripts.teardown.clouds.gcp.controllers import Owned, Owner, Part
from scripts.teardown.clouds.gcp.project import COMPUTE, Project, path_of
from scripts.teardown.model import Thing

_RULES = "forwardingRules"
_COLLECTIONS = (
    _RULES, "targetHttpProxies", "targetHttpsProxies", "targetTcpProxies", "urlMaps", "backendServices", "targetPools", "networkEndpointGroups",
    "healthChecks", "sslCertificates",
)  # fmt: skip
"""Users before what they use: none can be deleted while another names it."""


def owned_parts(project: Project, *, uid: str, network: str, own: bool, whose: Callable[[Mapping[str, str]], str]) -> tuple[Owned, ...]:
    """Parts that are the cluster's, or of which nobody can tell. `whose` says why labels make something the cluster's, "" where they do not."""
    parts = [Part(collection=name, path=path_of(each), given=each) for name in _COLLECTIONS for each in project.listed(name)]
    machines = frozenset(path_of(each) for each in project.listed("instances") if whose(each.get("labels") or {}))
    labels = {part.path: why for part in parts if (why := whose(part.given.get("labels") or {}))}
    return Owner(uid=uid, network=network, own=own, labels=labels, machines=machines).of(parts)


def rules(parts: tuple[Owned, ...], region: str) -> Iterator[Thing]:
    going = 0
    for owned in parts:
        if owned.part.collection == _RULES:
            yield _thing(k.BALANCER, owned, prices.forwarding_rule(region, going))
            going += not owned.left


def targets(parts: tuple[Owned, ...]) -> Iterator[Thing]:
    """What nobody is charged for by itself."""
    return (_thing(k.TARGETS, owned, 0.0) for owned in parts if owned.part.collection != _RULES)


def _thing(kind: str, owned: Owned, usd: float | None) -> Thing:
    part = owned.part
    detail = {"service": "compute", "path": f"{COMPUTE}{part.path}"}
    return Thing(kind=kind, id=part.path, name=part.name, why=owned.why, monthly_usd=usd, kept=owned.left, detail=detail)
