"""How NCCL reaches other nodes: transport, plugin, environment and the bandwidth below which the fabric is not in use (A16)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from types import MappingProxyType
from typing import Literal, cast

from .machine_types import Machine
from .names import Cloud, cloud_named
from .tables import Row, as_of, number, rows, source, words

TransportName = Literal["efa", "tcpx", "tcpxo", "gib", "infiniband"]
EVERY_FAMILY = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Transport:
    """What NCCL needs on the machines of some families. Bandwidths are all-reduce bus bandwidth at 8-16 GB messages, in GB/s."""

    cloud: Cloud
    families: tuple[str, ...]
    """`*` for every family of the cloud that has no row of its own."""
    transport: TransportName
    log_marker: str
    """Text that NCCL logs when it uses the transport: without it, a passing job proves nothing."""
    floor_gb_s: float | None
    good_gb_s: float | None
    plugin: str | None
    sidecar: str | None
    env: Mapping[str, str]
    notes: str
    source: str
    as_of: date | None


@cache
def transports(cloud: str) -> tuple[Transport, ...]:
    """Transports of the cloud. Raises UnknownName for an unknown cloud."""
    known_cloud = cloud_named(cloud)
    return tuple(_transport(known_cloud, row) for row in rows("transports") if row["cloud"] == known_cloud)


def transport(machine: Machine) -> Transport | None:
    """The transport of a machine with a fast fabric: its family's own, else the cloud's; None where neither is held."""
    if machine.fabric is None:
        return None
    held = transports(machine.cloud)
    own = next((t for t in held if machine.family in t.families), None)
    return own or next((t for t in held if EVERY_FAMILY in t.families), None)


def _transport(cloud: Cloud, row: Row) -> Transport:
    pairs = (entry.partition("=") for entry in words(row["env"]))
    return Transport(
        cloud=cloud,
        families=words(row["families"]),
        transport=cast("TransportName", row["transport"]),
        log_marker=row["log_marker"],
        floor_gb_s=number(row["floor_gb_s"]),
        good_gb_s=number(row["good_gb_s"]),
        plugin=row["plugin"] or None,
        sidecar=row["sidecar"] or None,
        env=MappingProxyType({name: value for name, _, value in pairs}),
        notes=row["notes"],
        source=source(row),
        as_of=as_of(row),
    )
