"""Resource Groups Tagging API at the AWS door: everything in a region that carries tags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from scripts.sandbox.doors.aws.call import Call, Handler, page, tag_list
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.store import Record

_LEFT_OUT = frozenset({t.SCALING_GROUP, t.ROLE, t.BUDGET})
"""Kinds that carry tags but that this API does not list."""


def _listed(call: Call) -> Iterator[Record]:
    """Records of the region, and what is global in an account in us-east-1. Ended instances stay listed for their hour."""
    places = [call.key, *([f"aws/{call.world.account('aws')}/global"] if call.region == "us-east-1" else [])]
    found = (r for place in places for r in call.world.store.in_place(place) if r.kind not in _LEFT_OUT)
    return (r for r in found if not call.world.faults.hides(r))


def arn_of(record: Record) -> str:
    """The ARN of a record, or nothing where its kind has none."""
    if record.kind == t.NAT_GATEWAY:  # the provider gives no arn for it
        _, account, region = record.key.split("/")
        return f"arn:aws:ec2:{region}:{account}:natgateway/{record.id}"
    return str(next((record.state[name] for name in ("arn", "accessEntryArn", "associationArn") if record.state.get(name)), ""))


def _get_resources(call: Call) -> Mapping[str, Any]:
    found = [
        (arn, {"ResourceARN": arn, "Tags": tag_list(r.tags)})
        for r in _listed(call)
        if r.tags and (arn := arn_of(r))
        if _typed(arn, call.given.get("ResourceTypeFilters", ())) and _tagged(r, call.given.get("TagFilters", ()))
    ]
    wanted = call.given.get("ResourceARNList")
    chosen = [(arn, item) for arn, item in found if not wanted or arn in wanted]
    items, token = page(chosen, call.given.get("PaginationToken"), call.given.get("ResourcesPerPage") or 50)
    return {"ResourceTagMappingList": items, "PaginationToken": token or ""}


def _typed(arn: str, wanted: Iterable[str]) -> bool:
    """`ec2` or `ec2:instance` against an ARN."""
    parts = arn.split(":", 5)
    kind = f"{parts[2]}:{parts[5].replace(':', '/').split('/', 1)[0]}"
    return not list(wanted) or any(kind == w or parts[2] == w for w in wanted)


def _tagged(record: Record, filters: Iterable[Mapping[str, Any]]) -> bool:
    return all(f["Key"] in record.tags and (not f.get("Values") or record.tags[f["Key"]] in f["Values"]) for f in filters)


HANDLERS: Mapping[str, Handler] = {"GetResources": _get_resources}
