"""One network interface of a node on a cloud that orders interfaces by their networks, not by cards."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Nic:
    """An interface as the node's system names it (`eth0`), its kind in the cloud's word, and the network that it belongs to."""

    name: str
    kind: str
    network: str
