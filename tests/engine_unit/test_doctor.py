from __future__ import annotations

from scripts.engine.checkout import Checkout
from scripts.engine.doctor import Health, examine, text


def test_what_the_budget_alarm_cannot_see_is_unknown_and_told(checkout: Checkout) -> None:
    found = examine(checkout)
    [item] = [each for each in found.items if each.name == "aws cost tag"]
    assert item.health is Health.UNKNOWN
    assert "gpukit/cluster" in text(found)
