"""The cloud of a target."""

from __future__ import annotations

from collections.abc import Mapping

from scripts.errors import Refused
from scripts.teardown.clouds.cloud import Cloud
from scripts.teardown.model import Target


def cloud_of(target: Target, environment: Mapping[str, str]) -> Cloud:
    """Its cloud's module is imported now, and no other's. Raises Refused where there is none yet."""
    if target.cloud == "aws":
        from scripts.teardown.clouds.aws.cloud import AwsCloud

        return AwsCloud(target, environment)
    raise Refused(f"Teardown on {target.cloud} is not built yet: nothing was changed. `gpukit destroy` ends what its state holds.")
