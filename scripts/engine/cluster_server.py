"""The API server of a stack's one cluster, as the state describes it on each cloud, and the command that gives a token for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from components.azure.kubeconfig import AKS_SERVER_APP
from scripts.engine.state import State

Outputs = Mapping[str, Any]


@dataclass(frozen=True)
class Server:
    """Where a cluster answers."""

    cluster: str
    url: str
    authority: str
    """Certificate, base64, "" where the state does not hold it; not used with a plain address, which only a simulated cluster has."""
    id: str = ""
    """The provider's id of the cluster."""
    token_command: tuple[str, ...] = ()
    """The command that the kubeconfig names too; in the sandbox its stand-in answers. Prints an ExecCredential."""


def _eks(outputs: Outputs) -> Server | None:
    name = str(outputs.get("name"))
    command = ("aws", "eks", "get-token", "--cluster-name", name, "--output", "json")
    authority = (outputs.get("certificateAuthority") or {}).get("data", "")
    return Server(name, str(outputs["endpoint"]), str(authority), token_command=command) if outputs.get("endpoint") else None


def _gke(outputs: Outputs) -> Server | None:
    """GKE tells an address without scheme; a simulated cluster a whole URL."""
    endpoint = str(outputs.get("endpoint") or "")
    authority = (outputs.get("masterAuth") or {}).get("clusterCaCertificate", "")
    url = endpoint if "://" in endpoint else f"https://{endpoint}"
    return Server(str(outputs.get("name")), url, str(authority), token_command=("gke-gcloud-auth-plugin",)) if endpoint else None


def _aks(outputs: Outputs) -> Server | None:
    """AKS tells a name without scheme; a simulated cluster a whole URL. The certificate is in no output: `kubernetes_lookup` asks for it."""
    host = str(outputs.get("fqdn") or outputs.get("privateFQDN") or "")
    url = host if "://" in host else f"https://{host}:443"
    command = ("kubelogin", "get-token", "--login", "azurecli", "--server-id", AKS_SERVER_APP)
    return Server(str(outputs.get("name")), url, "", token_command=command) if host else None


READERS: Mapping[str, Callable[[Outputs], Server | None]] = {
    "aws:eks/cluster:Cluster": _eks,
    "gcp:container/cluster:Cluster": _gke,
    "azure-native:containerservice:ManagedCluster": _aks,
}
"""Cluster's type to its server; None while it has no address."""


def server_of(state: State) -> Server | None:
    """The one cluster in the state; None when there is none, or more than one."""
    found = [_read(each) for each in state.resources if each.get("type") in READERS]
    return found[0] if len(found) == 1 else None


def _read(resource: Mapping[str, Any]) -> Server | None:
    server = READERS[str(resource["type"])](cast("Outputs", resource.get("outputs") or {}))
    return replace(server, id=str(resource.get("id") or "")) if server else None
