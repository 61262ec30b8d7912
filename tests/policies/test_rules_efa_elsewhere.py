"""EFA interfaces that stand in other places than the launch template of a node group."""

from __future__ import annotations

from typing import Any

import pytest

from policies import Finding, Status, evaluate
from policies.readers import types
from tests.policies.raw import SETTINGS, Raw, interface, said, training

MACHINE_RULES = ["GPU-EFA-02", "GPU-EFA-04", "GPU-EFA-05"]
MIXED = "mixedInstancesPolicy"


def found(program: Raw, rule: str) -> list[Finding]:
    return said(evaluate(program.built(), SETTINGS), rule)


def scaling(**inputs: Any) -> Raw:
    sizes = {"minSize": 0, "maxSize": 2, "vpcZoneIdentifiers": ["@private"]}
    return training().without("gpu").plus(types.SCALING_GROUP, "asg", **sizes, **inputs)


def mixed(*overrides: dict[str, Any], template: str = "@p4d") -> Raw:
    own = {"launchTemplateSpecification": {"launchTemplateId": template}, "overrides": list(overrides)}
    return scaling(mixedInstancesPolicy={"launchTemplate": own})


# --- scaling groups


@pytest.mark.parametrize("rule", MACHINE_RULES)
@pytest.mark.parametrize(
    "program",
    [
        mixed({"instanceType": "p4d.24xlarge"}, template="lt-outside"),
        scaling(launchTemplate={"id": "lt-outside"}),
        training().plus(types.INSTANCE, "box", instanceType="p4d.24xlarge", launchTemplate={"id": "lt-outside"}).without("gpu"),
    ],
)
def test_a_template_outside_the_program_cannot_be_compared(program: Raw, rule: str) -> None:
    (finding,) = found(program, rule)
    assert finding.status is Status.UNKNOWN
    assert "is a launch template outside this program" in finding.message


@pytest.mark.parametrize("rule", MACHINE_RULES)
def test_a_template_of_the_program_passes(rule: str) -> None:
    assert found(mixed({"instanceType": "p4d.24xlarge"}), rule) == []


def test_machines_without_accelerators_are_not_asked_for_their_template() -> None:
    program = mixed({"instanceType": "m7i.large"}, template="lt-outside")
    assert [f for rule in MACHINE_RULES for f in found(program, rule)] == []


@pytest.mark.parametrize("rule", MACHINE_RULES)
def test_an_override_with_a_template_of_its_own_is_judged_by_that_one(rule: str) -> None:
    own = {"launchTemplateSpecification": {"launchTemplateId": "lt-outside"}}
    (finding,) = found(mixed({"instanceType": "p4d.24xlarge"}, {"instanceType": "p5.48xlarge", **own}), rule)
    assert finding.status is Status.UNKNOWN
    assert f"{MIXED}.launchTemplate.overrides[1].launchTemplateSpecification is a launch template outside" in finding.message


@pytest.mark.failure("A2")
def test_an_override_is_held_against_its_own_interfaces() -> None:
    wrong = [interface(0, 0, "interface"), interface(1, 5, "efa-only")]
    program = mixed({"instanceType": "p4d.24xlarge"}, {"launchTemplateSpecification": {"launchTemplateName": "p5"}})
    program = program.plus(types.LAUNCH_TEMPLATE, "p5", name="p5", instanceType="p5.48xlarge", networkInterfaces=wrong)
    (finding,) = found(program, "GPU-EFA-02")
    assert finding.urn == program.urn("p5")
    assert "device index 5 on card 1" in finding.message
    assert found(program.set("p5", 0, "networkInterfaces", 1, "deviceIndex"), "GPU-EFA-02") == []


def test_new_templates_that_cannot_be_told_apart_are_unknown() -> None:
    program = mixed({"instanceType": "p4d.24xlarge", "launchTemplateSpecification": {"launchTemplateId": "@other"}})
    program = program.plus(types.LAUNCH_TEMPLATE, "other")
    assert [f.status for f in found(program, "GPU-EFA-05")] == [Status.UNKNOWN]


# --- interfaces of their own


def boxed(*interfaces: dict[str, Any], **eni: Any) -> Raw:
    """An instance that starts with interfaces made beside it."""
    program = training().without("gpu", "p4d")
    program.add(types.NETWORK_INTERFACE, "eni", interfaceType="efa", securityGroups=["@fabric"], subnetId="@private", **eni)
    return program.add(types.INSTANCE, "box", instanceType="g5.8xlarge", networkInterfaces=list(interfaces))


LISTED = {"networkInterfaceId": "@eni", "deviceIndex": 0}


@pytest.mark.failure("A1")
def test_the_group_of_an_interface_that_an_instance_starts_with_is_judged() -> None:
    program = boxed(LISTED).set("fabric", None, "egress", 1)
    (finding,) = found(program, "GPU-EFA-01")
    assert (finding.status, finding.urn) == (Status.VIOLATED, program.urn("fabric"))
    assert found(boxed(LISTED), "GPU-EFA-01") == []


