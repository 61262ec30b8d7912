"""The simulated cloud as the judge of the rules: what they accept, it starts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from components import catalog
from policies import evaluate
from policies.readers import types
from scripts.sandbox.kinds.aws import launch
from scripts.sandbox.refusal import Refusal
from tests.policies.raw import SETTINGS, Raw

NAMES = [*sorted(m.name for m in catalog.machines("aws") if m.accelerated), "m7i.large", "c5n.18xlarge", "hpc7a.96xlarge"]
REGIONS = ["us-east-1", "us-east-2", "us-west-2", "eu-west-1", "ap-northeast-1", "sa-east-1"]
MARKETS = ["ON_DEMAND", "SPOT"]
indexes = st.one_of(st.sampled_from([None, 0, 1]), st.sampled_from([2, 3, 7, 15, 16, 31, 99]))
interfaces = st.fixed_dictionaries(
    {},
    optional={
        "networkCardIndex": indexes,
        "deviceIndex": indexes,
        "interfaceType": st.sampled_from(["interface", "efa", "efa-only", ""]),
        "associatePublicIpAddress": st.sampled_from(["true", "false", True, None]),
    },
)


def program(machine: str, listed: list[dict[str, Any]], region: str, market: str) -> Raw:
    raw = Raw(config={"aws:region": region})
    raw.add(types.SUBNET, "subnet", availabilityZone=f"{region}a")
    raw.add(types.LAUNCH_TEMPLATE, "template", instanceType=machine, networkInterfaces=listed)
    sizes = {"minSize": 0, "desiredSize": 0, "maxSize": 4}
    template = {"id": "@template", "version": "1"}
    return raw.add(
        types.NODE_GROUP, "nodes", clusterName="c", subnetIds=["@subnet"], capacityType=market, launchTemplate=template, scalingConfig=sizes
    )


def refusal(machine: str, listed: list[dict[str, Any]], region: str, market: str) -> str:
    order = launch.LaunchOrder(region=region, machines=[machine], zones=["a"], spot=market == "SPOT", interfaces=listed)
    try:
        launch.refuse(order)
    except Refusal as refused:
        return f"{refused}"
    return ""


def failing(raw: Raw) -> list[str]:
    """Messages about where and as what the machine starts; groups, image and money are no affair of a launch."""
    findings = evaluate(raw.built(), SETTINGS)
    places = ("GPU-EFA", "GPU-ZONE", "GPU-CAP")
    return [f.message for f in findings if f.fails and f.rule.startswith(places) and f.rule != "GPU-EFA-01"]


def layout(machine: str) -> list[dict[str, Any]]:
    slots = catalog.fabric.layout(catalog.machine("aws", machine))
    return [{"networkCardIndex": s.card, "deviceIndex": s.device, "interfaceType": s.kind} for s in slots]


def one_a_card(machine: str) -> list[dict[str, Any]]:
    """The older layout: one EFA interface on every card that takes it, the primary one among them."""
    cards = catalog.machine("aws", machine).cards
    return [{"networkCardIndex": c.index, "deviceIndex": min(c.index, 1), "interfaceType": "efa" if c.efa else "interface"} for c in cards]


PRIMARY = {"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": "efa-only"}


@example(machine="p4d.24xlarge", listed=[PRIMARY], region="us-east-1", market="ON_DEMAND")
@example(
    machine="p4d.24xlarge", listed=[{**PRIMARY, "interfaceType": "interface"}, {"networkCardIndex": 99}], region="us-east-1", market="SPOT"
)
@given(
    machine=st.sampled_from(NAMES),
    listed=st.lists(interfaces, max_size=5),
    region=st.sampled_from(REGIONS),
    market=st.sampled_from(MARKETS),
)
@settings(deadline=None, max_examples=300)
def test_random_lists_that_the_rules_accept_are_started(machine: str, listed: list[dict[str, Any]], region: str, market: str) -> None:
    refused = refusal(machine, listed, region, market)
    assert not refused or failing(program(machine, listed, region, market)), refused


@given(data=st.data(), machine=st.sampled_from(NAMES))
@settings(deadline=None, max_examples=300)
def test_good_lists_with_one_thing_changed_that_the_rules_accept_are_started(data: st.DataObject, machine: str) -> None:
    listed = data.draw(st.sampled_from([layout(machine), one_a_card(machine)]))
    changed = data.draw(st.integers(0, len(listed) - 1))
    what = data.draw(st.sampled_from(["drop", "twice", "change"]))
    if what == "change":
        listed[changed] = {**listed[changed], **data.draw(interfaces)}
    elif what == "twice":
        listed.append({**listed[changed], **data.draw(interfaces)})
    else:
        del listed[changed]
    region = next(iter(catalog.regions("aws", machine)), "us-east-1")
    refused = refusal(machine, listed, region, "ON_DEMAND")
    assume(refused)
    assert failing(program(machine, listed, region, "ON_DEMAND")), refused


@pytest.mark.parametrize("machine", NAMES)
def test_the_recommended_layout_is_accepted_by_both(machine: str) -> None:
    region = next(iter(catalog.regions("aws", machine)), "us-east-1")
    assert refusal(machine, layout(machine), region, "ON_DEMAND") == ""
    assert failing(program(machine, layout(machine), region, "ON_DEMAND")) == []
