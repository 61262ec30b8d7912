"""Compute Engine and Cloud Quotas over plain HTTP, Cloud Monitoring over gRPC, all on the loopback and through Google's own clients.

What Compute Engine answers is checked against the API's discovery document, so that no test rests on a field that Google does not have.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import googleapiclient
import grpc
import jsonschema
from google.oauth2.credentials import Credentials

with warnings.catch_warnings():
    warnings.simplefilter("ignore", FutureWarning)
    from google.cloud import cloudquotas_v1, compute_v1, monitoring_v3
    from google.cloud.cloudquotas_v1.services.cloud_quotas.transports import CloudQuotasRestTransport
    from google.cloud.monitoring_v3.services.metric_service.transports import MetricServiceGrpcTransport

from scripts.quota.gcp.session import Clients, patient
from tests.scripts_catalog.server import Answer, Asked, serving

PROJECT = "my-project"


@cache
def _schemas() -> dict[str, Any]:
    text = files(googleapiclient).joinpath("discovery_cache/documents/compute.v1.json").read_text(encoding="utf-8")
    return json.loads(text)["schemas"]


def _strict(node: Any) -> Any:
    """A discovery schema as JSON Schema that takes no other fields; int64 comes as text."""
    if "$ref" in node:
        return {"$ref": f"#/$defs/{node['$ref']}"}
    made: dict[str, Any] = {}
    if node.get("type") in ("object", "array", "string", "integer", "number", "boolean"):
        made["type"] = node["type"]
    if "enum" in node:
        made["enum"] = node["enum"]
    if "items" in node:
        made["items"] = _strict(node["items"])
    if "properties" in node:
        made["properties"] = {name: _strict(inner) for name, inner in node["properties"].items()}
        made["additionalProperties"] = False
    elif "additionalProperties" in node:
        made["additionalProperties"] = _strict(node["additionalProperties"])
    return made


@cache
def _validator(schema: str) -> jsonschema.Draft202012Validator:
    definitions = {name: _strict(node) for name, node in _schemas().items()}
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{schema}", "$defs": definitions})


def checked(schema: str, body: dict[str, Any]) -> dict[str, Any]:
    _validator(schema).validate(body)
    return body


@dataclass
class Project:
    """What the project answers."""

    regions: dict[str, dict[str, tuple[float, float]]] = field(default_factory=dict)
    """Limit and usage by metric, by region."""
    everywhere: dict[str, tuple[float, float]] = field(default_factory=dict)
    infos: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Quota infos by id."""
    series: dict[str, int] = field(default_factory=dict)
    """Value by the filter that asks for it."""
    instances: list[dict[str, Any]] = field(default_factory=list)
    preferences: list[dict[str, Any]] = field(default_factory=list)
    refusals: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    """Path part -> (status, message), one an answer; the last one stays."""
    filters: list[str] = field(default_factory=list)
    """What Monitoring was asked for."""

    def answer(self, asked: Asked) -> Answer:
        for part, refused in self.refusals.items():
            if part in asked.path:
                status, message = refused.pop(0) if len(refused) > 1 else refused[0]
                if status != 200:
                    return Answer({"error": {"code": status, "message": message, "status": "X"}}, status)
        path = asked.path.partition("/projects/")[2].removeprefix(PROJECT)
        if "/quotaInfos/" in path:
            return self._info(path.rpartition("/")[2])
        if "/quotaPreferences" in path:
            return self._preference(path, asked)
        return Answer(self._compute(path))

    def _compute(self, path: str) -> dict[str, Any]:
        if path == "":
            return checked("Project", {"name": PROJECT, "quotas": _quotas(self.everywhere)})
        if path == "/aggregated/instances":
            items = {f"zones/{i['zone']}": {"instances": [self._instance(i)]} for i in self.instances}
            return checked("InstanceAggregatedList", {"items": items})
        if path == "/aggregated/machineTypes":
            items = {f"zones/us-central1-{z}": {"machineTypes": [{"name": "g2-standard-48"}]} for z in "ab"}
            return checked("MachineTypeAggregatedList", {"items": {**items, "zones/us-central1-c": {}}})
        region = path.rpartition("/")[2]
        return checked("Region", {"name": region, "quotas": _quotas(self.regions.get(region, {}))})

    def _instance(self, told: dict[str, Any]) -> dict[str, Any]:
        url = f"https://www.googleapis.com/compute/v1/projects/{PROJECT}/zones/{told['zone']}/machineTypes/{told['machine']}"
        scheduling = {"provisioningModel": told.get("model", "STANDARD")}
        return {
            "labels": {"gpukit-stack": told["stack"]},
            "machineType": url,
            "status": told.get("status", "RUNNING"),
            "scheduling": scheduling,
        }

    def _info(self, quota_id: str) -> Answer:
        if quota_id not in self.infos:
            return Answer({"error": {"code": 404, "message": "not found", "status": "NOT_FOUND"}}, 404)
        return Answer(cloudquotas_v1.QuotaInfo.to_json(cloudquotas_v1.QuotaInfo(self.infos[quota_id])))

    def _preference(self, path: str, asked: Asked) -> Answer:
        if asked.body:
            body = json.loads(asked.body)
            _, raised, held = path.partition("/quotaPreferences/")
            name = f"projects/{PROJECT}/locations/global/quotaPreferences/{held if raised else f'p{len(self.preferences)}'}"
            self.preferences = [p for p in self.preferences if p["name"] != name]
            told = cloudquotas_v1.QuotaPreference.from_json(json.dumps({**body, "name": name, "reconciling": True}))
            self.preferences.append(cloudquotas_v1.QuotaPreference.to_dict(told))
            return Answer(cloudquotas_v1.QuotaPreference.to_json(told))
        held = [cloudquotas_v1.QuotaPreference(p) for p in self.preferences]
        return Answer(
            cloudquotas_v1.ListQuotaPreferencesResponse.to_json(cloudquotas_v1.ListQuotaPreferencesResponse(quota_preferences=held))
        )

    def list_time_series(self, request: Any, context: Any) -> Any:
        self.filters.append(request.filter)
        if "monitoring" in self.refusals:
            context.abort(grpc.StatusCode.PERMISSION_DENIED, "Permission monitoring.timeSeries.list denied")
        if request.filter not in self.series:
            return monitoring_v3.ListTimeSeriesResponse()
        points = [{"value": {"int64_value": self.series[request.filter]}}, {"value": {"int64_value": 999}}]
        return monitoring_v3.ListTimeSeriesResponse(time_series=[{"points": points}])


