"""A kubeconfig with one cluster, whose user runs a command for each token and therefore holds none (H7, H8)."""

from __future__ import annotations

from collections.abc import Mapping


def kubeconfig(*, name: str, server: str, authority: str, credentials: Mapping[str, object]) -> dict[str, object]:
    """The kubeconfig of cluster `name`, as JSON values (JSON is YAML). `authority` is the certificate, base64; `credentials` the exec part."""
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": {"server": server, "certificate-authority-data": authority}}],
        "users": [{"name": name, "user": {"exec": dict(credentials)}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        "current-context": name,
    }
