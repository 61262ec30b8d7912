"""Names of resources, which any program may choose freely."""

from __future__ import annotations

import pytest

from components.resource import name_of


@pytest.mark.parametrize("name", ["node", "b::error::x", "::", "a::", "::b"])
def test_a_name_is_all_that_follows_the_type(name: str) -> None:
    assert name_of(f"urn:pulumi:dev::lab::gpukit:aws:Cluster$aws:ec2/instance:Instance::{name}") == name


@pytest.mark.parametrize("text", ["", "i-0123", "arn:aws:iam::123456789012:role/x", "a::b::c::d"])
def test_what_is_no_urn_is_its_own_name(text: str) -> None:
    assert name_of(text) == text
