from __future__ import annotations

from typing import Any

import pytest

from components.gcp.remarks import remarks

from .specs import INFERENCE, TRAINING, spec

EXISTING = {"network": "n", "node_subnets": {"us-central1-a": "s"}, "pod_range": "p", "service_range": "v"}
CALENDAR = {"mode": "calendar", "id": "r", "starts": "9999-01-01T00:00Z", "ends": "9999-02-01T00:00Z"}


def told(patch: dict[str, Any], base: dict[str, Any] = TRAINING) -> str:
    return "\n".join(remarks(spec(base, patch)))


@pytest.mark.parametrize(
    ("patch", "base", "said"),
    [
        ({"network": {"existing": EXISTING}}, INFERENCE, "look before the first up"),
        ({"budget": {"monthly_usd": 9}}, TRAINING, "without billing_account none is built"),
        ({"budget": {"monthly_usd": 9}, "billing_account": "012345-6789AB-CDEF01"}, TRAINING, "gpukit-cluster"),
        ({"pools": {"capacity": {"mode": "queued"}}}, TRAINING, "queued-provisioning.gke.io"),
        ({"pools": {"machine": "a4-highgpu-8g", "fabric": "dranet"}}, TRAINING, "never to finish deleting"),
        ({"pools": {"capacity": CALENDAR, "nodes": {"min": 2, "max": 2}}}, TRAINING, "starts no node before its window"),
        ({"access": {"admins": ["group:a@example.com"]}}, TRAINING, "gke-security-groups@example.com"),
        ({"encryption_key": "projects/p/locations/us-central1/keyRings/r/cryptoKeys/k"}, TRAINING, "cryptoKeyEncrypterDecrypter"),
        ({"storage": {"buckets": [{"name": "b"}]}}, TRAINING, "storage.buckets: a destroy keeps them"),
        ({"storage": {"shared_filesystem": {"tib": 17.578125, "mb_s_per_tib": 500}}}, TRAINING, "bills until a person deletes it"),
    ],
)
def test_what_no_resource_says_is_told(patch: dict[str, Any], base: dict[str, Any], said: str) -> None:
    assert said in told(patch, base)
    assert said not in told({}, base)


def test_a_plain_cluster_has_nothing_to_be_told_of() -> None:
    assert told({}) == ""
