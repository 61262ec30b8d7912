"""Asks a stack's own cluster whether an object exists that the state does not know."""

from __future__ import annotations

import json
import ssl
import subprocess
from base64 import b64decode
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, cast

import httpx

from scripts.engine.cluster_server import Server, server_of
from scripts.engine.lookup import Absent, Answer, CannotTell, Exists, Leftover
from scripts.engine.state import PendingOperation, State
from scripts.errors import Failed

RELEASE = "kubernetes:helm.sh/v3:Release"
_SECONDS = 15


class KubernetesLookup:
    """Objects have names that a second create would meet, so a look by name tells. `environment` holds the token command's PATH."""

    def __init__(
        self, environment: Mapping[str, str], *, direct: bool, authority: Callable[[Server], str] = lambda server: server.authority
    ) -> None:
        """`authority` gives a cluster's certificate where the state does not hold it (base64)."""
        self._environment = environment
        self._direct = direct
        self._authority = authority

    def of(self, operation: PendingOperation, state: State) -> Answer:
        server = server_of(state)
        if server is None:
            return CannotTell("the state holds no single cluster to ask")
        metadata = _metadata(operation)
        name, namespace = metadata.get("name"), metadata.get("namespace") or "default"
        if not isinstance(name, str):
            return CannotTell("its name is not in the state")
        try:
            return self._ask(server, operation, name, str(namespace))
        except (httpx.HTTPError, ssl.SSLError, OSError, subprocess.SubprocessError, ValueError, KeyError) as error:
            raise Failed(
                f"Cluster {server.cluster} did not answer when asked for {operation.type} {name}: {error}. Nothing was changed."
            ) from error

    def settle(self, operation: PendingOperation, id_: str) -> None:
        """Objects take updates at any time."""

    def outside(self, state: State) -> tuple[Leftover, ...]:
        """Nothing: what is in a cluster goes with it."""
        del state
        return ()

    def _ask(self, server: Server, operation: PendingOperation, name: str, namespace: str) -> Answer:
        with self._client(server) as client:
            if operation.type == RELEASE:
                secrets = f"api/v1/namespaces/{namespace}/secrets"
                found = _json(client.get(secrets, params={"labelSelector": f"owner=helm,name={name}"}))
                return Exists((f"{namespace}/{name}",)) if found and found.get("items") else Absent()
            group, kind = api_of(operation)
            listed = [
                each for each in (_json(client.get(group)) or {}).get("resources", ()) if each["kind"] == kind and "/" not in each["name"]
            ]
            if not listed:
                return Absent("its kind is not served, so it was not made")
            namespaced = bool(listed[0]["namespaced"])
            place = f"{group}/namespaces/{namespace}" if namespaced else group
            there = _json(client.get(f"{place}/{listed[0]['name']}/{name}")) is not None
            return Exists((f"{namespace}/{name}" if namespaced else name,)) if there else Absent()

    def _client(self, server: Server) -> httpx.Client:
        secure = server.url.startswith("https:")
        trust: ssl.SSLContext | bool = ssl.create_default_context(cadata=b64decode(self._authority(server)).decode()) if secure else True
        headers = {"Authorization": f"Bearer {self._token(server)}"}
        return httpx.Client(base_url=server.url, headers=headers, verify=trust, timeout=_SECONDS, trust_env=not self._direct)

    def _token(self, server: Server) -> str:
        """By the command that the kubeconfig names too; in the sandbox its stand-in answers."""
        run = subprocess.run(server.token_command, env=dict(self._environment), capture_output=True, text=True, timeout=60, check=True)
        return str(json.loads(run.stdout)["status"]["token"])


def api_of(operation: PendingOperation) -> tuple[str, str]:
    """Path of the API group and kind: `kubernetes:apps/v1:Deployment` is served under `apis/apps/v1`."""
    _, version, kind = operation.type.split(":")
    version = str(operation.inputs.get("apiVersion") or version.removeprefix("core/"))
    return (f"apis/{version}" if "/" in version else f"api/{version}"), kind


def _metadata(operation: PendingOperation) -> Mapping[str, Any]:
    """Name and namespace: of a release in its inputs, of an object in its metadata."""
    if operation.type == RELEASE:
        return operation.inputs
    metadata = operation.inputs.get("metadata")
    return cast("Mapping[str, Any]", metadata) if isinstance(metadata, Mapping) else {}


def _json(answer: httpx.Response) -> dict[str, Any] | None:
    """The body; None for what is not there. Raises HTTPStatusError for any other refusal."""
    if answer.status_code == HTTPStatus.NOT_FOUND:
        return None
    return answer.raise_for_status().json()
