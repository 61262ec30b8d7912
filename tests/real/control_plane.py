"""A real Kubernetes control plane on the loopback: etcd, API server and controllers. No nodes run, and so no pod ever does.

A test plays the kubelet where one matters: it writes a pod's status, and takes a pod away that was asked to go.
"""

from __future__ import annotations

import json
import ssl
import time
from base64 import b64encode
from collections.abc import Callable, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.real.process import Server, free_ports
from tests.real.programs import needed

ADMIN, CONTROLLERS = "admin-token-of-a-test", "controllers-token-of-a-test"
_TOKENS = f'{ADMIN},admin,1,"system:masters"\n{CONTROLLERS},system:kube-controller-manager,2\n'
_NO_NODES = "*,-nodeipam,-cloud-node-lifecycle,-service-lb-controller,-node-lifecycle-controller"
"""The last one would call every node dead, since no kubelet renews its lease."""
_MERGE = {"Content-Type": "application/merge-patch+json"}
_SECONDS = 60


class ControlPlane:
    """Runs in `home` until `stop`."""

    def __init__(self, home: Path) -> None:
        programs = needed("etcd", "kube-apiserver", "kube-controller-manager")
        self._home = home
        store, peer, port, controllers = free_ports(4)
        self.url = f"https://127.0.0.1:{port}"
        self._servers: list[Server] = []
        try:
            self._start(programs, store, peer, port, controllers)
        except BaseException:
            self.stop()
            raise

    def _start(self, programs: tuple[Path, ...], store: int, peer: int, port: int, controllers: int) -> None:
        etcd, apiserver, manager = programs
        key, tokens, certificates = self._home / "accounts.pem", self._home / "tokens.csv", self._home / "certificates"
        key.write_bytes(_private_key())
        tokens.write_text(_TOKENS)
        clients, peers = f"http://127.0.0.1:{store}", f"http://127.0.0.1:{peer}"
        self._run(
            etcd, "--data-dir", self._home / "etcd", "--listen-client-urls", clients, "--advertise-client-urls", clients,
            "--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers, "--initial-cluster", f"default={peers}", "--unsafe-no-fsync",
        )  # fmt: skip
        server = self._run(
            apiserver, f"--etcd-servers={clients}", "--bind-address=127.0.0.1", f"--secure-port={port}", "--advertise-address=127.0.0.1",
            "--endpoint-reconciler-type=none", f"--cert-dir={certificates}", f"--token-auth-file={tokens}",
            f"--service-account-key-file={key}", f"--service-account-signing-key-file={key}",
            "--service-account-issuer=https://kubernetes.default.svc", "--service-cluster-ip-range=10.96.0.0/16", "--authorization-mode=RBAC",
            "--allow-privileged=true",  # as EKS, GKE and AKS have it
        )  # fmt: skip
        self.certificate = certificates / "apiserver.crt"
        server.wait((certificates / "apiserver.key").is_file)  # written after the certificate
        self._client = httpx.Client(
            base_url=self.url,
            verify=ssl.create_default_context(cafile=self.certificate),
            headers={"Authorization": f"Bearer {ADMIN}"},
            trust_env=False,
            timeout=30,
        )
        server.wait(self._ready)
        kubeconfig = self._home / "controllers.json"
        kubeconfig.write_text(json.dumps(self._kubeconfig(CONTROLLERS)))
        self._run(
            manager, f"--kubeconfig={kubeconfig}", f"--authentication-kubeconfig={kubeconfig}", f"--authorization-kubeconfig={kubeconfig}",
            "--bind-address=127.0.0.1", f"--secure-port={controllers}", "--leader-elect=false", "--use-service-account-credentials=true",
            f"--root-ca-file={self.certificate}", f"--service-account-private-key-file={key}", "--kube-api-qps=500", "--kube-api-burst=1000",
            f"--cert-dir={self._home / 'manager'}", f"--controllers={_NO_NODES}",
        ).wait(lambda: self.get("/api/v1/namespaces/default/serviceaccounts/default") is not None)  # fmt: skip

    def _run(self, *command: str | Path) -> Server:
        server = Server(command, self._home / f"{Path(command[0]).name}.log")
        self._servers.append(server)
        return server

    def _ready(self) -> bool:
        try:
            return self._client.get("/readyz").is_success
        except httpx.TransportError:
            return False

    def _kubeconfig(self, token: str) -> dict[str, Any]:
        return {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "it", "cluster": {"server": self.url, "certificate-authority": str(self.certificate)}}],
            "users": [{"name": "me", "user": {"token": token}}],
            "contexts": [{"name": "it", "context": {"cluster": "it", "user": "me"}}],
            "current-context": "it",
        }

    def stop(self) -> None:
        """Those that ask before those that answer."""
        for server in reversed(self._servers):
            server.stop()

    @property
    def authority(self) -> str:
        """Its certificate, base64, as a cloud tells it."""
        return b64encode(self.certificate.read_bytes()).decode()

    # Making and looking, past everything that is tested

    def get(self, path: str) -> dict[str, Any] | None:
        """The object, None when there is none."""
        answer = self._client.get(path)
        return None if answer.status_code == HTTPStatus.NOT_FOUND else _body(answer)

    def _serves(self, path: str) -> bool:
        """A kind that has just been defined answers 404, then 429 ("storage is (re)initializing"), then its objects."""
        return self._client.get(path).is_success

    def items(self, path: str) -> list[dict[str, Any]]:
        return (self.get(path) or {}).get("items") or []

    def make(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """A new object in the list at `path`."""
        return _body(self._client.post(path, json=body))

    def change(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        return _body(self._client.patch(path, content=json.dumps(body), headers=_MERGE))

    def delete(self, path: str, **options: Any) -> None:
        _body(self._client.request("DELETE", path, json={"kind": "DeleteOptions", "apiVersion": "v1", **options}))

    def status_of_post(self, path: str, body: Mapping[str, Any]) -> int:
        """What a request comes to that may be refused."""
        return self._client.post(path, json=body).status_code

    def refusal(self, path: str, body: Mapping[str, Any]) -> str:
        """Why the server would not take `body`, unknown and repeated fields included; empty where it would. Nothing is kept."""
        answer = self._client.post(path, json=body, params={"dryRun": "All", "fieldValidation": "Strict"})
        return "" if answer.is_success or answer.status_code == HTTPStatus.CONFLICT else answer.text

    def namespace(self, name: str) -> str:
        """A new one, with the account that its pods run under; returns its path."""
        self.make("/api/v1/namespaces", {"metadata": {"name": name}})
        path = f"/api/v1/namespaces/{name}"
        until(lambda: self.get(f"{path}/serviceaccounts/default") is not None, f"the account of {name}")
        return path

    def definition(self, group: str, kind: str, plural: str, scope: str = "Namespaced") -> None:
        """A kind of custom resources without rules, served once this returns."""
        schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
        self.make(
            "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
            {
                "metadata": {"name": f"{plural}.{group}"},
                "spec": {
                    "group": group,
                    "scope": scope,
                    "names": {"kind": kind, "plural": plural, "singular": kind.lower()},
                    "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
                },
            },
        )
        until(lambda: self._serves(f"/apis/{group}/v1/{plural}"), f"the kind {kind}")
        until(lambda: group in self._groups(), f"the group {group}")

    def _groups(self) -> set[str]:
        """Groups that discovery tells; it lags behind what is served."""
        return {each["name"] for each in (self.get("/apis") or {}).get("groups") or ()}


def until(there: Callable[[], bool], what: str) -> None:
    """Waits for what controllers do in their own time."""
    end = time.monotonic() + _SECONDS
    while not there():
        assert time.monotonic() < end, f"{what} did not come"
        time.sleep(0.1)


def _body(answer: httpx.Response) -> dict[str, Any]:
    assert answer.is_success, f"{answer.request.method} {answer.request.url.path}: {answer.status_code} {answer.text[:500]}"
    return answer.json()


def _private_key() -> bytes:
    return ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
