"""Types that hold data, or that data cannot do without: a destroy leaves them, and only a person deletes them. Pure."""

from __future__ import annotations

KEPT_TYPES = frozenset(
    {
        "gcp:compute/globalAddress:GlobalAddress",
        "gcp:lustre/instance:Instance",
        "gcp:servicenetworking/connection:Connection",
        "gcp:storage/bucket:Bucket",
    }
)
"""Beside them the VPC of a cluster with a file system stays."""
