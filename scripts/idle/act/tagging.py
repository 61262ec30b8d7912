"""Tags of the cluster resource: the mutable ones, which roll no node."""

from __future__ import annotations

from collections.abc import Mapping

from components import idle_tags
from scripts.errors import Failed
from scripts.idle.collect.clouds import Access
from scripts.idle.collect.found import Found, Watched
from scripts.idle.collect.targets import Target


def tag(target: Target, found: Found, tags: Mapping[str, str], access: Access) -> None:
    """Add or change tags; others stay. Raises Failed when the cloud refuses or does not answer."""
    try:
        match target.cloud:
            case "aws":
                from scripts.idle.collect import aws

                cloud = aws.Aws(target, access.environment, access.paces)
                aws.told(
                    f"tag cluster {target.cluster}", lambda: cloud.ask("eks", "tag_resource", resourceArn=found.identity, tags=dict(tags))
                )
            case "gcp":
                from scripts.idle.collect import gcp

                gcp.Gcp.of(target, access).tag(tags)
            case "azure":
                from scripts.idle.collect import azure

                azure.Azure.of(target, access).tag(tags)
    except ImportError as error:
        raise Failed(f"the client of {target.cloud} is not installed ({error}): install gpukit[{target.cloud}]") from error


def forget(target: Target, watched: Watched, access: Access) -> None:
    """Take the idle watch's record off a node group. Repeatable. Raises Failed when AWS refuses or does not answer."""
    from scripts.idle.collect import aws

    cloud = aws.Aws(target, access.environment, access.paces)
    keys = [idle_tags.SIZES_KEY]
    aws.told(f"untag {watched.identity}", lambda: cloud.ask("eks", "untag_resource", resourceArn=watched.identity, tagKeys=keys))
