"""All types of the simulated AWS that have a behaviour of their own."""

from __future__ import annotations

from scripts.sandbox.kinds.aws import (
    addresses,
    bucket,
    budget,
    cluster,
    cluster_parts,
    functions,
    iam,
    launch_template,
    lustre,
    network,
    node_group,
    reservation,
    routes,
    security,
    small,
)

_MODULES = (
    *(network, addresses, routes, security, launch_template, iam, cluster, cluster_parts, node_group, small),
    *(bucket, lustre, budget, reservation, functions),
)
KINDS = tuple(kind for module in _MODULES for kind in module.KINDS)
