"""A private bucket, and how long what it holds is kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import pulumi
from pulumi_aws import s3

from components.kept import kept_options, kept_tags
from components.naming import Identity

Use = Literal["checkpoint", "dataset", "model", "scratch"]

VERSIONED: frozenset[Use] = frozenset({"checkpoint"})
"""A job that overwrites its last good checkpoint with a broken one loses nothing."""
OLD_VERSIONS_DAYS = 30
SCRATCH_DAYS = 30
UNFINISHED_UPLOAD_DAYS = 7
"""Judgement. Parts of an upload that never ended bill like objects and no listing shows them."""


@dataclass(frozen=True, kw_only=True)
class BucketArgs:
    use: Use
    identity: Identity


class Bucket(pulumi.ComponentResource):
    """An S3 bucket without public access, encrypted, reached over TLS only; kept with all its settings when the stack is destroyed."""

    name: pulumi.Output[str]
    """Known once the bucket is closed to the public."""
    arn: pulumi.Output[str]

    def __init__(self, name: str, args: BucketArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:aws:Bucket", name, {}, opts)
        kept = kept_options(self)
        self._bucket = s3.Bucket(name, force_destroy=False, tags=kept_tags(args.identity, name), opts=kept)
        closed = s3.BucketPublicAccessBlock(
            name,
            bucket=self._bucket.bucket,
            block_public_acls=True,
            block_public_policy=True,
            ignore_public_acls=True,
            restrict_public_buckets=True,
            opts=kept,
        )
        self._over_tls_only(name, closed)
        self._encrypted(name)
        self._expiring(name, args.use, self._versioned(name, args.use))
        self.name = pulumi.Output.all(self._bucket.bucket, closed.id).apply(lambda known: str(known[0]))
        self.arn = self._bucket.arn
        self.register_outputs({"name": self.name})

    def _over_tls_only(self, name: str, closed: pulumi.Resource) -> None:
        s3.BucketPolicy(
            name,
            bucket=self._bucket.bucket,
            policy=self._bucket.arn.apply(lambda arn: json.dumps(tls_only(arn))),
            opts=kept_options(self, depends_on=[closed]),  # S3 refuses two changes of a bucket's policy settings at once
        )

    def _encrypted(self, name: str) -> None:
        """With keys that S3 keeps: no key of ours to pay for, or to lose."""
        by_default = s3.BucketServerSideEncryptionConfigurationRuleApplyServerSideEncryptionByDefaultArgs(sse_algorithm="AES256")
        rule = s3.BucketServerSideEncryptionConfigurationRuleArgs(apply_server_side_encryption_by_default=by_default)
        s3.BucketServerSideEncryptionConfiguration(name, bucket=self._bucket.bucket, rules=[rule], opts=kept_options(self))

    def _versioned(self, name: str, use: Use) -> list[pulumi.Resource]:
        if use not in VERSIONED:
            return []
        enabled = s3.BucketVersioningVersioningConfigurationArgs(status="Enabled")
        return [s3.BucketVersioning(name, bucket=self._bucket.bucket, versioning_configuration=enabled, opts=kept_options(self))]

    def _expiring(self, name: str, use: Use, after: Sequence[pulumi.Resource]) -> None:
        s3.BucketLifecycleConfiguration(name, bucket=self._bucket.bucket, rules=lifecycle(use), opts=kept_options(self, depends_on=after))


def tls_only(arn: str) -> dict[str, object]:
    """Refuses every request that is not over TLS. Source: S3 User Guide, "Security best practices", aws:SecureTransport."""
    return {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "TlsOnly",
                "Effect": "Deny",
                "Principal": "*",
                "Action": "s3:*",
                "Resource": [arn, f"{arn}/*"],
                "Condition": {"Bool": {"aws:SecureTransport": "false"}},
            }
        ],
    }


def lifecycle(use: Use) -> list[s3.BucketLifecycleConfigurationRuleArgs]:
    """What ends by itself: uploads that never finished, everywhere; scratch objects; what a checkpoint replaced."""
    whole = s3.BucketLifecycleConfigurationRuleFilterArgs(prefix="")
    rules = [
        s3.BucketLifecycleConfigurationRuleArgs(
            id="unfinished-uploads",
            status="Enabled",
            filter=whole,
            abort_incomplete_multipart_upload=s3.BucketLifecycleConfigurationRuleAbortIncompleteMultipartUploadArgs(
                days_after_initiation=UNFINISHED_UPLOAD_DAYS
            ),
        )
    ]
    if use in VERSIONED:
        old = s3.BucketLifecycleConfigurationRuleNoncurrentVersionExpirationArgs(noncurrent_days=OLD_VERSIONS_DAYS)
        rules.append(
            s3.BucketLifecycleConfigurationRuleArgs(id="old-versions", status="Enabled", filter=whole, noncurrent_version_expiration=old)
        )
    if use == "scratch":
        end = s3.BucketLifecycleConfigurationRuleExpirationArgs(days=SCRATCH_DAYS)
        rules.append(s3.BucketLifecycleConfigurationRuleArgs(id="scratch", status="Enabled", filter=whole, expiration=end))
    return rules
