"""The API server of a stack's one cluster, as the state describes it on each cloud, and the command that gives a token for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from scripts.engine.state import State

Outputs = Mapping[str, Any]


@dataclass(frozen=True)
class Server:
    """Where a cluster answers."""

    cluster: str
    url: str
    authority: str
    """Certificate, base64; not used with a plain address, which only a simulated cluster has."""
    token_command: tuple[str, ...] = ()
    """The command that the kubeconfig names too; in the sandbox its stand-in answers. Prints an ExecCredential."""


def _eks(outputs: Outputs) -> Server | None:
    name = str(outputs.get("name"))
    command = ("aws", "eks", "get-token", "--cluster-name", name, "--output", "json")
    authority = (outputs.get("certificateAuthority") or {}).get("data", "")
    return Server(name, str(outputs["endpoint"]), str(authority), command) if outputs.get("endpoint") else None


def _gke(outputs: Outputs) -> Server | None:
    """GKE tells an address without scheme; a simulated cluster a whole URL."""
    endpoint = str(outputs.get("endpoint") or "")
    authority = (outputs.get("masterAuth") or {}).get("clusterCaCertificate", "")
    url = endpoint if "://" in endpoint else f"https://{endpoint}"
    return Server(str(outputs.get("name")), url, str(authority), ("gke-gcloud-auth-plugin",)) if endpoint else None


READERS: Mapping[str, Callable[[Outputs], Server | None]] = {
    "aws:eks/cluster:Cluster": _eks,
    "gcp:container/cluster:Cluster": _gke,
}
"""Cluster's type to its server; None while it has no address."""


def server_of(state: State) -> Server | None:
    """The one cluster in the state; None when there is none, or more than one."""
    found = [
        READERS[str(each["type"])](cast("Outputs", each.get("outputs") or {})) for each in state.resources if each.get("type") in READERS
    ]
    return found[0] if len(found) == 1 else None
