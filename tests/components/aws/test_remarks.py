from __future__ import annotations

from components.aws.remarks import remarks

from .specs import training


def test_what_no_resource_says_is_said() -> None:
    made = training(
        {
            "storage": {"buckets": [{"name": "sets"}], "shared_filesystem": {"tib": 4.8}},
            "budget": {"monthly_usd": 9000, "alert_emails": ["ml-platform@example.com"]},
        }
    )
    said = list(remarks(made))
    assert any("38.4 TiB" in text for text in said), "which size would have EFA"
    assert any("activated" in text for text in said), "what the budget cannot see"
    assert sum("keeps" in text for text in said) == 2, "what bills after a destroy"


def test_a_plain_cluster_needs_no_remark() -> None:
    assert list(remarks(training())) == []
