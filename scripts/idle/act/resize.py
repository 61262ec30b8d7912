"""Sizes of pools, changed at the cloud that owns them."""

from __future__ import annotations

from dataclasses import dataclass

from scripts.errors import Failed
from scripts.idle.collect.clouds import Access
from scripts.idle.collect.found import Sizes
from scripts.idle.collect.targets import Target


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Nodes that a pool should have."""

    minimum: int
    desired: int
    maximum: int

    def __post_init__(self) -> None:
        if not (0 <= self.minimum <= self.desired <= self.maximum and self.maximum >= 1):
            raise ValueError(f"sizes {self.minimum} <= {self.desired} <= {self.maximum}, with a maximum of at least 1, are expected")


def zero(sizes: Sizes) -> Wanted:
    """No nodes; the maximum stays, so that the pool can grow again when it is resumed. EKS takes none below 1."""
    return Wanted(minimum=0, desired=0, maximum=max(sizes.maximum, 1))


def resize(target: Target, sizes: Sizes, wanted: Wanted, access: Access) -> None:
    """Change one pool. Repeatable. Raises Failed when the cloud refuses or does not answer."""
    try:
        match target.cloud:
            case "aws":
                from scripts.idle.collect import aws

                config = {"minSize": wanted.minimum, "desiredSize": wanted.desired, "maxSize": wanted.maximum}
                cloud = aws.Aws(target, access.environment, access.paces)
                aws.told(
                    f"resize node group {sizes.group}",
                    lambda: cloud.ask(
                        "eks", "update_nodegroup_config", clusterName=target.cluster, nodegroupName=sizes.group, scalingConfig=config
                    ),
                )
            case "gcp":
                from scripts.idle.collect import gcp

                gcp.Gcp.of(target, access).resize(sizes, wanted.minimum, wanted.desired, wanted.maximum)
            case "azure":
                from scripts.idle.collect import azure

                azure.Azure.of(target, access).resize(sizes, wanted.minimum, wanted.desired, wanted.maximum)
    except ImportError as error:
        raise Failed(f"the client of {target.cloud} is not installed ({error}): install gpukit[{target.cloud}]") from error
