"""Services, Ingresses and Gateways that own load balancers, until the cloud itself shows none."""

from __future__ import annotations

from scripts.teardown import kinds as k
from scripts.teardown.model import Seen, Thing
from scripts.teardown.objects import body
from scripts.teardown.step import Scene, Step, delete_all, in_cluster

GATEWAY = "Gateway.gateway.networking.k8s.io"
OBJECTS = ("Service", "Ingress", GATEWAY)


def owners(seen: Seen) -> tuple[Thing, ...]:
    """Objects that own a load balancer."""
    services = (each for each in seen.of(["Service"]) if (body(each).get("spec") or {}).get("type") == "LoadBalancer")
    return (*seen.of([GATEWAY]), *seen.of(["Ingress"]), *services)


def _touches(seen: Seen) -> tuple[Thing, ...]:
    return (*owners(seen), *seen.going(k.BALANCERS))


def _act(scene: Scene, things: tuple[Thing, ...]) -> None:
    """The controller deletes the load balancer, with its target groups and security groups: deleted behind its back, it would make it anew."""
    delete_all(scene, tuple(thing for thing in things if in_cluster(thing)))


BY_OWNER = Step(
    id="balancers",
    title="Delete LoadBalancer Services, Ingresses and Gateways; wait for the cloud's load balancers",
    reason="K1, K2: load balancers outlive the cluster and block its network; the cloud's own list counts, not the API object",
    needs=frozenset({*OBJECTS, *k.BALANCERS}),
    touches=_touches,
    act=_act,
    minutes=15,
    in_cluster=True,
)

LEFT = Step(
    id="balancers-left",
    title="Delete load balancers that no controller serves any more",
    reason="K2: their controller is gone, and their finalizers wait for it for ever",
    needs=frozenset(k.BALANCERS),
    touches=lambda seen: seen.going(k.BALANCERS),
    act=delete_all,
    minutes=10,
)
