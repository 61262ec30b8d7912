"""What a start refuses, machine by machine: the catalogue's recommended layouts must be accepted, their distortions refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components import catalog
from components.catalog import Machine
from scripts.sandbox.kinds.aws.launch import LaunchOrder, refuse
from scripts.sandbox.refusal import Refusal

EFA = [m for m in catalog.machines("aws") if m.fabric == "efa" and m.cards]
SOURCED = "the refusal names where it was seen"


def layout(machine: Machine) -> list[dict[str, Any]]:
    return [{"networkCardIndex": s.card, "deviceIndex": s.device, "interfaceType": s.kind} for s in catalog.fabric.layout(machine)]


def launch(machine: Machine, interfaces: list[dict[str, Any]]) -> None:
    regions = catalog.regions("aws", machine.name)
    refuse(LaunchOrder(region=regions[0] if regions else "us-east-1", machines=[machine.name], zones=["us-east-1a"], interfaces=interfaces))


@pytest.mark.parametrize("machine", EFA, ids=lambda m: m.name)
def test_the_recommended_layout_of_every_machine_with_efa_is_accepted(machine: Machine):
    launch(machine, layout(machine))


@pytest.mark.failure("A3")
@given(machine=st.sampled_from(EFA), data=st.data())
def test_a_slot_given_twice_is_refused(machine: Machine, data: st.DataObject):
    interfaces = layout(machine)
    twice = data.draw(st.sampled_from(interfaces))
    with pytest.raises(Refusal, match="given twice") as caught:
        launch(machine, [*interfaces, {**twice, "interfaceType": "interface"}])
    assert caught.value.source, SOURCED


@pytest.mark.failure("A2")
@given(machine=st.sampled_from([m for m in EFA if all(c.max_interfaces for c in m.cards)]), data=st.data())
def test_a_device_index_at_or_beyond_a_cards_bound_is_refused(machine: Machine, data: st.DataObject):
    card = data.draw(st.sampled_from(machine.cards))
    device = data.draw(st.integers(card.max_interfaces or 0, 40))
    with pytest.raises(Refusal, match="device index exceeds") as caught:
        launch(machine, [{"networkCardIndex": 0, "deviceIndex": 0}, {"networkCardIndex": card.index, "deviceIndex": device}])
    assert caught.value.source, SOURCED


def spare_slots(machine: Machine) -> list[tuple[int, int]]:
    """Slots on EFA cards that the recommended layout leaves free."""
    used = {(i["networkCardIndex"], i["deviceIndex"]) for i in layout(machine)}
    slots = [(card.index, device) for card in machine.cards if card.efa for device in range(card.max_interfaces or 0)]
    return [slot for slot in slots if slot not in used and slot != (0, 0)]


@pytest.mark.failure("A5")
@given(machine=st.sampled_from([m for m in EFA if m.rdma_interfaces and spare_slots(m)]), data=st.data())
def test_one_efa_interface_more_than_the_machine_takes_is_refused(machine: Machine, data: st.DataObject):
    card, device = data.draw(st.sampled_from(spare_slots(machine)))
    extra = {"networkCardIndex": card, "deviceIndex": device, "interfaceType": "efa-only"}
    with pytest.raises(Refusal, match="EFA interfaces exceed") as caught:
        launch(machine, [*layout(machine), extra])
    assert caught.value.source, SOURCED


@pytest.mark.failure("A4")
@given(machine=st.sampled_from([m for m in EFA if not all(c.efa for c in m.cards)]), kind=st.sampled_from(["efa", "efa-only"]))
def test_efa_on_a_card_without_it_is_refused(machine: Machine, kind: str):
    card = next(c for c in machine.cards if not c.efa)
    with pytest.raises(Refusal, match="not supported on network card") as caught:
        launch(machine, [{"networkCardIndex": card.index, "deviceIndex": 0, "interfaceType": kind}])
    assert caught.value.source, SOURCED


def test_a_card_that_the_machine_does_not_have_is_refused():
    machine = catalog.machine("aws", "p4d.24xlarge")
    with pytest.raises(Refusal, match="has 4 network cards"):
        launch(machine, [{"networkCardIndex": 4, "deviceIndex": 0}])


def test_a_machine_that_is_not_sold_as_spot_is_refused_as_spot():
    for machine in catalog.machines("aws"):
        if machine.spot is False:
            order = LaunchOrder(
                region=(catalog.regions("aws", machine.name) or ("us-east-1",))[0], machines=[machine.name], zones=["z"], spot=True
            )
            with pytest.raises(Refusal, match="not offered as spot"):
                refuse(order)
