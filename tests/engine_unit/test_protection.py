"""A destroy of what the cloud protects ends before it begins."""

from __future__ import annotations

from typing import Any

import pytest

from scripts.engine.protection import refuse_protected
from scripts.engine.state import State
from scripts.errors import Refused

CLUSTER = "aws:eks/cluster:Cluster"


def state(**resource: Any) -> State:
    urn = f"urn:pulumi:prod::gpukit::{CLUSTER}::train"
    return State({"version": 3, "deployment": {"resources": [{"urn": urn, "type": CLUSTER, "custom": True, **resource}]}})


@pytest.mark.failure("K11")
@pytest.mark.parametrize("flag", ["deletionProtection", "enableDeletionProtection", "disableApiTermination"])
@pytest.mark.parametrize("part", ["inputs", "outputs"])
def test_a_protected_resource_stops_it_by_name(part: str, flag: str) -> None:
    with pytest.raises(Refused, match=rf"{CLUSTER} train(.|\n)*Nothing was deleted.*environment: dev"):
        refuse_protected(state(**{part: {flag: True}}), "prod")


@pytest.mark.failure("K11")
@pytest.mark.parametrize("value", [False, None])
def test_an_unprotected_one_does_not(value: object) -> None:
    refuse_protected(state(outputs={"deletionProtection": value}), "prod")


def test_what_is_being_deleted_already_does_not() -> None:
    refuse_protected(state(outputs={"deletionProtection": True}, delete=True), "prod")
