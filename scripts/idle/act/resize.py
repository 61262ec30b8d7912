"""Sizes of pools, changed at the cloud that owns them."""

from __future__ import annotations

from scripts.errors import Failed
from scripts.idle.collect.clouds import Access
from scripts.idle.collect.found import Sizes, Wanted
from scripts.idle.collect.targets import Target


def zero(sizes: Sizes) -> Wanted:
    """No nodes; the maximum stays where the cloud lets it. EKS takes none below 1.

    AKS leaves the number of nodes to its autoscaler as long as it is on, so it goes off there.
    """
    return Wanted(minimum=0, desired=0, maximum=max(sizes.maximum, 1), scales=False)


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

                gcp.Gcp.of(target, access).resize(sizes, wanted)
            case "azure":
                from scripts.idle.collect import azure

                azure.Azure.of(target, access).resize(sizes, wanted)
    except ImportError as error:
        raise Failed(f"the client of {target.cloud} is not installed ({error}): install gpukit[{target.cloud}]") from error
