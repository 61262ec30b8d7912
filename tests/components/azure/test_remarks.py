from __future__ import annotations

import pytest

from components.azure.remarks import remarks

from .specs import GROUP, inference, training


def said(spec: object) -> str:
    return "\n".join(remarks(spec))  # type: ignore[arg-type]


def test_the_feature_for_infiniband_is_told_as_a_prerequisite() -> None:
    assert "AKSInfinibandSupport" in said(training())
    assert "AKSInfinibandSupport" not in said(training({"pools": {"fabric": "none"}}))


def test_a_capacity_reservation_group_is_told_to_need_a_reservation() -> None:
    reserved = training({"pools": {"capacity": {"mode": "reservation", "group": GROUP}}})
    assert "capacity reservation of Standard_ND96isr_H100_v5" in said(reserved)


@pytest.mark.failure("E1")
def test_a_scale_set_that_may_span_placement_groups_is_told() -> None:
    assert "partition key" in said(training({"pools": {"nodes": {"min": 0, "max": 101}}}))
    assert "partition key" not in said(training({"pools": {"nodes": {"min": 0, "max": 100}}}))


@pytest.mark.failure("E7")
def test_a_zone_of_a_gpu_pool_is_told_to_be_aks_s_own_affair() -> None:
    assert "only AKS can tell" in said(training({"pools": {"zone": "1"}}))
    assert "only AKS can tell" not in said(training())


@pytest.mark.failure("F1")
def test_resources_that_no_first_node_may_announce_are_told() -> None:
    assert "rdma/ib" in said(training())
    assert "rdma/ib" not in said(training({"pools": {"nodes": {"min": 1, "max": 4}}}))


def test_what_outlives_the_cluster_and_what_guards_it_is_told() -> None:
    made = training(
        {
            "environment": "prod",
            "storage": {"buckets": [{"name": "sets"}], "shared_filesystem": {"tib": 16}},
            "budget": {"monthly_usd": 9000, "alert_emails": ["ml-platform@example.com"]},
        }
    )
    assert said(made).count("a destroy keeps") == 2
    assert "nodes included" in said(made)
    assert "no deletion protection" in said(made)


def test_a_plain_cluster_needs_no_remark() -> None:
    assert list(remarks(inference())) == []
