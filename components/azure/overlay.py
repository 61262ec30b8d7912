"""Ranges of the pods' own network (overlay) and of services, which must lie outside the nodes' network.

Source: AKS documentation, "Azure CNI Overlay networking" (a /24 of the pod range for each node) and "Kubernetes service address range".
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Network

POD_RANGES = (IPv4Network("10.240.0.0/12"), IPv4Network("172.16.0.0/13"))
SERVICE_RANGES = (IPv4Network("172.28.0.0/16"), IPv4Network("10.239.0.0/16"))
"""The first that lies outside the nodes' network is taken: judgement, apart from the ranges that AKS keeps for itself (172.30 and 172.31)."""
DNS_ADDRESS = 10
"""Which address of the service range is the cluster's name server."""


@dataclass(frozen=True, kw_only=True)
class Overlay:
    pods: IPv4Network
    services: IPv4Network

    @property
    def dns(self) -> str:
        return str(self.services[DNS_ADDRESS])


def overlay(nodes: IPv4Network | None) -> Overlay:
    """Ranges beside the network of `nodes`; None: a network that is there already, whose range the plan does not know."""
    return Overlay(pods=_outside(nodes, POD_RANGES), services=_outside(nodes, SERVICE_RANGES))


def _outside(nodes: IPv4Network | None, ranges: tuple[IPv4Network, ...]) -> IPv4Network:
    return next(r for r in ranges if nodes is None or not r.overlaps(nodes))
