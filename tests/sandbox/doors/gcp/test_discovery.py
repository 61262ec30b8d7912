"""The door against Google's discovery documents, which google-api-python-client bundles: paths that they have, answers by their schemas."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import googleapiclient
import httpx
import pytest

from scripts.engine.gcp_kinds import PLACED, Where
from scripts.sandbox.doors.gcp.door import ROUTES
from scripts.sandbox.kinds.gcp import tokens as t
from scripts.sandbox.store import Record
from tests.sandbox.gcp_cloud import PROJECT, REGION, ZONE, Gcp

DOCUMENTS = Path(googleapiclient.__file__).parent / "discovery_cache" / "documents"
APIS = (
    "compute.v1", "container.v1", "storage.v1", "iam.v1", "file.v1", "cloudkms.v1", "cloudresourcemanager.v1", "cloudresourcemanager.v3",
    "billingbudgets.v1", "monitoring.v3", "logging.v2", "tpu.v2", "oauth2.v2",
)  # fmt: skip
UNBUNDLED = ("/v1/projects/{project}/locations/{location}/instances", "/oauth2/v3/tokeninfo")
"""Managed Lustre's and the token's own APIs are not bundled; the former's path is Filestore's too."""


@cache
def document(api: str) -> dict[str, Any]:
    return json.loads((DOCUMENTS / f"{api}.json").read_text())


def methods(node: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield from node.get("methods", {}).values()
    for inner in node.get("resources", {}).values():
        yield from methods(inner)


@cache
def known() -> frozenset[tuple[str, str]]:
    """(method, path) of every method of the documents, with any parameter written `{}`."""
    return frozenset(
        (method["httpMethod"], _bare(f"/{document(api).get('servicePath', '')}{method.get('flatPath') or method['path']}"))
        for api in APIS
        for method in methods(document(api))
    )


def _bare(path: str) -> str:
    return re.sub(r"\{[^}]*\}", "{}", path)


@pytest.mark.parametrize("route", ROUTES, ids=lambda r: f"{r.method} {r.template}")
def test_every_path_that_is_answered_is_googles(route: Any):
    if not route.template.startswith(UNBUNDLED):
        assert (route.method, _bare(route.template)) in known()


def problems(schemas: Mapping[str, Any], schema: Mapping[str, Any], value: Any, path: str) -> Iterator[str]:
    """What of an answer its schema does not have, or has as another type."""
    if "$ref" in schema:
        yield from problems(schemas, schemas[schema["$ref"]], value, path)
        return
    kinds = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict}
    if schema.get("type") in kinds and not isinstance(value, kinds[schema["type"]]):
        yield f"{path}: {value!r} is no {schema['type']}"
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from problems(schemas, schema["items"], item, f"{path}[{at}]")
    elif isinstance(value, dict):
        extra = schema.get("additionalProperties")
        for name, item in value.items():
            inner = schema.get("properties", {}).get(name) or extra
            yield from [f"{path}.{name} is unknown"] if inner is None else problems(schemas, inner, item, f"{path}.{name}")
    elif "enum" in schema and value not in schema["enum"]:
        yield f"{path}: {value!r} is not in the closed list"


@pytest.fixture
def full(gcp: Gcp, lab: Record) -> Gcp:
    """One of everything that the door shows."""
    gcp.make(t.ROUTER, name="r", network="lab-net", region=REGION)
    gcp.make(t.ROUTER_NAT, name="nat", router="r", region=REGION, sourceSubnetworkIpRangesToNat="ALL_SUBNETWORKS_ALL_IP_RANGES")
    gcp.make(t.ADDRESS, name="a", region=REGION)
    gcp.make(t.POLICY, name="p", region=REGION, groupPlacementPolicy={"collocation": "COLLOCATED"})
    gcp.make(t.TEMPLATE, name="tpl", machineType="e2-standard-4", disks=[{}])
    gcp.make(
        t.RESERVATION, name="held", zone=ZONE, specificReservation={"count": 1, "instanceProperties": {"machineType": "e2-standard-4"}}
    )
    gcp.make(t.BUCKET, name="lab-data", location="us-central1")
    account = gcp.make(t.SERVICE_ACCOUNT, accountId="lab-nodes")
    gcp.make(t.PROJECT_MEMBER, project=PROJECT, role="roles/logging.logWriter", member=account.state["member"])
    gcp.make(t.KEY, name="k", keyRing=gcp.make(t.KEY_RING, name="ring", location=REGION).id)
    gcp.make(t.BUDGET, billingAccount="B", amount={}, displayName="lab", budgetFilter={"labels": {"a": "b"}})
    gcp.make(t.CHANNEL, type="email", displayName="lab")
    gcp.make(t.LOG_SINK, name="sink", destination="storage.googleapis.com/x")
    gcp.make(
        t.FILESTORE, name="fs", location=ZONE, tier="ZONAL", networks=[{"network": "lab-net"}], fileShares={"name": "s", "capacityGb": 1024}
    )
    gcp.make(t.TPU_VM, name="tpu", zone=ZONE, runtimeVersion="v2", acceleratorType="v6e-4")
    return gcp


COMPUTE = f"/compute/v1/projects/{PROJECT}"
ANSWERS = [
    ("compute.v1", "NetworkList", f"{COMPUTE}/global/networks"),
    ("compute.v1", "FirewallList", f"{COMPUTE}/global/firewalls"),
    ("compute.v1", "SubnetworkList", f"{COMPUTE}/regions/{REGION}/subnetworks"),
    ("compute.v1", "RouterList", f"{COMPUTE}/regions/{REGION}/routers"),
    ("compute.v1", "AddressList", f"{COMPUTE}/regions/{REGION}/addresses"),
    ("compute.v1", "ResourcePolicyList", f"{COMPUTE}/regions/{REGION}/resourcePolicies"),
    ("compute.v1", "InstanceList", f"{COMPUTE}/zones/{ZONE}/instances"),
    ("compute.v1", "DiskList", f"{COMPUTE}/zones/{ZONE}/disks"),
    ("compute.v1", "InstanceGroupManagerList", f"{COMPUTE}/zones/{ZONE}/instanceGroupManagers"),
    ("compute.v1", "ReservationList", f"{COMPUTE}/zones/{ZONE}/reservations"),
    ("compute.v1", "InstanceTemplateList", f"{COMPUTE}/global/instanceTemplates"),
    ("compute.v1", "InstanceAggregatedList", f"{COMPUTE}/aggregated/instances"),
    ("compute.v1", "MachineTypeList", f"{COMPUTE}/zones/{ZONE}/machineTypes"),
    ("compute.v1", "Region", f"{COMPUTE}/regions/{REGION}"),
    ("container.v1", "ListClustersResponse", f"/v1/projects/{PROJECT}/locations/-/clusters"),
    ("container.v1", "ListNodePoolsResponse", f"/v1/projects/{PROJECT}/locations/{ZONE}/clusters/lab/nodePools"),
    ("storage.v1", "Buckets", f"/storage/v1/b?project={PROJECT}"),
    ("iam.v1", "ListServiceAccountsResponse", f"/v1/projects/{PROJECT}/serviceAccounts"),
    ("cloudkms.v1", "ListCryptoKeysResponse", f"/v1/projects/{PROJECT}/locations/{REGION}/keyRings/ring/cryptoKeys"),
    ("billingbudgets.v1", "GoogleCloudBillingBudgetsV1ListBudgetsResponse", "/v1/billingAccounts/B/budgets"),
    ("monitoring.v3", "ListNotificationChannelsResponse", f"/v3/projects/{PROJECT}/notificationChannels"),
    ("logging.v2", "ListSinksResponse", f"/v2/projects/{PROJECT}/sinks"),
    ("file.v1", "ListInstancesResponse", f"/v1/projects/{PROJECT}/locations/-/instances"),
    ("tpu.v2", "ListNodesResponse", f"/v2/projects/{PROJECT}/locations/{ZONE}/nodes"),
    ("cloudresourcemanager.v3", "Project", f"/v3/projects/{PROJECT}"),
]


def test_answers_have_the_fields_and_types_of_googles_schemas_and_are_not_empty(full: Gcp, address: str):
    with httpx.Client(trust_env=False) as client:
        for api, schema, path in ANSWERS:
            answer = client.get(f"{address}{path}")
            assert answer.status_code == 200, path
            body = answer.json()
            assert any(isinstance(value, list | dict) and value for value in body.values()) or "name" in body, path
            schemas = document(api)["schemas"]
            assert list(problems(schemas, schemas[schema], body, schema)) == []


def test_an_operation_is_done_and_of_googles_form(full: Gcp, address: str):
    with httpx.Client(trust_env=False) as client:
        ended = client.delete(f"{address}{COMPUTE}/global/instanceTemplates/tpl").json()
        sized = client.post(
            f"{address}/v1/projects/{PROJECT}/locations/{ZONE}/clusters/lab/nodePools/l4:setSize", json={"nodeCount": 1}
        ).json()
    for api, body in (("compute.v1", ended), ("container.v1", sized)):
        assert body["status"] == "DONE"
        assert list(problems(document(api)["schemas"], document(api)["schemas"]["Operation"], body, "operation")) == []


INPUTS = {
    name: name for name in ("name", "accountId", "cluster", "instanceId", "region", "zone", "location", "keyRing")
}  # fmt: skip


@pytest.mark.parametrize("token", PLACED)
def test_the_engine_looks_for_each_kind_where_google_has_it(token: str):
    inputs = {**INPUTS, "cluster": "projects/p/locations/l/clusters/c", "keyRing": "projects/p/locations/l/keyRings/r"}
    path = PLACED[token].path(inputs, Where(project="p", region="r"))
    if token == t.LUSTRE:
        return
    patterns = [re.compile(re.escape(known_path).replace(re.escape("{}"), "[^/]+")) for method, known_path in known() if method == "GET"]
    assert any(pattern.fullmatch(path) for pattern in patterns), path
