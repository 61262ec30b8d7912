from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import googleapiclient
import pytest

from scripts.sandbox.kinds.gcp import enums
from scripts.sandbox.kinds.gcp import tokens as t
from tests.sandbox.gcp_cloud import PROJECT, REGION, Gcp
from tests.sandbox.kinds.gcp.test_network import refused

DOCUMENTS = Path(googleapiclient.__file__).parent / "discovery_cache" / "documents"


@pytest.mark.parametrize(("api", "place"), enums.places())
def test_closed_lists_are_those_of_googles_discovery_documents(api: str, place: str):
    message, field = place.split(".")
    found = json.loads((DOCUMENTS / f"{api}.v1.json").read_text())["schemas"][message]["properties"][field]
    known = found.get("enum") or found["items"]["enum"]
    assert set(enums.values(api, place)) == {value for value in known if not value.endswith(enums.UNSPECIFIED)}


@pytest.mark.parametrize("name", ["short", "x" * 31, "Upper-case", "1-digit-first"])
def test_a_service_accounts_name_is_a_label_of_six_to_thirty(gcp: Gcp, name: str):
    refused(lambda: gcp.make(t.SERVICE_ACCOUNT, accountId=name), "between 6 and 30")


def test_members_exist_and_roles_are_roles(gcp: Gcp):
    account = gcp.make(t.SERVICE_ACCOUNT, accountId="lab-nodes")
    assert account.state["email"] == f"lab-nodes@{PROJECT}.iam.gserviceaccount.com"
    given = {"project": PROJECT, "role": "roles/logging.logWriter", "member": account.state["member"]}
    made = gcp.make(t.PROJECT_MEMBER, **given)
    assert made.id == f"{PROJECT}/roles/logging.logWriter/serviceAccount:{account.state['email']}"
    refused(
        lambda: gcp.make(t.PROJECT_MEMBER, **{**given, "member": f"serviceAccount:gone@{PROJECT}.iam.gserviceaccount.com"}),
        "does not exist",
    )
    refused(lambda: gcp.make(t.PROJECT_MEMBER, **{**given, "member": "somebody"}), "unknown type")
    refused(lambda: gcp.make(t.PROJECT_MEMBER, **{**given, "role": "logWriter"}), "not supported for this resource")
    gcp.make(t.PROJECT_MEMBER, **{**given, "member": "serviceAccount:x@other.iam.gserviceaccount.com"})
    gcp.make(
        t.ACCOUNT_MEMBER,
        serviceAccountId=account.id,
        role="roles/iam.workloadIdentityUser",
        member=f"serviceAccount:{PROJECT}.svc.id.goog[a/b]",
    )


def test_bucket_names_are_one_space_and_hierarchy_needs_uniform_access(gcp: Gcp):
    bucket = gcp.make(t.BUCKET, name="lab-data", location="us-central1")
    assert (bucket.id, bucket.state["url"], bucket.state["location"]) == ("lab-data", "gs://lab-data", "US-CENTRAL1")
    refused(lambda: gcp.make(t.BUCKET, name="lab-data", location="eu"), "bucket name is not available")
    refused(lambda: gcp.make(t.BUCKET, name="Lab", location="eu"), "Invalid bucket name")
    layered: dict[str, Any] = {"location": "eu", "hierarchicalNamespace": {"enabled": True}}
    refused(lambda: gcp.make(t.BUCKET, **layered), "uniform bucket-level access")
    gcp.make(t.BUCKET, **layered, uniformBucketLevelAccess=True)
    refused(lambda: gcp.make(t.BUCKET_MEMBER, bucket="gone", role="roles/storage.objectUser", member="allUsers"), "does not exist")


def test_keys_live_in_rings_and_turn_at_most_daily(gcp: Gcp):
    ring = gcp.make(t.KEY_RING, name="lab", location=REGION)
    gcp.make(t.KEY, name="nodes", keyRing=ring.id, rotationPeriod="7776000s")
    refused(lambda: gcp.make(t.KEY, keyRing=ring.id, rotationPeriod="60s"), "at least 24 hours")
    refused(lambda: gcp.make(t.KEY, keyRing=f"projects/{PROJECT}/locations/{REGION}/keyRings/gone"), "keyRings/gone")
    refused(lambda: gcp.make(t.KEY_RING, name="lab", location=REGION), "already exists")


def test_a_budget_filters_by_one_label(gcp: Gcp):
    given: dict[str, Any] = {"billingAccount": "000000-000000-000000", "amount": {"specifiedAmount": {"units": "100"}}}
    budget = gcp.make(t.BUDGET, **given, budgetFilter={"labels": {"a": "b"}})
    assert budget.id.startswith("billingAccounts/000000-000000-000000/budgets/")
    refused(lambda: gcp.make(t.BUDGET, **given, budgetFilter={"labels": {"a": "b", "c": "d"}}), "one label at most")


def test_filestore_shares_have_a_smallest_size_and_may_be_protected(gcp: Gcp):
    network = gcp.network(name="lab")
    given: dict[str, Any] = {
        "location": "us-central1-a", "tier": "BASIC_SSD", "networks": [{"network": "lab", "modes": ["MODE_IPV4"]}],
        "fileShares": {"name": "share", "capacityGb": 2560},
    }  # fmt: skip
    refused(lambda: gcp.make(t.FILESTORE, **{**given, "fileShares": {"name": "s", "capacityGb": 100}}), "below the 2560")
    made = gcp.make(t.FILESTORE, **given, deletionProtectionEnabled=True)
    refused(lambda: gcp.delete(made), "protected against deletion")
    gcp.delete(gcp.change(made, deletionProtectionEnabled=False))
    gcp.delete(network)


def test_tpu_machines_name_their_accelerator_one_way(gcp: Gcp):
    given = {"zone": "us-central1-a", "runtimeVersion": "v2-alpha-tpuv6e"}
    assert gcp.make(t.TPU_VM, **given, acceleratorType="v6e-4").status == "READY"
    refused(lambda: gcp.make(t.TPU_VM, **given), "exactly one of")
