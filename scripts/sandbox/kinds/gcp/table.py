"""All types of the simulated GCP that have a behaviour of their own."""

from __future__ import annotations

from scripts.sandbox.kinds.gcp import balancing, bucket, cluster, compute, filesystems, iam, nat, network, node_pool, reserved, small

_MODULES = (network, nat, balancing, compute, reserved, cluster, node_pool, iam, bucket, filesystems, small)
KINDS = tuple(kind for module in _MODULES for kind in module.KINDS)
