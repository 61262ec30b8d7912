"""How to reach a GKE cluster: a kubeconfig that asks Google's plugin for a token each time and holds none itself (H7, H8)."""

from __future__ import annotations

from components.kubeconfig import kubeconfig


def exec_kubeconfig(*, name: str, endpoint: str, authority: str) -> dict[str, object]:
    """The kubeconfig of cluster `name`, as JSON values. `endpoint` is an address, as GKE gives it, or an address with its scheme."""
    server = endpoint if "://" in endpoint else f"https://{endpoint}"
    return kubeconfig(name=name, server=server, authority=authority, credentials=_plugin())


def _plugin() -> dict[str, object]:
    return {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": "gke-gcloud-auth-plugin",
        "interactiveMode": "IfAvailable",
        "provideClusterInfo": True,
    }
