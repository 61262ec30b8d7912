"""The cluster's own API: nodes, GPU pods, queues, whether anything serves. Lists are read page by page; what is no GPU's is not kept."""

from __future__ import annotations

import json
import tempfile
from base64 import b64decode
from collections.abc import Collection, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from components.inventory import Cloud
from scripts.errors import Failed
from scripts.idle.collect import kube_shapes as shapes
from scripts.idle.collect.found import Endpoint
from scripts.idle.signals import Node, Pod, Queue, Requests

PAGE = 500
SECONDS = 30
SIMULATED = "X-Gpukit-Simulated"
_APPS = "/apis/apps/v1"
_SERVING_GROUPS: Mapping[str, Mapping[str, str]] = {
    "serving.kserve.io": {"inferenceservices": "InferenceService", "llminferenceservices": "LLMInferenceService"},
    "serving.knative.dev": {"services": "Knative Service"},
    "ray.io": {"rayservices": "RayService"},
    "apps.nvidia.com": {"nimservices": "NIMService"},
    "leaderworkerset.x-k8s.io": {"leaderworkersets": "LeaderWorkerSet"},
}
"""Kinds that serve models, by plural, in the API groups of the operators that bring them."""
KUEUE = "kueue.x-k8s.io"
VOLCANO = "scheduling.volcano.sh"


class Refused(Exception):
    """The API server refused. `status`: HTTP."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What one cluster's API said."""

    read_at: datetime
    nodes: tuple[Node, ...]
    pods: tuple[Pod, ...]
    queues: tuple[Queue, ...]
    serves: str | None
    """The first object that serves models."""

    def requests(self) -> Requests | None:
        """Nothing that serves is asked nothing; of what serves only its metrics know."""
        return Requests(count=0, basis="nothing in the cluster serves models") if self.serves is None else None


class Api:
    """A cluster's API by the Kubernetes client."""

    def __init__(self, api: Any) -> None:
        self._api = api
        self.date: datetime | None = None
        """The server's clock at its last answer; None where it gave none, or simulates."""

    def get(self, path: str, **query: object) -> dict[str, Any]:
        return self._call("GET", path, query)

    def patch(self, path: str, body: object) -> dict[str, Any]:
        """A JSON merge patch."""
        return self._call("PATCH", path, {}, body)

    def _call(self, method: str, path: str, query: Mapping[str, object], body: object = None) -> dict[str, Any]:
        from kubernetes.client.exceptions import ApiException

        headers = {"Accept": "application/json"} | ({"Content-Type": "application/merge-patch+json"} if body is not None else {})
        try:
            answer = self._api.call_api(
                path, method, query_params=list(query.items()), header_params=headers, body=body, auth_settings=[],
                _preload_content=False, _return_http_data_only=True, _request_timeout=SECONDS,
            )  # fmt: skip
        except ApiException as error:
            raise Refused(int(cast("Any", error).status or 0), f"{method} {path}: {cast('Any', error).status} {_words(error)}") from error
        self._note(answer.headers)
        return json.loads(answer.data)

    def _note(self, headers: Mapping[str, str]) -> None:
        text = headers.get("Date")
        if text and not headers.get(SIMULATED):
            try:
                self.date = parsedate_to_datetime(text).astimezone(UTC)
            except ValueError:
                self.date = None

    def items(self, path: str, **query: object) -> Iterator[dict[str, Any]]:
        """Objects of a list, page by page."""
        more: dict[str, object] = {}
        while True:
            page = self.get(path, limit=PAGE, **query, **more)
            yield from page.get("items") or ()
            token = (page.get("metadata") or {}).get("continue")
            if not token:
                return
            more = {"continue": token}

    def group(self, name: str) -> str | None:
        """The path of an API group in its preferred version; None when the cluster serves no such group."""
        try:
            return f"/apis/{self.get(f'/apis/{name}')['preferredVersion']['groupVersion']}"
        except Refused as refusal:
            if refusal.status == HTTPStatus.NOT_FOUND:
                return None
            raise

    def items_if_any(self, path: str) -> Iterator[dict[str, Any]]:
        """As `items`; nothing where the kind is not served."""
        try:
            yield from self.items(path)
        except Refused as refusal:
            if refusal.status != HTTPStatus.NOT_FOUND:
                raise


