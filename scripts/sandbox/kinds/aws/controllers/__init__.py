"""Controllers in a simulated EKS cluster that make and delete things in AWS: load balancers, volumes, Karpenter's machines.

They act when the world is next asked for something, as controllers act some time after a change. Only what a cluster leaves behind, and
what holds it up, is simulated; a controller works as long as it is installed (a Deployment with replicas, an EKS add-on).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from scripts.sandbox.clouds import Due
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.kinds.aws.controllers import balancers, karpenter, volumes

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation


def due(world: Simulation) -> Iterator[Due]:
    """Work that the controllers of every running cluster have before them."""
    for record in list(world.store):
        if record.kind == t.CLUSTER and record.status == "ACTIVE":
            for part in (balancers, volumes, karpenter):
                yield from part.work(world, record)
