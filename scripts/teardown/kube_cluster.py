"""The target's API server through the Kubernetes client."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import tempfile
from base64 import b64decode
from collections.abc import Collection, Mapping
from http import HTTPStatus
from typing import Any, cast

from scripts.errors import Failed
from scripts.teardown.clouds.cloud import ClusterFacts
from scripts.teardown.cluster import Unreachable
from scripts.teardown.model import Thing

_SECONDS = 20
"""Longest wait for one answer."""
_MERGE = "application/merge-patch+json"
_BUILT_IN = frozenset(
    {
        "", "apps", "batch", "policy", "autoscaling", "networking.k8s.io", "storage.k8s.io", "scheduling.k8s.io", "node.k8s.io", "apiextensions.k8s.io",
        "rbac.authorization.k8s.io", "resource.k8s.io", "coordination.k8s.io", "admissionregistration.k8s.io",
    }
)  # fmt: skip
"""Groups whose kinds are called by their bare name here; others as `Kind.group`."""
_PAGE = 500


class KubeCluster:
    """One API server. Where its resources are is asked once."""

    def __init__(self, api: Any) -> None:
        self._api = api
        self._places: dict[str, str] = {}
        """Kind to the path of its list over all namespaces."""

    def find(self, kinds: Collection[str]) -> tuple[Thing, ...]:
        self._discover()
        return tuple(thing for kind in sorted(kinds) if kind in self._places for thing in self._list(kind))

    def delete(self, thing: Thing) -> None:
        """In the background: dependants go after their owner."""
        self._call("DELETE", str(thing.detail["path"]), {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"})

    def change(self, thing: Thing, body: Mapping[str, Any]) -> None:
        self._call("PATCH", str(thing.detail["path"]), body, _MERGE)

    def answers(self) -> bool:
        """Whether there is anyone. Raises Failed when the server answers and refuses us: that is no absence."""
        try:
            self._discover()
        except Unreachable:
            return False
        return True

    def _list(self, kind: str) -> list[Thing]:
        found: list[Thing] = []
        after = ""
        while True:
            query = [("limit", str(_PAGE)), *([("continue", after)] if after else [])]
            listed = self._call("GET", self._places[kind], query=query) or {}
            found += [self._thing(kind, item) for item in listed.get("items") or ()]
            after = str((listed.get("metadata") or {}).get("continue") or "")
            if not after:
                return found

    def _thing(self, kind: str, item: Mapping[str, Any]) -> Thing:
        metadata = item["metadata"]
        name, namespace = str(metadata["name"]), str(metadata.get("namespace") or "")
        stem, plural = self._places[kind].rsplit("/", 1)
        path = f"{stem}/namespaces/{namespace}/{plural}/{name}" if namespace else f"{stem}/{plural}/{name}"
        return Thing(
            kind=kind,
            id=f"{namespace}/{name}" if namespace else name,
            name=name,
            why="in the cluster",
            detail={"object": item, "path": path},
        )

    def _discover(self) -> None:
        if self._places:
            return
        places = self._resources("", "/api/v1")
        for group in (self._call("GET", "/apis") or {}).get("groups") or ():
            version = (group.get("preferredVersion") or group["versions"][0])["groupVersion"]
            places |= self._resources(str(group["name"]), f"/apis/{version}")
        self._places = places

    def _resources(self, group: str, path: str) -> dict[str, str]:
        """A group whose aggregated server is down answers 503: its kinds are not seen, and everything else is."""
        listed = self._call("GET", path, absent=(HTTPStatus.NOT_FOUND, HTTPStatus.SERVICE_UNAVAILABLE)) or {}
        own = [each for each in listed.get("resources") or () if "/" not in each["name"]]
        return {(each["kind"] if group in _BUILT_IN else f"{each['kind']}.{group}"): f"{path}/{each['name']}" for each in own}

    def _call(  # noqa: PLR0913 # one parameter a part of the request
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        content_type: str = "application/json",
        *,
        query: list[tuple[str, str]] | None = None,
        absent: tuple[int, ...] = (HTTPStatus.NOT_FOUND,),
    ) -> dict[str, Any] | None:
        """The answer's body; None for what is not there. Raises Unreachable, Failed."""
        from kubernetes.client.exceptions import ApiException
        from urllib3.exceptions import HTTPError

        try:
            answer = self._api.call_api(
                path,
                method,
                query_params=query or [],
                header_params={"Accept": "application/json", "Content-Type": content_type},
                body=dict(body) if body is not None else None,
                auth_settings=["BearerToken"],
                _preload_content=False,
                _request_timeout=_SECONDS,
            )
            return cast("dict[str, Any]", json.loads(answer[0].data))
        except ApiException as error:
            if error.status in absent:
                return None
            if not error.status:
                raise Unreachable(str(error)) from error
            if error.status == HTTPStatus.CONFLICT:
                return None  # asked again at the next look
            raise Failed(
                f"The cluster's API server refused {method} {path}: {error.status} {error.reason}. Run the teardown again to go on."
            ) from error
        except (HTTPError, OSError) as error:
            raise Unreachable(str(error)) from error
        except ValueError as error:
            raise Failed(
                f"The cluster's API server answered {method} {path} with something that is no JSON. Nothing more was changed."
            ) from error


def connect(facts: ClusterFacts, environment: Mapping[str, str], *, direct: bool) -> KubeCluster | None:
    """The cluster, when its API server answers. `direct`: no proxy of the environment is used (the simulated clouds).

    Raises Failed when no token can be had: without one nobody can say whether the server would answer.
    """
    if not facts.ready or not facts.endpoint:
        return None
    from kubernetes import client

    settings = client.Configuration(host=facts.endpoint)
    settings.api_key = {"authorization": f"Bearer {_token(facts, environment)}"}
    settings.retries = cast("Any", False)
    if direct:
        settings.proxy = None
    if facts.endpoint.startswith("https:"):
        settings.ssl_ca_cert = cast("Any", _written(b64decode(facts.authority)))
    cluster = KubeCluster(client.ApiClient(settings))
    return cluster if cluster.answers() else None


def _token(facts: ClusterFacts, environment: Mapping[str, str]) -> str:
    """By the command that the kubeconfig names too; in the sandbox its stand-in answers."""
    try:
        run = subprocess.run(facts.token_command, env=dict(environment), capture_output=True, text=True, timeout=60, check=True)
        return str(json.loads(run.stdout)["status"]["token"])
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, TypeError) as error:
        raise Failed(
            f"No token for cluster {facts.name} could be had by `{facts.token_command[0]}`: {error}. Nothing was changed. "
            f"Install or repair that command, or give --without-api."
        ) from error


def _written(certificate: bytes) -> str:
    """The client reads certificates from files only; this one lives as long as the process."""
    handle, path = tempfile.mkstemp(suffix=".crt")
    with os.fdopen(handle, "wb") as file:
        file.write(certificate)
    atexit.register(lambda: os.path.exists(path) and os.unlink(path))  # noqa: PTH108, PTH110 # no Path at the end of the process
    return path
