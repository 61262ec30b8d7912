"""One spelling for every type of a resource."""

from __future__ import annotations

import pytest

from policies.readers.tokens import read_as, respelled
from tests.policies.azure_raw import infiniband
from tests.policies.raw import training


@pytest.mark.parametrize(
    ("token", "known_as"),
    [
        ("azure-native:compute/v20240301:VirtualMachine", "azure-native:compute:VirtualMachine"),
        ("azure-native_compute_v20240302preview:compute:VirtualMachine", "azure-native:compute:VirtualMachine"),
        ("azure:containerservice/kubernetesCluster:KubernetesCluster", "azure:containerservice:KubernetesCluster"),
        ("aws:eks/nodeGroup:NodeGroup", "aws:eks/nodeGroup:NodeGroup"),
        ("kubernetes:helm.sh/v3:Release", "kubernetes:helm.sh/v3:Release"),
        ("azure-nativeness:a/v20240301:B", "azure-nativeness:a/v20240301:B"),
        ("", ""),
    ],
)
def test_versions_are_dropped_where_readers_know_none(token: str, known_as: str) -> None:
    assert read_as(token) == known_as


def test_only_types_change_and_urns_stay() -> None:
    before = infiniband().built()
    after = respelled(before)
    assert [r.urn for r in after] == [r.urn for r in before]
    assert "azure-native:containerservice:AgentPool" in {r.type for r in after}
    assert [r.inputs for r in after] == [r.inputs for r in before]


def test_programs_without_such_types_are_left_as_they_are() -> None:
    program = training().built()
    assert respelled(program) is program
