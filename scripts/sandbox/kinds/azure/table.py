"""All types of the simulated Azure that have a behaviour of their own."""

from __future__ import annotations

from scripts.sandbox.kinds.azure import (
    agent_pool,
    cluster,
    gateways,
    groups,
    identity,
    interfaces,
    lustre,
    machines,
    network,
    reservation,
    small,
    storage,
)
from scripts.sandbox.kinds.kind import Kind

_MODULES = (groups, network, gateways, interfaces, identity, reservation, machines, cluster, agent_pool, storage, lustre, small)
KINDS: tuple[Kind, ...] = tuple(kind for module in _MODULES for kind in module.KINDS)
