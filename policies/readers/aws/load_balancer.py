"""Load balancers."""

from __future__ import annotations

from collections.abc import Iterator

from components.inventory import LoadBalancer
from components.resource import Resource
from policies.readers.program import Program
from policies.readers.values import text

DEFAULT_KIND = "application"
"""What AWS makes when the program names none (pulumi-aws 7.51.1, `lb.LoadBalancer`)."""


def read_load_balancer(balancer: Resource, program: Program) -> Iterator[LoadBalancer]:
    kind = text(balancer.read("loadBalancerType"), "loadBalancerType")
    yield LoadBalancer(urn=balancer.urn, cloud="aws", region=program.region(balancer), kind=DEFAULT_KIND if kind is None else kind)
