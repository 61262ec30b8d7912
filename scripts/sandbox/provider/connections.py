"""Configuration per connection: each provider instance of the engine is one connection, and its calls name no instance."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import yaml

from scripts.sandbox.place import Place
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.simulation import Simulation

_CLUSTER_PATH = re.compile(r"^https?://127\.0\.0\.1(?::\d+)?/eks/(?P<region>[^/]+)/(?P<cluster>[^/]+)/?$")


@dataclass(frozen=True)
class Connection:
    """One configured provider instance: where its resources live."""

    place: Place
    default_tags: Mapping[str, str] = field(default_factory=dict)
    delete_unreachable: bool = False
    server: str = ""
    """Kubernetes: the API server's address, as the kubeconfig gives it."""
    namespace: str = ""


class Connections:
    """Connections by peer. Peers change between runs; stored objects are found by place, never by peer."""

    def __init__(self) -> None:
        self._by_peer: dict[str, Connection] = {}
        self._lock = threading.Lock()

    def put(self, peer: str, connection: Connection) -> None:
        with self._lock:
            self._by_peer[peer] = connection

    def get(self, peer: str) -> Connection | None:
        with self._lock:
            return self._by_peer.get(peer)


def aws(world: Simulation, args: Mapping[str, Any]) -> Connection:
    """Configure an AWS provider. Raises Refusal on a missing region and on an account that is not allowed."""
    settings = {name: parsed(value) for name, value in args.items()}
    region = settings.get("region")
    if not isinstance(region, str) or not region:
        raise Refusal(
            "InvalidClientConfig",
            "missing region: set aws:region or the provider's region",
            source="pulumi-aws: missing region configuration",
        )
    for name, wrong in (("allowedAccountIds", False), ("forbiddenAccountIds", True)):
        listed = settings.get(name)
        if isinstance(listed, list) and listed and (world.account in listed) is wrong:
            accounts = ", ".join(str(a) for a in cast("list[Any]", listed))
            raise Refusal(
                "AccountNotAllowed",
                f"AWS account ID not allowed: {world.account} ({name}: {accounts}). The simulated account is {world.account}.",
                source="Terraform AWS provider, aws-sdk-go-base: AWS account ID not allowed",
            )
    tags = settings.get("defaultTags")
    inner = cast("dict[str, Any]", tags).get("tags") if isinstance(tags, dict) else None
    return Connection(Place("aws", world.account, region), {k: str(v) for k, v in cast("dict[str, Any]", inner or {}).items()})


def kubernetes(world: Simulation, args: Mapping[str, Any]) -> Connection:
    """Configure a Kubernetes provider by its kubeconfig. Raises Refusal when it does not lead to a simulated cluster's address."""
    settings = {name: parsed(value) for name, value in args.items()}
    server, namespace = _server_of(settings.get("kubeconfig"), settings.get("context"), settings.get("cluster"))
    match = _CLUSTER_PATH.match(server)
    if match is None:
        raise Refusal(
            "Unreachable",
            f"the kubeconfig's API server {server or '(none)'} is outside of the simulated world: nothing off the loopback is called",
            source="this world's own rule",
        )
    place = Place("aws", world.account, match["region"]).in_cluster(match["cluster"])
    lenient = settings.get("deleteUnreachable") in (True, "true")
    return Connection(place, delete_unreachable=lenient, server=server, namespace=str(settings.get("namespace") or namespace))


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


def parsed(value: Any) -> Any:
    """Provider settings travel as strings; lists, objects, numbers and booleans as JSON text."""
    if isinstance(value, str) and value[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value
