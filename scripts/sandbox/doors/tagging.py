"""Resource Groups Tagging API at the AWS door: everything in a region that carries tags."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from scripts.sandbox.doors.aws_call import Call, Handler, page, tag_list
from scripts.sandbox.kinds import tokens as t
from scripts.sandbox.store import Record

_LEFT_OUT = frozenset({t.SCALING_GROUP})
"""Kinds that carry tags but that this API does not list."""


def _get_resources(call: Call) -> Mapping[str, Any]:
    found = [
        (str(r.state["arn"]), {"ResourceARN": str(r.state["arn"]), "Tags": tag_list(r.tags)})
        for r in call.world.store.in_place(call.key)
        if r.state.get("arn") and r.tags and r.kind not in _LEFT_OUT and r.status != "terminated"
        if _typed(str(r.state["arn"]), call.given.get("ResourceTypeFilters", ())) and _tagged(r, call.given.get("TagFilters", ()))
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
