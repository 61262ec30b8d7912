"""How to reach an EKS cluster: a kubeconfig that asks the AWS command line for a token each time and holds none itself (H7, H8)."""

from __future__ import annotations

from components.kubeconfig import kubeconfig


def exec_kubeconfig(*, name: str, endpoint: str, authority: str, region: str) -> dict[str, object]:
    """The kubeconfig of cluster `name`, as JSON values (JSON is YAML). `authority` is the certificate, base64."""
    return kubeconfig(name=name, server=endpoint, authority=authority, credentials=_get_token(name, region))


def _get_token(name: str, region: str) -> dict[str, object]:
    return {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": "aws",
        "args": ["eks", "get-token", "--cluster-name", name, "--region", region, "--output", "json"],
        "interactiveMode": "IfAvailable",
        "provideClusterInfo": False,
    }
