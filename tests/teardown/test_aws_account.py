"""Whose a thing on AWS is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.teardown.clouds.aws.account import Account
from scripts.teardown.model import Scope, Target

MINE = [
    {"gpukit/cluster": "lab"},
    {"gpukit/stack": "lab-stack"},
    {"kubernetes.io/cluster/lab": "owned"},
    {"aws:eks:cluster-name": "lab"},
    {"elbv2.k8s.aws/cluster": "lab"},
    {"cluster.k8s.amazonaws.com/name": "lab"},
]


def account(stack: str = "lab-stack") -> Account:
    return Account(Target(cloud="aws", account="1", region="us-east-1", cluster="lab", world="sandbox", stack=stack), {})


@pytest.mark.parametrize("tags", MINE)
def test_identity_tags_make_a_thing_the_targets(tags: dict[str, str]) -> None:
    assert account().whose(tags).startswith("tag ")


@pytest.mark.parametrize(
    "tags",
    [
        {"kubernetes.io/cluster/lab": "shared"},
        {"kubernetes.io/cluster/lab-2": "owned"},
        {"gpukit/cluster": "lab-2"},
        {"gpukit/cluster": "lab", "gpukit/stack": "another"},
        {"Name": "lab"},
        {"karpenter.sh/discovery": "lab"},
        {},
    ],
)
def test_shared_tags_and_those_of_others_do_not(tags: dict[str, str]) -> None:
    assert account().whose(tags) == ""


def test_a_network_is_made_by_us_or_is_someone_else_s() -> None:
    assert account().made_by_us({"gpukit/cluster": "lab"}) == account().whose({"gpukit/cluster": "lab"})
    assert account().made_by_us({"kubernetes.io/cluster/lab": "owned"}) == ""
    assert account().made_by_us({"gpukit/cluster": "lab", "gpukit/stack": "another"}) == ""


def test_a_stack_that_the_clusters_own_tags_told_counts_too() -> None:
    one = account(stack="")
    assert one.whose({"gpukit/stack": "lab-stack"}) == ""
    one.scope = Scope(stack="lab-stack")
    assert one.whose({"gpukit/stack": "lab-stack"})


@given(st.sampled_from(MINE), st.text(min_size=1, max_size=5))
def test_a_value_that_is_longer_than_ours_is_someone_elses(tags: dict[str, str], more: str) -> None:
    ((key, value),) = tags.items()
    assert account().whose({key: f"{value}{more}"}) == ""
    assert account().whose({key: f"{more}{value}"}) == ""
