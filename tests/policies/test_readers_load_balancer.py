"""AWS load balancers as facts, whatever name the provider's two tokens give them."""

from __future__ import annotations

from typing import Any

import pytest

from components.inventory import LoadBalancer
from components.resource import Resource, ResourceSet
from components.unknown import Unknown
from policies.readers import inventory

LB, ALB = "aws:lb/loadBalancer:LoadBalancer", "aws:alb/loadBalancer:LoadBalancer"


def kinds(token: str, **inputs: Any) -> list[object]:
    made = Resource(urn=f"urn:pulumi:dev::p::{token}::web", type=token, name="web", inputs={"region": "us-east-1", **inputs})
    found = inventory(ResourceSet(project="p", stack="dev", resources=(made,), config={})).load_balancers
    assert all(isinstance(fact, LoadBalancer) and fact.region == "us-east-1" for fact in found)
    return [fact.kind for fact in found]


@pytest.mark.parametrize("token", [LB, ALB])
def test_a_load_balancer_is_of_the_kind_that_it_names(token: str) -> None:
    assert kinds(token, loadBalancerType="network") == ["network"]


def test_without_a_kind_aws_makes_an_application_load_balancer() -> None:
    assert kinds(LB) == ["application"]


def test_an_unknown_kind_stays_unknown() -> None:
    assert kinds(LB, loadBalancerType=Unknown("loadBalancerType")) == [Unknown("loadBalancerType")]
