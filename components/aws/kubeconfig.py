"""How to reach an EKS cluster: a kubeconfig that asks the AWS command line for a token each time and holds none itself (H7, H8)."""

from __future__ import annotations

from dataclasses import dataclass

from components.kubeconfig import kubeconfig


@dataclass(frozen=True, kw_only=True)
class TokenCommand:
    """How `aws eks get-token` is called, as `aws eks update-kubeconfig` writes it down."""

    region: str
    profile: str | None = None
    """Whose credentials ask, by the person's own AWS configuration; None: those of the moment."""
    role: str | None = None
    """ARN of the role that they take on first."""


def exec_kubeconfig(*, name: str, endpoint: str, authority: str, token: TokenCommand) -> dict[str, object]:
    """The kubeconfig of cluster `name`, as JSON values (JSON is YAML). `authority` is the certificate, base64."""
    return kubeconfig(name=name, server=endpoint, authority=authority, credentials=_get_token(name, token))


def _get_token(name: str, token: TokenCommand) -> dict[str, object]:
    assumed = ["--role-arn", token.role] if token.role else []
    environment = {"env": [{"name": "AWS_PROFILE", "value": token.profile}]} if token.profile else {}
    return {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": "aws",
        "args": ["eks", "get-token", "--cluster-name", name, "--region", token.region, "--output", "json", *assumed],
        **environment,
        "interactiveMode": "IfAvailable",
        "provideClusterInfo": False,
    }
