"""GPU-EFA rules on raw programs: each breaks one thing of a good one, and its twin repairs it, often in another form."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from components import catalog
from components.unknown import Unknown
from policies import Finding, Level, Settings, Status, evaluate
from policies.readers import types
from tests.policies.raw import SETTINGS, Raw, interface, said, training

LISTED = "networkInterfaces[0], networkInterfaces[1], networkInterfaces[2] and 1 more"


def efa(program: Raw, rule: str, settings: Settings = SETTINGS) -> list[Finding]:
    return said(evaluate(program.built(), settings), rule)


def on(machine: str, *interfaces: dict[str, Any]) -> Raw:
    return training().set("p4d", machine, "instanceType").set("p4d", list(interfaces), "networkInterfaces")


def test_the_good_program_has_nothing_but_the_unchecked_quota() -> None:
    assert [(f.rule, f.status) for f in evaluate(training().built(), SETTINGS)] == [("GPU-QUOTA-01", Status.UNCHECKED)]


# --- GPU-EFA-01


@pytest.mark.failure("A1")
def test_egress_to_anywhere_is_no_egress_to_itself() -> None:
    program = training().set("fabric", None, "egress", 1)
    (finding,) = efa(program, "GPU-EFA-01")
    assert finding == Finding(
        rule="GPU-EFA-01",
        status=Status.VIOLATED,
        level=Level.MANDATORY,
        urn=program.urn("fabric"),
        path="egress",
        message=f"p4d: security group fabric has no all-protocol egress rule to itself, but serves the EFA interface at {LISTED}. "
        "EFA matches only rules that name a group, not 0.0.0.0/0: without them NCCL stops with error 4126 while TCP still works. "
        "Add to fabric with protocol -1: egress rule to itself.",
        failures=("A1",),
    )


@pytest.mark.failure("A1")
@pytest.mark.parametrize(
    "rule",
    [
        (types.EGRESS_RULE, {"ipProtocol": "-1", "securityGroupId": "@fabric", "referencedSecurityGroupId": "@fabric"}),
        (
            types.SECURITY_GROUP_RULE,
            {"type": "egress", "protocol": "-1", "fromPort": 0, "toPort": 0, "securityGroupId": "@fabric", "self": True},
        ),
        (
            types.SECURITY_GROUP_RULE,
            {
                "type": "egress",
                "protocol": "all",
                "fromPort": 0,
                "toPort": 0,
                "securityGroupId": "@fabric",
                "sourceSecurityGroupId": "@fabric",
            },
        ),
    ],
)
def test_a_separate_rule_to_itself_repairs_it(rule: tuple[str, dict[str, Any]]) -> None:
    program = training().set("fabric", None, "egress", 1).plus(rule[0], "to-itself", **rule[1])
    assert efa(program, "GPU-EFA-01") == []


@pytest.mark.failure("A1")
def test_ingress_from_itself_is_needed_too() -> None:
    (finding,) = efa(training().set("fabric", [], "ingress"), "GPU-EFA-01")
    assert (finding.status, finding.path) == (Status.VIOLATED, "ingress")
    assert "has no all-protocol ingress rule from itself" in finding.message


def test_rules_of_some_ports_are_not_all_protocols() -> None:
    program = training().set("fabric", "tcp", "egress", 1, "protocol")
    assert [f.status for f in efa(program, "GPU-EFA-01")] == [Status.VIOLATED]


def test_a_rule_of_another_group_helps_nobody() -> None:
    program = training().set("fabric", None, "egress", 1).plus(types.SECURITY_GROUP, "other", vpcId="vpc-1")
    rule = {"ipProtocol": "-1", "securityGroupId": "@fabric", "referencedSecurityGroupId": "@other"}
    assert [f.status for f in efa(program.plus(types.EGRESS_RULE, "elsewhere", **rule), "GPU-EFA-01")] == [Status.VIOLATED]


def test_interfaces_without_a_group_get_the_default_one_which_does_not_do() -> None:
    program = training().set("p4d", [], "networkInterfaces", 2, "securityGroups")
    (finding,) = efa(program, "GPU-EFA-01")
    assert finding.path == "networkInterfaces[2].securityGroups"
    assert finding.message.startswith("p4d: no security group on the EFA interface at networkInterfaces[2]. ")


def test_plain_interfaces_need_no_open_group() -> None:
    program = training().set("fabric", None, "egress", 1).set("p4d", [interface(0, 0, "interface")], "networkInterfaces")
    assert efa(program, "GPU-EFA-01") == []


def test_one_open_group_among_several_is_enough() -> None:
    program = training().plus(types.SECURITY_GROUP, "nodes", vpcId="vpc-1")
    for card in range(4):
        program = program.set("p4d", ["@fabric", "@nodes"], "networkInterfaces", card, "securityGroups")
    assert efa(program, "GPU-EFA-01") == []


def test_which_of_two_groups_an_interface_has_may_be_unknown() -> None:
    program = training().plus(types.SECURITY_GROUP, "nodes", vpcId="vpc-1")
    program = program.set("p4d", ["@nodes"], "networkInterfaces", 3, "securityGroups")
    (finding,) = efa(program, "GPU-EFA-01")
    assert (finding.status, finding.level) == (Status.UNKNOWN, Level.MANDATORY)
    assert finding.message == (
        "p4d: networkInterfaces[0].securityGroups[0] is known only after the update, so it cannot be told whether EFA traffic passes "
        "its security group. Give it as a plain value."
    )


def test_the_cluster_security_group_beside_the_efa_group_is_no_riddle() -> None:
    program = training()
    for card in range(4):
        program = program.set("p4d", ["@fabric", "@eks"], "networkInterfaces", card, "securityGroups")
    assert efa(program, "GPU-EFA-01") == []
    assert [f.status for f in efa(program.set("fabric", None, "egress", 1), "GPU-EFA-01")] == [Status.UNKNOWN]


def made(program: Raw) -> Raw:
    """The program after an update, as analyzer calls show it: ids where references stood, but no resource says its own."""
    for card in range(4):
        program = program.set("p4d", ["sg-1", "sg-2"], "networkInterfaces", card, "securityGroups")
    program.written["p4d"].depends["networkInterfaces"] = (program.urn("fabric"), program.urn("eks"))
    return program


def test_after_an_update_groups_are_told_by_their_rules() -> None:
    program = made(training().set("fabric", None, "egress", 1))
    rule = {"ipProtocol": "-1", "securityGroupId": "sg-1", "referencedSecurityGroupId": "sg-1"}
    told = program.plus(types.EGRESS_RULE, "out", **rule)
    for prop in ("securityGroupId", "referencedSecurityGroupId"):
        told.written["out"].depends[prop] = (program.urn("fabric"),)
    assert efa(told, "GPU-EFA-01") == []
    assert [f.fails for f in efa(program, "GPU-EFA-01")] == [True]


def test_after_an_update_groups_are_told_by_their_arn() -> None:
    program = made(training().set("fabric", "arn:aws:ec2:us-east-1:123456789012:security-group/sg-2", "arn"))
    program.written["p4d"].depends.clear()
    assert efa(program, "GPU-EFA-01") == []


def test_an_existing_group_cannot_be_judged() -> None:
    program = training().set("p4d", ["sg-0123"], "networkInterfaces", 0, "securityGroups")
    (finding,) = efa(program, "GPU-EFA-01")
    assert finding.status is Status.UNKNOWN
    assert "securityGroups is sg-0123, whose rules are outside this program" in finding.message
    assert "plain value" not in finding.message


def test_an_existing_group_that_gets_its_rules_here_passes() -> None:
    program = training()
    for card in range(4):
        program = program.set("p4d", ["sg-0123"], "networkInterfaces", card, "securityGroups")
    rule = {"ipProtocol": "-1", "securityGroupId": "sg-0123", "referencedSecurityGroupId": "sg-0123"}
    program = program.plus(types.INGRESS_RULE, "in", **rule).plus(types.EGRESS_RULE, "out", **rule)
    assert efa(program, "GPU-EFA-01") == []


@pytest.mark.parametrize(
    ("name", "path", "told"),
    [
        ("p4d", ("networkInterfaces",), "networkInterfaces"),
        ("p4d", ("networkInterfaces", 1), "networkInterfaces[1]"),
        ("p4d", ("networkInterfaces", 1, "interfaceType"), "networkInterfaces[1].interfaceType"),
        ("p4d", ("networkInterfaces", 1, "securityGroups"), "networkInterfaces[1].securityGroups"),
        ("fabric", ("ingress",), "ingress"),
        ("fabric", ("ingress", 0, "protocol"), "ingress[0].protocol"),
        ("fabric", ("ingress", 0, "self"), "ingress[0].self"),
    ],
)
def test_an_unknown_that_it_needs_is_never_a_pass(name: str, path: tuple[str | int, ...], told: str) -> None:
    (finding,) = efa(training().hide(name, *path), "GPU-EFA-01")
    assert (finding.status, finding.level) == (Status.UNKNOWN, Level.MANDATORY)
    assert told in finding.message


# --- GPU-EFA-02


@pytest.mark.failure("A2")
def test_a_device_index_counted_on_from_the_card_is_refused() -> None:
    program = on("p5.48xlarge", *(interface(card, card, "efa") for card in range(32)))
    (finding,) = efa(program, "GPU-EFA-02")
    assert (finding.urn, finding.path) == (program.urn("p4d"), "networkInterfaces[2].deviceIndex")
    assert finding.message == (
        "gpu: device index 2 on card 2 at networkInterfaces[2], networkInterfaces[3], networkInterfaces[4] and 27 more, but a card of "
        "p5.48xlarge takes indexes below 2. EC2 refuses the launch. Use device 0 on every card and device 1 only beside the primary "
        "interface; never count on from the card index."
    )


@pytest.mark.failure("A2")
def test_device_0_or_1_on_every_card_repairs_it() -> None:
    program = on("p5.48xlarge", interface(0, 0, "efa"), *(interface(card, 1, "efa") for card in range(1, 32)))
    assert said(evaluate(program.built(), SETTINGS), "GPU-EFA-02") == []


def test_a_bound_that_nobody_published_is_left_unchecked() -> None:
    program = on("p6e-gb200.36xlarge", interface(0, 0, "interface"), interface(1, 0, "efa-only"))
    assert [(f.status, f.level) for f in efa(program, "GPU-EFA-02")] == [(Status.UNCHECKED, Level.ADVISORY)]


# --- GPU-EFA-03


@pytest.mark.failure("A3")
def test_interfaces_without_a_card_all_land_on_card_0() -> None:
    program = training()
    for index in range(1, 4):
        program = program.set("p4d", None, "networkInterfaces", index, "networkCardIndex")
    (finding,) = efa(program, "GPU-EFA-03")
    assert finding.message == (
        "p4d: no network card or device index at networkInterfaces[1], networkInterfaces[2], networkInterfaces[3]. Such interfaces all "
        "land on card 0, and the instance never starts. Give networkCardIndex and deviceIndex on every interface."
    )


@pytest.mark.failure("A3")
def test_two_interfaces_in_one_place_are_refused() -> None:
    (finding,) = efa(training().set("p4d", 1, "networkInterfaces", 2, "networkCardIndex"), "GPU-EFA-03")
    assert finding.message == (
        "p4d: card 1, device 1 is given to networkInterfaces[1], networkInterfaces[2]. It takes one interface, so the instance never "
        "starts. Give each interface its own pair of networkCardIndex and deviceIndex."
    )


@pytest.mark.failure("A3")
def test_two_interfaces_of_one_card_with_devices_of_their_own_pass() -> None:
    program = on("p4d.24xlarge", interface(0, 0, "interface"), *(interface(card, 1 if card == 0 else 0, "efa-only") for card in range(4)))
    assert efa(program, "GPU-EFA-03") == []
    assert efa(program, "GPU-EFA-05") == []


def test_a_single_interface_needs_no_card() -> None:
    program = on("g5.8xlarge", interface(0, 0, "efa")).set("p4d", None, "networkInterfaces", 0, "networkCardIndex")
    assert efa(program, "GPU-EFA-03") == []


@pytest.mark.parametrize("key", ["networkCardIndex", "deviceIndex"])
def test_an_unknown_index_is_unknown(key: str) -> None:
    (finding,) = efa(training().hide("p4d", "networkInterfaces", 1, key), "GPU-EFA-03")
    assert (finding.status, finding.path) == (Status.UNKNOWN, f"networkInterfaces[1].{key}")


def test_an_index_of_the_wrong_type_is_unknown() -> None:
    (finding,) = efa(training().set("p4d", "first", "networkInterfaces", 1, "deviceIndex"), "GPU-EFA-03")
    assert finding.status is Status.UNKNOWN


# --- GPU-EFA-04


@pytest.mark.failure("A4")
def test_card_0_of_b300_takes_no_efa() -> None:
    program = on("p6-b300.48xlarge", interface(0, 0, "efa"), *(interface(card, 0, "efa-only") for card in range(1, 16)))
    (finding,) = efa(program, "GPU-EFA-04")
    assert finding.path == "networkInterfaces[0].interfaceType"
    assert finding.message == (
        "gpu: efa on card 0 at networkInterfaces[0], but that card of p6-b300.48xlarge takes no EFA (cards 1 to 16 take EFA). "
        "The launch fails. Make it a plain `interface`, or put the EFA interface on a card that takes it."
    )


@pytest.mark.failure("A4")
def test_a_plain_interface_on_card_0_of_b300_repairs_it() -> None:
    program = on("p6-b300.48xlarge", interface(0, 0, "interface"), *(interface(card, 0, "efa-only") for card in range(1, 17)))
    assert efa(program, "GPU-EFA-04") == efa(program, "GPU-EFA-05") == []


def test_a_card_that_the_machine_has_not_takes_no_efa() -> None:
    program = on("g5.8xlarge", interface(0, 0, "interface"), interface(1, 0, "efa"))
    (finding,) = efa(program, "GPU-EFA-04")
    assert "efa on card 1" in finding.message
    assert "(only card 0 takes EFA)" in finding.message


def test_efa_on_a_machine_without_any_is_refused() -> None:
    (finding,) = efa(on("g5.2xlarge", interface(0, 0, "efa")), "GPU-EFA-04")
    assert "takes no EFA (none does)" in finding.message


# --- GPU-EFA-05


@pytest.mark.failure("A5")
def test_more_efa_interfaces_than_the_machine_takes_are_refused() -> None:
    program = on("p6-b200.48xlarge", *(interface(card, device, "efa") for card in range(8) for device in (0, 1)))
    (finding,) = efa(program, "GPU-EFA-05")
    assert (finding.status, finding.level) == (Status.VIOLATED, Level.MANDATORY)
    assert finding.message == (
        "gpu: 16 EFA interfaces, but p6-b200.48xlarge takes 8. The launch fails. Give 8, the machine's MaximumEfaInterfaces, which is not "
        "the number of its network cards."
    )


@pytest.mark.failure("A5")
def test_fewer_are_advice() -> None:
    (finding,) = efa(training().set("p4d", None, "networkInterfaces", 3), "GPU-EFA-05")
    assert (finding.status, finding.level) == (Status.VIOLATED, Level.ADVISORY)
    assert finding.message == (
        "gpu: 3 EFA interfaces, but p4d.24xlarge takes 4. Traffic between nodes loses bandwidth. Give 4 EFA interfaces, or accept this for "
        "nodes that do not train together."
    )


@pytest.mark.failure("A5")
def test_as_many_as_the_machine_takes_pass() -> None:
    assert efa(on("p6-b200.48xlarge", *(interface(card, 0 if card == 0 else 1, "efa") for card in range(8))), "GPU-EFA-05") == []


def test_a_serving_machine_with_one_possible_efa_interface_needs_none() -> None:
    assert efa(on("g5.8xlarge", interface(0, 0, "interface")), "GPU-EFA-05") == []


@pytest.mark.parametrize("rule", ["GPU-EFA-02", "GPU-EFA-04", "GPU-EFA-05"])
def test_a_machine_that_the_plan_does_not_know_cannot_be_compared(rule: str) -> None:
    (finding,) = efa(training().hide("p4d", "instanceType"), rule)
    assert (finding.status, finding.level) == (Status.UNKNOWN, Level.MANDATORY)
    assert finding.message.startswith("gpu: instanceType is known only after the update, so ")


@pytest.mark.parametrize("rule", ["GPU-EFA-02", "GPU-EFA-04", "GPU-EFA-05"])
def test_a_machine_in_no_catalogue_cannot_be_compared(rule: str) -> None:
    (finding,) = efa(training().set("p4d", "p9.48xlarge", "instanceType"), rule)
    assert "instanceType is 'p9.48xlarge', which is in no catalogue" in finding.message


@pytest.mark.parametrize("rule", ["GPU-EFA-02", "GPU-EFA-04", "GPU-EFA-05"])
def test_a_template_outside_the_program_cannot_be_compared(rule: str) -> None:
    program = training().set("gpu", {"id": "lt-0123", "version": "1"}, "launchTemplate").set("gpu", ["p4d.24xlarge"], "instanceTypes")
    (finding,) = efa(program, rule)
    assert finding.status is Status.UNKNOWN
    assert "launchTemplate is a launch template outside this program" in finding.message


@pytest.mark.parametrize("rule", ["GPU-EFA-02", "GPU-EFA-04", "GPU-EFA-05"])
def test_a_machine_in_no_catalogue_with_plain_interfaces_is_not_asked(rule: str) -> None:
    assert efa(on("p9.48xlarge", interface(0, 0, "interface")), rule) == []


def test_a_number_of_efa_interfaces_that_nobody_published_is_left_unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    unpublished = replace(catalog.machine("aws", "p4d.24xlarge"), rdma_interfaces=None)
    monkeypatch.setattr("policies.rules.efa.catalog.find_machine", lambda *_: unpublished)
    assert [(f.status, f.level) for f in efa(training(), "GPU-EFA-05")] == [(Status.UNCHECKED, Level.ADVISORY)]


# --- GPU-EFA-06


@pytest.mark.failure("A7")
@pytest.mark.parametrize("written", [True, "true"])
def test_a_public_address_with_several_interfaces_is_refused(written: object) -> None:
    (finding,) = efa(training().set("p4d", written, "networkInterfaces", 0, "associatePublicIpAddress"), "GPU-EFA-06")
    assert finding.message == (
        "p4d: a public address is asked for at networkInterfaces[0], on an instance with 4 interfaces. EC2 refuses "
        "associatePublicIpAddress with several interfaces. Leave it out and use private subnets with NAT or endpoints."
    )


@pytest.mark.failure("A7")
def test_a_public_address_switched_off_or_on_a_single_interface_passes() -> None:
    assert efa(training().set("p4d", "false", "networkInterfaces", 0, "associatePublicIpAddress"), "GPU-EFA-06") == []
    single = on("g5.8xlarge", {**interface(0, 0, "efa"), "associatePublicIpAddress": "true"})
    assert efa(single, "GPU-EFA-06") == []


def test_an_unknown_public_address_is_unknown() -> None:
    program = training().set("p4d", Unknown("x"), "networkInterfaces", 2, "associatePublicIpAddress")
    (finding,) = efa(program, "GPU-EFA-06")
    assert (finding.status, finding.path) == (Status.UNKNOWN, "networkInterfaces[2].associatePublicIpAddress")
