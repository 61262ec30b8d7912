"""Whose the parts of load balancers are: whatever they refer to, nothing of another cluster, and nothing that serves one, is ever touched."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from scripts.teardown.clouds.gcp.controllers import Owned, Owner, Part, word

OURS, THEIRS = "ksuid123", "kube-system-uid"
ROOT = "https://www.googleapis.com/compute/v1/"


def part(collection: str, name: str, **fields: Any) -> Part:
    path = f"projects/p/global/{collection}/{name}"
    return Part(collection=collection, path=path, given={"name": name, "selfLink": f"{ROOT}{path}", **fields})


def group(name: str, uid: str) -> Part:
    return part(
        "networkEndpointGroups", name, network=f"{ROOT}projects/p/global/networks/net", description=json.dumps({"cluster-uid": uid})
    )


def touched(parts: list[Part], **known: Any) -> dict[str, Owned]:
    return {each.part.name: each for each in Owner(**known).of(parts) if not each.left}


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[Part], Mapping[str, set[str]]]:
    """Endpoint groups of two clusters, and layers of parts that serve any of what is below; with, for each part, whose groups it reaches."""
    owners = draw(st.lists(st.sampled_from((OURS, THEIRS)), min_size=1, max_size=4))
    parts = [group(f"k8s1-{at}-web", uid) for at, uid in enumerate(owners)]
    reached = {each.path: {uid} for each, uid in zip(parts, owners, strict=True)}
    for collection, field in (("backendServices", "backends"), ("urlMaps", "pathMatchers"), ("targetHttpProxies", "urlMap")):
        below = [each.path for each in parts]
        for at in range(draw(st.integers(0, 3))):
            served = draw(st.lists(st.sampled_from(below), max_size=3, unique=True))
            name = draw(st.sampled_from(("k8s1-{}-{}", "gkegw1-{}-{}", "by-hand-{}-{}"))).format(at, collection.lower())
            made = part(collection, name, **{field: [{"link": f"{ROOT}{path}"} for path in served]})
            if made.path not in reached:
                parts.append(made)
                reached[made.path] = {owner for path in served for owner in reached[path]}
    return draw(st.permutations(parts)), reached


@settings(max_examples=60, deadline=None)
@given(worlds())
def test_only_what_serves_the_cluster_and_nothing_else_is_touched(world: tuple[list[Part], Mapping[str, set[str]]]) -> None:
    parts, reached = world
    found = touched(parts, uid=OURS, network="net")
    by_hand = {each.name for each in parts if each.name.startswith("by-hand")}
    assert all(reached[each.part.path] == {OURS} for each in found.values())
    assert not by_hand & found.keys()
    assert {each.name for each in parts if each.collection == "networkEndpointGroups" and reached[each.path] == {OURS}} <= found.keys()


@settings(max_examples=30, deadline=None)
@given(worlds())
def test_the_less_is_known_of_the_cluster_the_less_is_touched(world: tuple[list[Part], Mapping[str, set[str]]]) -> None:
    parts, _ = world
    assert not touched(parts, network="net"), "a network that other clusters may share tells nothing"
    assert not touched(parts)


def test_what_is_owned_by_the_name_alone_needs_no_description() -> None:
    rule = part("forwardingRules", f"k8s2-tcp-{word(OURS)}-default-db-956p2p7x")
    other = part("forwardingRules", f"k8s2-tcp-{word(THEIRS)}-default-db-956p2p7x")
    assert touched([rule, other], uid=OURS).keys() == {rule.name}


def test_a_description_that_is_no_json_object_is_read_as_none() -> None:
    for text in ("", "[1]", "{", "null", '"cluster-uid"'):
        assert not part("networkEndpointGroups", "k8s1-a", description=text).description
