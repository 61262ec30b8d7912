"""A log bucket of the cluster's own."""

from __future__ import annotations

from dataclasses import dataclass

import pulumi
from pulumi_gcp import logging


@dataclass(frozen=True, kw_only=True)
class LogsArgs:
    project: str
    region: str
    cluster: str
    location: str
    """Of the cluster."""
    days: int


def cluster_logs(name: str, args: LogsArgs, parent: pulumi.Resource) -> logging.ProjectSink:
    """A bucket that keeps the cluster's logs for `days`, and the sink that fills it; Google's own keeps them beside it."""
    own = pulumi.ResourceOptions(parent=parent)
    bucket = logging.ProjectBucketConfig(
        f"{name}-logs", project=args.project, location=args.region, bucket_id=f"{args.cluster}-logs", retention_days=args.days, opts=own
    )
    return logging.ProjectSink(
        f"{name}-logs",
        project=args.project,
        destination=pulumi.Output.concat("logging.googleapis.com/", bucket.id),
        filter=f'resource.labels.cluster_name="{args.cluster}" AND resource.labels.location="{args.location}"',
        unique_writer_identity=True,
        opts=own,
    )
