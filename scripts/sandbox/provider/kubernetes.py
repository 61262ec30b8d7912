"""pulumi-kubernetes's own ways: its provider leads to a simulated cluster by the kubeconfig that it is given."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import yaml

from scripts.sandbox import clouds
from scripts.sandbox.provider.connections import Connection, parsed
from scripts.sandbox.provider.packages import Package
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.simulation import Simulation


def _configure(world: Simulation, args: Mapping[str, Any]) -> Connection:
    """Configure a Kubernetes provider by its kubeconfig. Raises Refusal when it does not lead to a simulated cluster's address."""
    settings = {name: parsed(value) for name, value in args.items()}
    server, namespace = _server_of(settings.get("kubeconfig"), settings.get("context"), settings.get("cluster"))
    address = urlsplit(server)
    found = clouds.addressed(world, address.path) if address.hostname == "127.0.0.1" else None
    if found is None or found[1]:
        raise Refusal(
            "Unreachable",
            f"the kubeconfig's API server {server or '(none)'} is outside of the simulated world: nothing off the loopback is called",
            source="this world's own rule",
        )
    lenient = settings.get("deleteUnreachable") in (True, "true")
    return Connection(found[0], delete_unreachable=lenient, server=server, namespace=str(settings.get("namespace") or namespace))


def _server_of(kubeconfig: object, context: object, cluster: object) -> tuple[str, str]:
    if isinstance(kubeconfig, str) and "\n" not in kubeconfig and len(kubeconfig) < 1024 and Path(kubeconfig).is_file():
        kubeconfig = Path(kubeconfig).read_text()
    config = yaml.safe_load(kubeconfig) if isinstance(kubeconfig, str) else kubeconfig
    if not isinstance(config, dict):
        return "", ""
    document = cast("dict[str, Any]", config)
    chosen = _named(document.get("contexts"), context or document.get("current-context")).get("context") or {}
    entry = _named(document.get("clusters"), cluster or chosen.get("cluster")).get("cluster") or {}
    return str(entry.get("server", "")), str(chosen.get("namespace", ""))


def _named(entries: object, name: object) -> dict[str, Any]:
    listed = cast("list[dict[str, Any]]", entries) if isinstance(entries, list) else []
    return next((e for e in listed if e.get("name") == name), {})


PACKAGE = Package(
    name="kubernetes",
    distribution="pulumi-kubernetes",
    configure=_configure,
    place=lambda connection, _kind, _inputs, _id: connection.place,
)