@pytest.mark.failure("A1")
def test_the_group_of_an_interface_that_nobody_lists_is_judged_too() -> None:
    program = boxed(LISTED).without("box")
    (finding,) = found(program.set("fabric", None, "egress", 1), "GPU-EFA-01")
    assert "serves the EFA interface at eni" in finding.message
    assert [f.rule for f in evaluate(program.built(), SETTINGS) if f.rule.startswith("GPU-EFA")] == []


def test_a_plain_interface_of_its_own_says_nothing() -> None:
    program = boxed(LISTED).set("eni", None, "interfaceType").set("fabric", None, "egress", 1)
    assert [f.rule for f in evaluate(program.built(), SETTINGS) if f.rule.startswith("GPU-EFA")] == []


@pytest.mark.parametrize("kind", ["EFA", "efa_only"])
def test_a_misspelt_kind_of_interface_is_unknown(kind: str) -> None:
    assert [f.status for f in found(boxed(LISTED).set("eni", kind, "interfaceType"), "GPU-EFA-01")] == [Status.UNKNOWN]


def test_a_primary_interface_is_read() -> None:
    program = boxed(LISTED).set("box", None, "networkInterfaces").set("box", {"networkInterfaceId": "@eni"}, "primaryNetworkInterface")
    assert [f.status for f in found(program.set("fabric", None, "egress", 1), "GPU-EFA-01")] == [Status.VIOLATED]
    assert [f.status for f in found(program.set("eni", "efa-only", "interfaceType"), "GPU-EFA-07")] == [Status.VIOLATED]


def test_an_interface_outside_the_program_is_unknown() -> None:
    assert [f.status for f in found(boxed({"networkInterfaceId": "eni-1", "deviceIndex": 0}), "GPU-EFA-01")] == [Status.UNKNOWN]


def test_new_interfaces_that_differ_cannot_be_told_apart() -> None:
    second = {"networkInterfaceId": "@plain", "deviceIndex": 1}
    program = boxed(LISTED, second).plus(types.NETWORK_INTERFACE, "plain", securityGroups=["@fabric"])
    (finding,) = found(program, "GPU-EFA-04")
    assert "one of several new interfaces" in finding.message


def test_an_instance_that_is_looked_up_is_not_asked_for_its_interfaces() -> None:
    program = boxed(LISTED).hide("box", "networkInterfaces").hide("box", "primaryNetworkInterface")
    program.written["box"].id = "i-1"
    assert found(program, "GPU-EFA-03") == []


# --- groups


@pytest.mark.failure("A1")
def test_the_default_group_of_a_network_may_be_open_to_itself() -> None:
    itself = {"protocol": "-1", "fromPort": 0, "toPort": 0, "self": True}
    program = training().without("fabric").plus(types.DEFAULT_SECURITY_GROUP, "fabric", vpcId="vpc-1", ingress=[itself], egress=[itself])
    assert found(program, "GPU-EFA-01") == []
    assert [f.path for f in found(program.set("fabric", [], "egress"), "GPU-EFA-01")] == ["egress"]


def crossed(*ways: tuple[str, str, str]) -> Raw:
    """Two groups on every interface, open to each other by rules of their own: (type, of, to)."""
    program = training().set("fabric", [], "egress").set("fabric", [], "ingress").plus(types.SECURITY_GROUP, "nodes", vpcId="vpc-1")
    for i, (rule, of, to) in enumerate(ways):
        program = program.plus(rule, f"rule-{i}", ipProtocol="-1", securityGroupId=f"@{of}", referencedSecurityGroupId=f"@{to}")
    for card in range(4):
        program = program.set("p4d", ["@fabric", "@nodes"], "networkInterfaces", card, "securityGroups")
    return program


@pytest.mark.failure("A1")
@pytest.mark.parametrize("sender", ["fabric", "nodes"])
def test_two_groups_on_every_interface_may_open_to_each_other(sender: str) -> None:
    program = crossed((types.INGRESS_RULE, "fabric", "nodes"), (types.EGRESS_RULE, sender, "fabric" if sender == "nodes" else "nodes"))
    assert found(program, "GPU-EFA-01") == []


@pytest.mark.failure("A1")
def test_one_way_between_two_groups_is_not_enough() -> None:
    (finding,) = found(crossed((types.INGRESS_RULE, "fabric", "nodes")), "GPU-EFA-01")
    assert (finding.status, finding.path) == (Status.VIOLATED, "egress")


def test_rules_of_the_group_itself_may_name_the_other_one() -> None:
    program = crossed((types.EGRESS_RULE, "nodes", "fabric"))
    inline = {"protocol": "-1", "fromPort": 0, "toPort": 0, "securityGroups": ["@nodes"]}
    assert found(program.set("fabric", [inline], "ingress"), "GPU-EFA-01") == []


def test_a_group_that_only_one_interface_has_helps_no_other() -> None:
    program = crossed((types.INGRESS_RULE, "fabric", "nodes"), (types.EGRESS_RULE, "nodes", "fabric"))
    program.written["fabric"].id, program.written["nodes"].id = "sg-1", "sg-2"
    for card in range(4):
        program = program.set("p4d", ["sg-1", "sg-2"] if card else ["sg-1"], "networkInterfaces", card, "securityGroups")
    assert [f.status for f in found(program, "GPU-EFA-01")] == [Status.VIOLATED]
