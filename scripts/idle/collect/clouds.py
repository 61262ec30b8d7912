"""Each cloud's inventory behind one question: what is there of this target?"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from scripts.errors import Failed
from scripts.idle.collect.found import Found
from scripts.idle.collect.listings import Listings
from scripts.idle.collect.pacing import Paces, limits
from scripts.idle.collect.targets import Target


@dataclass(frozen=True, kw_only=True)
class Access:
    """How clouds are reached: credentials (or a simulated cloud's address) by environment, and the pace of every API."""

    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    paces: Paces = field(default_factory=lambda: Paces(limits))
    sandbox: bool = False
    listings: Listings | None = None
    """Of one look; None: every question is asked anew, as acting needs it."""

    def shared(self) -> Access:
        """For looking at many clusters: what lists all of an account is asked once."""
        return self if self.listings is not None else replace(self, listings=Listings())

    def fresh(self) -> Access:
        return replace(self, listings=None)


def look(target: Target, access: Access, now: datetime) -> Found:
    """The target's cluster in its cloud. Raises Failed when the cloud refuses or does not answer."""
    try:
        match target.cloud:
            case "aws":
                from scripts.idle.collect import aws

                return aws.look(aws.Aws(target, access.environment, access.paces), now)
            case "gcp":
                from scripts.idle.collect import gcp

                return gcp.look(gcp.Gcp.of(target, access), now)
            case "azure":
                from scripts.idle.collect import azure

                return azure.look(azure.Azure.of(target, access), now)
    except ImportError as error:
        raise Failed(f"the client of {target.cloud} is not installed ({error}): install gpukit[{target.cloud}]") from error