def _words(error: object) -> str:
    try:
        return str(json.loads(cast("Any", error).body)["message"])[:200]
    except (ValueError, KeyError, TypeError):
        return str(cast("Any", error).reason)


@contextmanager
def connected(endpoint: Endpoint, what: str) -> Generator[Api]:
    """The API of a cluster. Raises Failed, beginning with `what`, for whatever goes wrong while it is used."""
    from kubernetes import client
    from urllib3.exceptions import HTTPError

    settings: Any = client.Configuration()
    settings.host = endpoint.url
    settings.proxy = None if urlsplit(endpoint.url).hostname in ("127.0.0.1", "localhost") else settings.proxy
    settings.retries = 1
    with tempfile.TemporaryDirectory(prefix="gpukit-") as directory:
        if endpoint.url.startswith("https:"):
            authority = Path(directory) / "ca.crt"
            authority.write_bytes(b64decode(endpoint.authority))
            settings.ssl_ca_cert = str(authority)
        try:
            with client.ApiClient(settings, header_name="Authorization", header_value=f"Bearer {endpoint.token()}") as api:
                yield Api(api)
        except (Refused, HTTPError, OSError, ValueError, KeyError) as error:
            raise Failed(f"{what}: its API did not answer: {_short(error)}") from error


def _short(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= 200 else f"{text[:200]}…"


def look(endpoint: Endpoint, cluster: str, cloud: Cloud, pools: shapes.PoolNames, now: datetime) -> Seen:
    """Everything that matters of one cluster. `now` stands in for its clock where it tells none. Raises Failed."""
    with connected(endpoint, f"cluster {cluster}") as api:
        nodes = tuple(shapes.node(item, cloud, pools) for item in api.items("/api/v1/nodes"))
        pods, exporters = _pods(api, pools, {node.name for node in nodes if node.gpus != 0})
        nodes = shapes.with_aliases(nodes, exporters)
        queues = _queues(api)
        serves = shapes.serving(_serving(api))
        return Seen(read_at=api.date or now, nodes=nodes, pods=pods, queues=queues, serves=serves)


def _pods(api: Api, pools: shapes.PoolNames, gpu_nodes: Collection[str]) -> tuple[tuple[Pod, ...], list[tuple[str, tuple[str, ...]]]]:
    """GPU pods, those of jobs on GPU nodes, and where exporters run, in one pass."""
    pods: list[Pod] = []
    exporters: list[tuple[str, tuple[str, ...]]] = []
    for item in api.items("/api/v1/pods"):
        if (pod := shapes.pod(item, pools, gpu_nodes)) is not None:
            pods.append(pod)
        elif (exporter := shapes.exporter(item)) is not None:
            exporters.append(exporter)
    return tuple(pods), exporters


def _queues(api: Api) -> tuple[Queue, ...]:
    found: tuple[Queue, ...] = ()
    if (group := api.group(KUEUE)) is not None:
        found += shapes.kueue(api.items_if_any(f"{group}/clusterqueues"), api.items_if_any(f"{group}/workloads"))
    if (group := api.group(VOLCANO)) is not None:
        found += shapes.volcano(api.items_if_any(f"{group}/queues"))
    return found


def _serving(api: Api) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, kinds in _SERVING_GROUPS.items():
        if (group := api.group(name)) is not None:
            for plural, kind in kinds.items():
                yield from ((kind, item) for item in api.items_if_any(f"{group}/{plural}"))
    for plural, kind in (("deployments", "Deployment"), ("statefulsets", "StatefulSet")):
        yield from ((kind, item) for item in api.items(f"{_APPS}/{plural}"))
