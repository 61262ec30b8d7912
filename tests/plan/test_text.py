"""The plan for people fits 100 columns and says what the JSON says."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from components.catalog.fabric import Slot
from components.catalog.nics import Nic
from components.costing import Cost, Unpriced
from components.inventory import Market, Owner
from policies.finding import Finding, Level, Status
from scripts.plan.build import plan_stacks
from scripts.plan.model import Plan
from scripts.plan.terminal import WIDTH, shown
from scripts.plan.text import interfaces, owners, print_plan

from .checkout import ROOT, by_default


@pytest.fixture(scope="module")
def plan() -> Plan:
    return plan_stacks(ROOT, ["aws-training-dev"], by_default())


def printed(plan: Plan) -> str:
    out = io.StringIO()
    print_plan(plan, Console(file=out, width=WIDTH, highlight=False, markup=False))
    return out.getvalue()


def test_no_line_is_wider_than_100_columns(plan: Plan) -> None:
    assert max(map(len, printed(plan).splitlines())) <= 100


def test_it_shows_layout_owner_cost_quota_and_findings(plan: Plan) -> None:
    text = printed(plan)
    for part in (
        "card 0: device 0 interface, device 1 efa-only; cards 1-3:",
        "driver, toolkit from the image",
        "with surge",
        "L-7212CCBC",
        "GPU-QUOTA-01 unchecked",
    ):
        assert part in text


def test_every_owner_of_a_part_has_a_name(plan: Plan) -> None:
    ownership = plan.stacks[0].pools[0].ownership
    for owner in Owner:
        assert "NFD" in owners(replace(ownership, nfd=owner))
    assert "NFD from the Network Operator" in owners(replace(ownership, nfd=Owner.NETWORK_OPERATOR))


def test_markets_are_plain_words_and_the_surge_is_explained(plan: Plan) -> None:
    text = printed(plan)
    assert "surge: nodes while the pool is updated" in text
    pool = replace(plan.stacks[0].pools[0], market=Market.ON_DEMAND)
    assert "on demand" in printed(replace(plan, stacks=(replace(plan.stacks[0], pools=(pool,)),)))


def test_cards_of_one_layout_are_told_together() -> None:
    slots = [Slot(0, 0, "interface"), *(Slot(card, 0, "efa-only") for card in (1, 2, 3)), Slot(4, 1, "efa")]
    assert interfaces(slots) == "card 0: device 0 interface; cards 1-3: device 0 efa-only; card 4: device 1 efa"


def test_interfaces_that_networks_order_are_told_by_network() -> None:
    nics = [Nic("eth0", "gVNIC", "default"), *(Nic(f"eth{at + 1}", "NetDevice", f"gpu-nic-{at}") for at in range(4))]
    assert interfaces(nics) == "eth0 gVNIC on default; eth1-eth4 NetDevice on gpu-nic-0 to gpu-nic-3"


def test_a_missing_price_makes_the_sum_a_floor(plan: Plan) -> None:
    gap = Unpriced(urn="u", name="pool", machine="p9.huge", region="us-east-1", market=Market.SPOT, path="machines")
    stack = replace(plan.stacks[0], cost=Cost(unpriced=(gap,)))
    text = printed(replace(plan, stacks=(stack,)))
    assert "at least: not everything has a price" in text
    assert "not counted: pool: no price for p9.huge (spot) in us-east-1" in text


def test_words_of_a_program_cannot_drive_the_terminal(plan: Plan) -> None:
    message = "bad \x1b[2J\x07 [bold]name[/bold] \u202e"
    finding = Finding(
        rule="GPU-X-01", status=Status.VIOLATED, level=Level.MANDATORY, urn="urn:pulumi:dev::lab::t::n\x1b[31m", path="p", message=message
    )
    text = printed(replace(plan, stacks=(replace(plan.stacks[0], findings=(finding,)),)))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "[bold]name[/bold]" in text
    assert shown("a\nb").plain == "a b"


def test_a_failing_finding_is_counted_at_the_end(plan: Plan) -> None:
    finding = Finding(rule="GPU-X-01", status=Status.UNKNOWN, level=Level.MANDATORY, urn="", path="", message="m")
    assert "1 finding must be repaired" in printed(replace(plan, stacks=(replace(plan.stacks[0], findings=(finding,)),)))
    assert "nothing must be repaired, 1 thing unchecked." in " ".join(printed(plan).split())


def test_a_stack_with_an_error_is_said_not_to_be_judged(plan: Plan) -> None:
    text = printed(replace(plan, stacks=(replace(plan.stacks[0], error="broken"),)))
    assert "not judged: its error is below" in text
    assert "1 could not be judged" in text
    assert "nothing must be repaired" not in text