def _quotas(told: dict[str, tuple[float, float]]) -> list[dict[str, Any]]:
    return [{"metric": metric, "limit": limit, "usage": usage} for metric, (limit, usage) in told.items()]


@contextmanager
def clients(project: Project) -> Iterator[Clients]:
    with serving(project.answer) as address, _monitoring(project) as metrics:
        signed_in = Credentials("a token that nothing renews")  # pyright: ignore[reportNoUntypedCall] # Google's class has no types
        told = {"credentials": signed_in, "client_options": {"api_endpoint": address}}
        host = address.removeprefix("http://")
        transport = CloudQuotasRestTransport(host=host, url_scheme="http", credentials=signed_in)
        yield Clients(
            regions=compute_v1.RegionsClient(**told),
            projects=compute_v1.ProjectsClient(**told),
            instances=compute_v1.InstancesClient(**told),
            machine_types=compute_v1.MachineTypesClient(**told),
            quotas=cloudquotas_v1.CloudQuotasClient(transport=transport),
            metrics=metrics,
            retry=patient(first_s=0.01, most_s=0.02, whole_s=0.2),
        )


@contextmanager
def _monitoring(project: Project) -> Iterator[Any]:
    request, response = monitoring_v3.ListTimeSeriesRequest, monitoring_v3.ListTimeSeriesResponse
    handler = grpc.unary_unary_rpc_method_handler(
        project.list_time_series, request_deserializer=request.deserialize, response_serializer=response.serialize
    )
    server = grpc.server(ThreadPoolExecutor(max_workers=1))
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler("google.monitoring.v3.MetricService", {"ListTimeSeries": handler}),)
    )
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    channel = grpc.insecure_channel(f"127.0.0.1:{port}")
    try:
        yield monitoring_v3.MetricServiceClient(transport=MetricServiceGrpcTransport(channel=channel))
    finally:
        channel.close()
        server.stop(None)
