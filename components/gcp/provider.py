"""The one Google provider of a stack."""

from __future__ import annotations

import pulumi
import pulumi_gcp as gcp

PROVIDER_NAME = "gcp"


def project_provider(project: str, region: str, opts: pulumi.ResourceOptions | None = None) -> gcp.Provider:
    """The provider of `project` in `region`: whatever it makes lies there, whoever runs the program."""
    return gcp.Provider(PROVIDER_NAME, project=project, region=region, opts=opts)
