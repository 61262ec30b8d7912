"""Configuration per connection: each provider instance of the engine is one connection, and its calls name no instance."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from scripts.sandbox.place import Place


@dataclass(frozen=True)
class Connection:
    """One configured provider instance: where its resources live."""

    place: Place
    default_tags: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, str] = field(default_factory=dict)
    """What resources take that they do not give themselves: GCP's region and zone, Azure's location."""
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


def parsed(value: Any) -> Any:
    """Provider settings travel as strings; lists, objects, numbers and booleans as JSON text."""
    if isinstance(value, str) and value[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value
