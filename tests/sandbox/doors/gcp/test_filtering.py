from __future__ import annotations

import pytest

from scripts.sandbox.doors.gcp.filtering import matches
from scripts.sandbox.refusal import Refusal

ITEM = {"name": "a", "status": "RUNNING", "labels": {"team.x": "ml", "n": "1"}, "scheduling": {"preemptible": True}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", True),
        ("name=a", True),
        ("name=b", False),
        ("name != b", True),
        ("labels.n:1", True),
        ("labels.team.x=ml", True),
        ("labels.missing:*", False),
        ("labels.n:*", True),
        ("scheduling.preemptible=true", True),
        ("scheduling.preemptible = false", False),
        ('(name="a") AND (status eq RUNNING)', True),
        ("name=a AND status=STOPPED", False),
        ("status ne STOPPED", True),
    ],
)
def test_every_comparison_must_hold(text: str, expected: bool):
    assert matches(ITEM, text) is expected


@pytest.mark.parametrize("text", ["((", "name ~ a", "= a"])
def test_what_is_not_understood_is_refused_and_never_ignored(text: str):
    with pytest.raises(Refusal, match="Invalid list filter"):
        matches(ITEM, text)
