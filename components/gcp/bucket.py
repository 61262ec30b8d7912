"""A private bucket, and how long what it holds is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import pulumi
from pulumi_gcp import storage

from components.kept import kept_options, kept_tags
from components.naming import Identity

Use = Literal["checkpoint", "dataset", "model", "scratch"]
DAY_SECONDS = 86_400

SOFT_DELETED_DAYS: Mapping[Use, int] = {"checkpoint": 30, "dataset": 7, "model": 7, "scratch": 0}
"""Days in which what was overwritten or deleted comes back. A bucket with folders keeps no versions: this is what saves the last good
checkpoint from a job that overwrites it with a broken one. 7 is Google's own default; scratch is not worth what it bills.
"""
SCRATCH_DAYS = 30
UNFINISHED_UPLOAD_DAYS = 7
"""Judgement. Parts of an upload that never ended bill like objects and no listing shows them."""


@dataclass(frozen=True, kw_only=True)
class BucketArgs:
    use: Use
    region: str
    identity: Identity


class Bucket(pulumi.ComponentResource):
    """A bucket with real folders, closed to the public, under IAM alone; kept when the stack is destroyed."""

    name: pulumi.Output[str]

    def __init__(self, name: str, args: BucketArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:gcp:Bucket", name, {}, opts)
        bucket = storage.Bucket(
            name,
            location=args.region.upper(),
            force_destroy=False,
            hierarchical_namespace=storage.BucketHierarchicalNamespaceArgs(enabled=True),  # a checkpoint is renamed at once, not copied
            uniform_bucket_level_access=True,
            public_access_prevention="enforced",
            soft_delete_policy=storage.BucketSoftDeletePolicyArgs(retention_duration_seconds=SOFT_DELETED_DAYS[args.use] * DAY_SECONDS),
            lifecycle_rules=lifecycle(args.use),
            labels=kept_tags(args.identity, name),
            opts=kept_options(self),
        )
        self.name = bucket.name
        self.register_outputs({"name": self.name})


def lifecycle(use: Use) -> list[storage.BucketLifecycleRuleArgs]:
    """What ends by itself: uploads that never finished, everywhere; scratch objects."""
    rules = [_after(UNFINISHED_UPLOAD_DAYS, "AbortIncompleteMultipartUpload")]
    return [*rules, _after(SCRATCH_DAYS, "Delete")] if use == "scratch" else rules


def _after(days: int, action: str) -> storage.BucketLifecycleRuleArgs:
    return storage.BucketLifecycleRuleArgs(
        action=storage.BucketLifecycleRuleActionArgs(type=action), condition=storage.BucketLifecycleRuleConditionArgs(age=days)
    )
