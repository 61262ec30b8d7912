"""The cloud of a target."""

from __future__ import annotations

from collections.abc import Mapping

from scripts.teardown.clouds.cloud import Cloud
from scripts.teardown.model import Target


def cloud_of(target: Target, environment: Mapping[str, str]) -> Cloud:
    """Its cloud's module is imported now, and no other's."""
    if target.cloud == "aws":
        from scripts.teardown.clouds.aws.cloud import AwsCloud

        return AwsCloud(target, environment)
    if target.cloud == "gcp":
        from scripts.teardown.clouds.gcp.cloud import GcpCloud

        return GcpCloud(target, environment)
    from scripts.teardown.clouds.azure import AzureCloud

    return AzureCloud(target, environment)
