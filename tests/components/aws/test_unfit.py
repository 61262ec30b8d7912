from __future__ import annotations

from typing import Any

import pytest

from components.aws.assembly import refusals
from components.aws.unfit import refuse_unfit

from .specs import INFERENCE, REGION, TRAINING, spec

RESERVED = {"mode": "reservation", "id": "cr-0123456789abcdef0"}
BLOCK = {"mode": "capacity_block", "id": "cr-0123456789abcdef0", "starts": "2027-01-11T11:30Z", "ends": "2027-01-18T11:30Z"}


def errors(patch: dict[str, Any], base: dict[str, Any] | None = None) -> list[tuple[str, str]]:
    return [(e.path, str(e)) for e in refuse_unfit(spec(base or TRAINING, patch))]


@pytest.mark.parametrize("base", [TRAINING, INFERENCE], ids=["training", "inference"])
def test_a_sound_spec_is_refused_nothing(base: dict[str, Any]) -> None:
    assert errors({}, base) == []


@pytest.mark.parametrize(
    ("patch", "path", "said"),
    [
        ({"name": "l" * 40, "pools": {"name": "p" * 20}}, "pools[0].name", "both names together"),
        ({"pools": {"labels": {"k8s.amazonaws.com/accelerator": "x"}}}, "pools[0].labels", "set by gpukit itself"),
        ({"tags": {"cost;center": "y"}}, "tags", "letters, digits"),
        ({"owner": "a;b"}, "owner", "letters, digits"),
        ({"access": {"admins": []}}, "access.admins", "name at least the IAM role"),
        ({"access": {"viewers": ["arn:aws:iam::123456789012:role/platform"]}}, "access.viewers", "named twice"),
        ({"pools": {"machine": "g4ad.xlarge"}}, "pools[0].machine", "AMD accelerators are not built"),
        ({"pools": {"machine": "g7.8xlarge"}}, "pools[0].image", "no EKS image"),
        ({"kubernetes_version": "1.99"}, "kubernetes_version", "allowed: 1.3"),
        ({"kubernetes_version": "1.30"}, "kubernetes_version", "lost its last support on EKS on 2026-07-23"),
        ({"tags": {f"k{i}": "v" for i in range(40)}}, "tags", "pool a100 would carry"),
        ({"network": {"cidr": "10.0.0.0/24"}}, "network.cidr", "give a /16 to /22"),
        ({"pools": {"nodes": {"min": 0, "max": 300}}}, "network.cidr", "a100 300 nodes"),
        ({"monitoring": {"log_retention_days": 8}}, "monitoring.log_retention_days", "the nearest is 7"),
        ({"pools": {"capacity": {**RESERVED, "nodes": 3}}}, "pools[0].capacity.nodes", "set nodes.max to the number of reserved nodes"),
        ({"pools": {"capacity": BLOCK, "nodes": {"min": 1, "max": 4}}}, "pools[0].nodes.min", "no node before its window"),
    ],
)
def test_a_value_that_cannot_work_is_named_with_what_would(patch: dict[str, Any], path: str, said: str) -> None:
    found = errors(patch)
    assert [p for p, _ in found] == [path]
    assert said in found[0][1]


def test_every_error_comes_at_once() -> None:
    found = errors({"owner": "a;b", "tags": {"a;b": "y"}, "name": "l" * 40, "pools": {"name": "p" * 20, "machine": "g4ad.xlarge"}})
    assert {path for path, _ in found} == {"owner", "tags", "pools[0].name", "pools[0].machine"}


def test_a_stack_name_that_is_too_long_for_a_cluster_is_refused() -> None:
    long = spec(TRAINING).model_copy(update={"name": "l" * 60})
    assert ("name", True) in [(e.path, "use 2 to 40" in str(e)) for e in refuse_unfit(long)]


@pytest.mark.failure("C3")
def test_images_of_two_kinds_under_one_operator_are_refused() -> None:
    pools = [*TRAINING["pools"], {"name": "other", "machine": "p4d.24xlarge", "zone": "us-east-1d", "image": "bottlerocket"}]
    [(path, text)] = errors({"pools": pools})
    assert path == "pools"
    assert "pools a100 need the GPU Operator's device plugin, pools other bring their own" in text


@pytest.mark.failure("C3")
def test_images_of_one_kind_under_one_operator_are_fine() -> None:
    pools = [*TRAINING["pools"], {"name": "other", "machine": "p4d.24xlarge", "zone": "us-east-1d", "image": "al2023"}]
    assert errors({"pools": pools}) == []


@pytest.mark.failure("B9")
def test_an_arm_machine_gets_an_arm_image_of_its_own() -> None:
    assert errors({"pools": {"machine": "g5g.2xlarge"}}, INFERENCE) == []


@pytest.mark.failure("B14")
@pytest.mark.parametrize("capacity", [RESERVED, BLOCK], ids=["reservation", "block"])
def test_reserved_nodes_have_no_spare_to_surge_into(capacity: dict[str, Any]) -> None:
    [(path, text)] = errors({"pools": {"capacity": capacity, "updates": "surge"}})
    assert path == "pools[0].updates"
    assert "use in_place" in text
    assert errors({"pools": {"capacity": capacity, "updates": "in_place"}}) == []


@pytest.mark.failure("A6")
def test_training_gets_subnets_with_room_to_grow() -> None:
    [(path, text)] = errors({"network": {"cidr": "10.64.0.0/18"}})
    assert path == "network.cidr"
    assert "give a /17 or larger" in text
    assert errors({"network": {"cidr": "10.64.0.0/17"}}) == []


@pytest.mark.failure("A6")
def test_a_small_network_does_for_inference_while_its_nodes_fit() -> None:
    assert errors({"network": {"cidr": "10.64.0.0/19"}}, INFERENCE) == []
    assert [path for path, _ in errors({"network": {"cidr": "10.64.0.0/22"}, "pools": {"nodes": {"min": 0, "max": 40}}}, INFERENCE)] == [
        "network.cidr"
    ]


def test_what_is_not_built_hides_nothing_that_aws_would_refuse() -> None:
    patch = {"monitoring": {"metrics": "prometheus"}, "kubernetes_version": "1.99", "tags": {"cost;center": "y"}}
    found = refusals(spec(TRAINING, patch), REGION)
    assert {error.path for error in found} == {"monitoring.metrics", "kubernetes_version", "tags"}


def test_pools_that_are_not_built_are_measured_by_nothing() -> None:
    patch = {"pools": {"image": "ubuntu", "nodes": {"min": 0, "max": 300}}}
    assert [error.path for error in refusals(spec(TRAINING, patch), REGION)] == ["pools[0].image"]
