"""S3 buckets and their settings. A bucket's name is unique over all accounts and regions, its settings go with it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, cast

from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_S3 = "S3 API reference, error responses"
SETTINGS = (t.BUCKET_POLICY, t.BUCKET_VERSIONING, t.BUCKET_LIFECYCLE, t.BUCKET_ACCESS_BLOCK, t.BUCKET_ENCRYPTION)


def _admit_bucket(order: Order) -> None:
    name = order.text("bucket")
    if not re.fullmatch(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]", name) or ".." in name:
        raise Refusal(
            "InvalidBucketName",
            f"The specified bucket is not valid: {name}",
            source="S3 user guide, general purpose bucket naming rules: 3 to 63 of a-z, 0-9, dots and hyphens",
        )
    if order.before is None and any(other.kind == t.BUCKET and other.id == name for other in order.world.store):
        raise Refusal(
            "BucketAlreadyOwnedByYou",
            "Your previous request to create the named bucket succeeded and you already own it.",
            source=_S3,
            status=409,
        )


def _bucket_outputs(order: Order, id_: str) -> dict[str, Any]:
    return {
        "arn": f"arn:aws:s3:::{id_}",
        "bucket": id_,
        "bucketDomainName": f"{id_}.s3.amazonaws.com",
        "bucketRegionalDomainName": f"{id_}.s3.{order.region}.amazonaws.com",
        "bucketRegion": order.region,
        "region": order.region,
        "forceDestroy": order.inputs.get("forceDestroy", False),
        "objectLockEnabled": order.inputs.get("objectLockEnabled", False),
    }


def find_bucket(order: Order, name: object) -> Record:
    """The bucket in this region. Raises Refusal when there is none."""
    found = order.get(t.BUCKET, name)
    if found is None:
        raise Refusal("NoSuchBucket", f"The specified bucket does not exist: {name}", source=_S3, status=404)
    return found


def setting(bucket: Record, kind: str, world: Simulation) -> Record | None:
    """A bucket's setting of one kind, if it is made."""
    return world.store.get(kind, bucket.key, bucket.id)


def _admit_setting(order: Order) -> None:
    find_bucket(order, order.inputs.get("bucket"))


def _admit_policy(order: Order) -> None:
    bucket = find_bucket(order, order.inputs.get("bucket"))
    statements = _statements(order.inputs.get("policy"))
    block = setting(bucket, t.BUCKET_ACCESS_BLOCK, order.world)
    if block is not None and block.state.get("blockPublicPolicy") is True and any(map(_public, statements)):
        raise Refusal(
            "AccessDenied",
            "public policies are prevented by the BlockPublicPolicy setting in S3 Block Public Access",
            source="S3 user guide, blocking public access: BlockPublicPolicy",
            status=403,
        )


def _statements(text: object) -> list[dict[str, Any]]:
    try:
        policy = json.loads(text) if isinstance(text, str) else text
    except ValueError as error:
        raise Refusal("MalformedPolicy", f"Policies must be valid JSON: {error}", source=_S3) from error
    if not isinstance(policy, dict) or "Statement" not in policy:
        raise Refusal("MalformedPolicy", "Missing required field Statement", source=_S3)
    statement = cast("dict[str, Any]", policy)["Statement"]
    return cast("list[dict[str, Any]]", statement if isinstance(statement, list) else [statement])


def _public(statement: dict[str, Any]) -> bool:
    everyone = statement.get("Principal") in ("*", {"AWS": "*"})
    return statement.get("Effect") == "Allow" and everyone and not statement.get("Condition")


def _admit_lifecycle(order: Order) -> None:
    find_bucket(order, order.inputs.get("bucket"))
    ids = [rule.get("id") for rule in order.inputs.get("rules") or ()]
    if len(ids) != len(set(ids)):
        raise Refusal("InvalidArgument", "Rule ID must be unique. Found same ID for one or more rules", source=_S3)


def _drop_settings(world: Simulation, bucket: Record) -> None:
    for kind in SETTINGS:
        made = setting(bucket, kind, world)
        if made is not None:
            world.store.drop(made)


def _name(order: Order) -> str:
    return order.text("bucket")


_OWNED = frozenset({"bucket", "expectedBucketOwner"})
_ALGORITHM = "rules[].applyServerSideEncryptionByDefault.sseAlgorithm"
KINDS = (
    Kind(
        token=t.BUCKET,
        replace=frozenset({"bucket", "bucketPrefix", "objectLockEnabled"}),
        auto_name="bucket",
        name_limit=63,
        identify=_name,
        admit=_admit_bucket,
        outputs=_bucket_outputs,
        deleted=_drop_settings,
    ),
    Kind(token=t.BUCKET_POLICY, replace=frozenset({"bucket"}), identify=_name, admit=_admit_policy),
    Kind(token=t.BUCKET_ACCESS_BLOCK, replace=frozenset({"bucket"}), identify=_name, admit=_admit_setting),
    Kind(token=t.BUCKET_VERSIONING, replace=_OWNED, identify=_name, admit=_admit_setting),
    Kind(token=t.BUCKET_LIFECYCLE, replace=_OWNED, identify=_name, admit=_admit_lifecycle),
    Kind(
        token=t.BUCKET_ENCRYPTION,
        replace=_OWNED,
        identify=_name,
        admit=_admit_setting,
        closed_sets={_ALGORITHM: ("s3", "ServerSideEncryption")},
    ),
)
