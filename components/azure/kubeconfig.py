"""How to reach an AKS cluster: a kubeconfig that asks kubelogin for a token each time and holds none itself (H7, H8).

Sources: kubelogin documentation, "get-token" and "Azure CLI"; AKS documentation, "Use kubelogin to authenticate users".
"""

from __future__ import annotations

import base64
from typing import Any

import yaml

from components.kubeconfig import kubeconfig

AKS_SERVER_APP = "6dae42f8-4368-4678-94ff-3960e28e3630"
"""The Entra application that stands for every AKS cluster; the same in every tenant of the public cloud."""


def exec_kubeconfig(*, name: str, endpoint: str, authority: str) -> dict[str, object]:
    """The kubeconfig of cluster `name`, as JSON values (JSON is YAML). `authority` is the certificate, base64."""
    return kubeconfig(name=name, server=endpoint, authority=authority, credentials=_get_token())


def endpoint_and_authority(credentials: str) -> tuple[str, str]:
    """Address and certificate of the API server from what AKS lists for its users (a kubeconfig, base64): the API gives the certificate
    nowhere else. Whatever else it holds is left out. Raises RuntimeError when there is no cluster in it.
    """
    try:
        given: Any = yaml.safe_load(base64.b64decode(credentials))
        cluster = given["clusters"][0]["cluster"]
        return str(cluster["server"]), str(cluster["certificate-authority-data"])
    except (ValueError, LookupError, TypeError, yaml.YAMLError) as error:
        raise RuntimeError("AKS lists no cluster in the credentials of its users: there is no way to reach the API") from error


def _get_token() -> dict[str, object]:
    return {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": "kubelogin",
        "args": ["get-token", "--login", "azurecli", "--server-id", AKS_SERVER_APP],
        "interactiveMode": "IfAvailable",
        "provideClusterInfo": False,
    }
