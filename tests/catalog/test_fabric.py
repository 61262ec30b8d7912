"""Layouts of the catalogue's machines against the figures of EC2's guide, and what must hold on every machine."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components import catalog
from components.catalog import Card, Machine
from components.catalog.fabric import CRAMPED_PRIMARY, PRIMARY, Slot, layout

AWS = catalog.machines("aws")


def aws(name: str) -> Machine:
    return catalog.machine("aws", name)


def efa_count(slots: tuple[Slot, ...]) -> int:
    return sum(slot.kind != "interface" for slot in slots)


@pytest.mark.parametrize(
    ("name", "interfaces", "efa"),
    [
        ("p3dn.24xlarge", 2, 1),
        ("p4d.24xlarge", 5, 4),
        ("p4de.24xlarge", 5, 4),
        ("p5.4xlarge", 2, 1),
        ("p5.48xlarge", 33, 32),
        ("p5e.48xlarge", 33, 32),
        ("p5en.48xlarge", 17, 16),
        ("p6-b200.48xlarge", 9, 8),
        ("p6-b300.48xlarge", 17, 16),
        ("p6e-gb200.36xlarge", 9, 8),
        ("g4dn.12xlarge", 2, 1),
        ("g5.48xlarge", 2, 1),
        ("g6e.24xlarge", 3, 2),
        ("g6e.48xlarge", 5, 4),
        ("g7.48xlarge", 3, 2),
        ("g7e.48xlarge", 5, 4),
        ("trn1.32xlarge", 9, 8),
        ("trn1n.32xlarge", 17, 16),
        ("trn2.3xlarge", 2, 1),
        ("trn2u.48xlarge", 17, 16),
    ],
)
def test_a_machine_with_efa_gets_its_interfaces(name: str, interfaces: int, efa: int) -> None:
    slots = layout(aws(name))

    assert (len(slots), efa_count(slots)) == (interfaces, efa)


@pytest.mark.parametrize(
    "name", ["g5.2xlarge", "g5g.xlarge", "g6f.large", "gr6.4xlarge", "p2.xlarge", "p3.16xlarge", "inf2.48xlarge", "m7i.large"]
)
def test_a_machine_without_efa_gets_one_plain_interface(name: str) -> None:
    assert layout(aws(name)) == (PRIMARY,)


def test_p4d_carries_efa_beside_the_primary_and_on_every_other_card() -> None:
    assert layout(aws("p4d.24xlarge")) == (
        Slot(0, 0, "interface"),
        Slot(0, 1, "efa-only"),
        Slot(1, 0, "efa-only"),
        Slot(2, 0, "efa-only"),
        Slot(3, 0, "efa-only"),
    )


@pytest.mark.failure("A4")
def test_card_0_of_p6_b300_is_no_efa_card() -> None:
    b300 = aws("p6-b300.48xlarge")

    assert [card.index for card in b300.cards if not card.efa] == [0]
    assert [slot for slot in layout(b300) if slot.card == 0] == [PRIMARY]


@pytest.mark.failure("A4")
def test_a_b300_whose_card_0_is_believed_to_take_efa_would_get_the_interface_that_fails_the_launch() -> None:
    b300 = aws("p6-b300.48xlarge")
    believed = replace(b300, cards=(Card(0, efa=True, max_interfaces=4), *b300.cards[1:]))

    assert Slot(0, 1, "efa-only") in layout(believed)


def test_p6e_gb200_carries_efa_on_its_odd_cards() -> None:
    slots = layout(aws("p6e-gb200.36xlarge"))

    assert [(slot.card, slot.device) for slot in slots if slot.kind == "efa-only"] == [(card, 0) for card in range(1, 17, 2)]


def test_extra_ena_interfaces_of_p5_sit_beside_efa_on_every_fourth_card() -> None:
    p5 = aws("p5.48xlarge")

    added = set(layout(p5, extra_ena=True)) - set(layout(p5))

    assert added == {Slot(card, 1, "interface") for card in (4, 8, 12, 16, 20, 24, 28)}
    assert len(layout(p5, extra_ena=True)) == 40


def test_extra_ena_is_refused_where_the_guide_offers_none() -> None:
    with pytest.raises(ValueError, match=r"p4d\.24xlarge takes no extra ENA interfaces"):
        layout(aws("p4d.24xlarge"), extra_ena=True)


def test_a_machine_of_another_cloud_has_no_card_layout() -> None:
    with pytest.raises(ValueError, match=r"its tcpxo interfaces are ordered by gcp networks"):
        layout(catalog.machine("gcp", "a3-megagpu-8g"))


@pytest.mark.failure("A2")
def test_no_device_index_reaches_the_bound_of_its_card() -> None:
    beyond = [
        (machine.name, slot)
        for machine in AWS
        for slot in layout(machine)
        if (bound := machine.cards[slot.card].max_interfaces) is not None and slot.device >= bound
    ]

    assert beyond == []


@pytest.mark.failure("A2")
def test_a_device_index_copied_from_the_card_index_exceeds_the_bound_of_p5() -> None:
    p5 = aws("p5.48xlarge")

    copied = [card.index for card in p5.cards if card.max_interfaces is not None and card.index >= card.max_interfaces]

    assert copied == list(range(2, 32))


@pytest.mark.failure("A3")
def test_no_two_interfaces_of_a_machine_share_card_and_device() -> None:
    for machine in AWS:
        places = Counter((slot.card, slot.device) for slot in layout(machine))
        assert places.most_common(1)[0][1] == 1, machine.name


@pytest.mark.failure("A5")
def test_the_efa_count_is_the_machines_maximum() -> None:
    wrong = [machine.name for machine in AWS if efa_count(layout(machine)) != machine.rdma_interfaces]

    assert wrong == []


@pytest.mark.failure("A5")
def test_counting_network_cards_is_wrong_on_the_newest_machines() -> None:
    by_cards = {machine.name for machine in AWS if machine.fabric and machine.accelerated and len(machine.cards) != machine.rdma_interfaces}

    assert by_cards == {"p6-b300.48xlarge", "p6e-gb200.36xlarge"}


def test_a_machine_may_have_more_cards_that_take_efa_than_it_may_use() -> None:
    i7ie = aws("i7ie.48xlarge")

    assert sum(card.efa for card in i7ie.cards) == 2
    assert efa_count(layout(i7ie)) == 1


def test_every_machine_has_exactly_one_primary_interface_and_it_carries_ip() -> None:
    for machine in AWS:
        assert [slot.kind for slot in layout(machine) if slot.primary] in (["interface"], ["efa"]), machine.name


def test_the_primary_carries_efa_itself_only_where_card_0_has_room_for_one_interface() -> None:
    both_in_one = {machine.name for machine in AWS if CRAMPED_PRIMARY in layout(machine)}

    assert both_in_one == {machine.name for machine in AWS if machine.cards[0].efa and machine.cards[0].max_interfaces == 1}
    assert layout(aws("hpc6id.32xlarge")) == (CRAMPED_PRIMARY, Slot(1, 0, "efa-only"))


@st.composite
def machines_with_efa(draw: st.DrawFn) -> Machine:
    """A machine as EC2 could describe it: any mix of cards, at most as many EFA interfaces as cards that take them."""
    takes = draw(st.lists(st.booleans(), min_size=1, max_size=40).filter(any))
    bounds = draw(st.lists(st.integers(1, 15) | st.none(), min_size=len(takes), max_size=len(takes)))
    cards = tuple(Card(index, efa, bound) for index, (efa, bound) in enumerate(zip(takes, bounds, strict=True)))
    return replace(aws("p4d.24xlarge"), cards=cards, rdma_interfaces=draw(st.integers(1, sum(takes))))


@given(machines_with_efa())
def test_any_mix_of_cards_gets_a_layout_that_ec2_accepts(machine: Machine) -> None:
    slots = layout(machine)

    assert len({(slot.card, slot.device) for slot in slots}) == len(slots)
    assert efa_count(slots) == machine.rdma_interfaces
    assert all(machine.cards[slot.card].efa for slot in slots if slot.kind != "interface")
    assert all(slot.device < (machine.cards[slot.card].max_interfaces or 2) for slot in slots)
    assert sum(slot.primary for slot in slots) == 1
    assert all(slot.kind != "efa-only" for slot in slots if slot.primary)
