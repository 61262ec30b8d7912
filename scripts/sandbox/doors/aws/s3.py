"""S3 at the AWS door: which buckets there are and how they are set. No objects: nothing is stored in this world."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.sandbox import kinds
from scripts.sandbox.doors.aws.call import Call, Handler, tag_list
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.kinds.aws.bucket import setting
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

_S3 = "S3 API reference, error responses"


def _bucket(call: Call) -> Record:
    name = call.given.get("Bucket")
    found = next((r for r in call.world.store if r.kind == t.BUCKET and r.id == name), None)
    if found is None:
        raise Refusal("NoSuchBucket", "The specified bucket does not exist", source=_S3, status=404)
    return found


def _list(call: Call) -> Mapping[str, Any]:
    """All of the account's buckets, whatever their region."""
    found = sorted((r for r in call.world.store if r.kind == t.BUCKET), key=lambda r: r.id)
    shown = [{"Name": r.id, "CreationDate": r.created, "BucketRegion": r.state["bucketRegion"]} for r in found]
    return {"Buckets": shown, "Owner": {"ID": call.world.account("aws")}}


def _tags(call: Call) -> Mapping[str, Any]:
    bucket = _bucket(call)
    if not bucket.tags:
        raise Refusal("NoSuchTagSet", "The TagSet does not exist", source=_S3, status=404)
    return {"TagSet": tag_list(bucket.tags)}


def _versioning(call: Call) -> Mapping[str, Any]:
    made = setting(_bucket(call), t.BUCKET_VERSIONING, call.world)
    return {"Status": made.state["versioningConfiguration"]["status"]} if made else {}


def _access_block(call: Call) -> Mapping[str, Any]:
    made = setting(_bucket(call), t.BUCKET_ACCESS_BLOCK, call.world)
    if made is None:
        message = "The public access block configuration was not found"
        raise Refusal("NoSuchPublicAccessBlockConfiguration", message, source=_S3, status=404)
    names = ("BlockPublicAcls", "IgnorePublicAcls", "BlockPublicPolicy", "RestrictPublicBuckets")
    return {"PublicAccessBlockConfiguration": {name: bool(made.state.get(name[0].lower() + name[1:])) for name in names}}


def _delete(call: Call) -> Mapping[str, Any]:
    call.world.delete(kinds.kind(t.BUCKET), _bucket(call))
    return {}


HANDLERS: Mapping[str, Handler] = {
    "ListBuckets": _list,
    "GetBucketTagging": _tags,
    "GetBucketVersioning": _versioning,
    "GetPublicAccessBlock": _access_block,
    "DeleteBucket": _delete,
}
