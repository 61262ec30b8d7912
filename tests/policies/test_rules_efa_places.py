"""Where interfaces sit: the primary one, cards that a machine lacks, and words that EC2 does not know."""

from __future__ import annotations

from typing import Any

import pytest

from policies import Finding, Level, Status, evaluate
from policies.readers import types
from tests.policies.raw import SETTINGS, Raw, interface, said, training


def on(machine: str, *interfaces: dict[str, Any]) -> Raw:
    return training().set("p4d", machine, "instanceType").set("p4d", list(interfaces), "networkInterfaces")


def found(program: Raw, rule: str) -> list[Finding]:
    return said(evaluate(program.built(), SETTINGS), rule)


RECOMMENDED = (interface(0, 0, "interface"), interface(0, 1, "efa-only"), *(interface(card, 0, "efa-only") for card in range(1, 4)))


def test_the_recommended_layout_passes_every_rule_of_efa() -> None:
    findings = evaluate(on("p4d.24xlarge", *RECOMMENDED).built(), SETTINGS)
    assert [f.message for f in findings if f.rule.startswith("GPU-EFA")] == []


# --- GPU-EFA-07


def test_an_efa_only_interface_cannot_be_the_primary_one() -> None:
    program = on("p4d.24xlarge", *(interface(card, 0, "efa-only") for card in range(4)))
    (finding,) = found(program, "GPU-EFA-07")
    assert (finding.urn, finding.path) == (program.urn("p4d"), "networkInterfaces[0].interfaceType")
    assert finding.message == (
        "p4d: the interface on card 0, device 0 at networkInterfaces[0] is `efa-only`, which has no address and cannot be the primary "
        "interface. EC2 refuses the launch. Make it a plain `interface` and give `efa-only` device 1."
    )


@pytest.mark.parametrize("kind", ["interface", "efa"])
def test_a_primary_interface_with_an_address_passes(kind: str) -> None:
    program = on("p4d.24xlarge", interface(0, 0, kind), *(interface(card, 0, "efa-only") for card in range(1, 4)))
    assert found(program, "GPU-EFA-07") == []


def test_a_list_without_a_primary_interface_is_refused() -> None:
    (finding,) = found(on("p4d.24xlarge", *RECOMMENDED[1:]), "GPU-EFA-07")
    assert (finding.status, finding.path) == (Status.VIOLATED, "networkInterfaces")
    assert "no interface on card 0, device 0 among networkInterfaces[0], networkInterfaces[1]" in finding.message


def test_an_interface_without_any_index_is_the_primary_one() -> None:
    program = on("m7i.large", {"securityGroups": ["@fabric"]})
    assert found(program, "GPU-EFA-07") == []


@pytest.mark.parametrize("key", ["networkCardIndex", "deviceIndex", "interfaceType"])
def test_what_is_not_known_of_the_primary_interface_is_unknown(key: str) -> None:
    (finding,) = found(training().hide("p4d", "networkInterfaces", 0, key), "GPU-EFA-07")
    assert (finding.status, finding.path) == (Status.UNKNOWN, f"networkInterfaces[0].{key}")


# --- GPU-EFA-02 and 03 on interfaces of every kind


@pytest.mark.failure("A2")
@pytest.mark.parametrize("machine", ["p4d.24xlarge", "m7i.large"])
def test_a_plain_interface_on_a_card_that_the_machine_lacks_is_refused(machine: str) -> None:
    (finding,) = found(on(machine, interface(0, 0, "interface"), interface(99, 0, "interface")), "GPU-EFA-02")
    assert finding.path == "networkInterfaces[1].networkCardIndex"
    assert f"interface on card 99 at networkInterfaces[1], but {machine} has " in finding.message


@pytest.mark.failure("A2")
def test_a_plain_interface_on_a_card_of_the_machine_passes() -> None:
    assert found(on("p4d.24xlarge", interface(0, 0, "interface"), interface(3, 0, "interface")), "GPU-EFA-02") == []


@pytest.mark.failure("A3")
def test_two_plain_interfaces_in_one_place_are_refused_too() -> None:
    program = on("m7i.large", interface(0, 0, "interface"), {"securityGroups": ["@fabric"]})
    (finding,) = found(program, "GPU-EFA-03")
    assert "card 0, device 0 is given to networkInterfaces[0], networkInterfaces[1]" in finding.message


@pytest.mark.failure("A3")
def test_plain_interfaces_may_leave_out_the_card() -> None:
    program = on("m7i.large", {"deviceIndex": 0}, {"deviceIndex": 1})
    assert found(program, "GPU-EFA-03") == []


# --- words


@pytest.mark.parametrize("word", ["EFA-only", "efa ", "Efa", "ena"])
def test_a_kind_that_ec2_does_not_know_is_no_plain_interface(word: str) -> None:
    program = on("p4d.24xlarge", *RECOMMENDED).set("p4d", word, "networkInterfaces", 2, "interfaceType")
    for rule in ("GPU-EFA-01", "GPU-EFA-03", "GPU-EFA-04", "GPU-EFA-05"):
        (finding,) = found(program, rule)
        assert (finding.status, finding.level) == (Status.UNKNOWN, Level.MANDATORY)
        assert f"{word!r}, which is none of interface, efa, efa-only" in finding.message


# --- GPU-EFA-05 without any list


@pytest.mark.failure("A5")
def test_an_efa_machine_that_starts_with_one_plain_interface_is_advised_of_it() -> None:
    program = training().set("p4d", None, "networkInterfaces")
    (finding,) = found(program, "GPU-EFA-05")
    assert (finding.level, finding.urn) == (Level.ADVISORY, program.urn("gpu"))
    assert finding.message.startswith("gpu: 0 EFA interfaces, but p4d.24xlarge takes 4. ")


def test_a_single_instance_without_a_list_is_left_alone() -> None:
    program = Raw(config={"aws:region": "us-east-1"}).plus(types.INSTANCE, "box", instanceType="p4d.24xlarge")
    assert found(program, "GPU-EFA-05") == []
