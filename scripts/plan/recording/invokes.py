"""Provider functions without a provider: a closed list is answered, everything else is unknown.

Program code may read a plain answer at once (`aws.get_availability_zones().names[0]`), so an unknown plain answer has to be a value:
texts are the engine's sentinel for unknown, which every place that they reach turns into an unknown again.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pulumi
from pulumi.runtime.proto import provider_pb2, resource_pb2

from .wire import UNKNOWN

RESPONSE: Any = getattr(resource_pb2, "ResourceInvokeResponse", None) or provider_pb2.InvokeResponse
OLD_SDK = "unknown" not in RESPONSE.DESCRIPTOR.fields_by_name
"""The program's own SDK may be older than the word for "this answer is unknown"."""

_ASSUMED_ZONES = "abc"
_DEEPEST = 4
"""Nesting of answer types that is filled; deeper ones are left out."""

Answer = tuple[dict[str, Any], str]
"""(result, note): the note says what was assumed, "" when the result is a fact of the configuration."""


def answer(token: str, region: str | None) -> Answer | None:
    """The answer of a known function in `region`, None when nobody can know it offline."""
    known = _KNOWN.get(token)
    return known(region) if known is not None and region is not None else None


def response(result: Mapping[str, Any]) -> Any:
    found = RESPONSE()
    getattr(found, "return").update(result)
    return found


def unknown_response() -> Any:
    return response({"unknown": UNKNOWN}) if OLD_SDK else RESPONSE(unknown=True)


def _region(region: str) -> Answer:
    return {"name": region, "region": region, "id": region}, ""


def _partition(region: str) -> Answer:
    """Partitions are told by the region's name (AWS General Reference, Amazon Resource Names)."""
    partition, suffix = "aws", "amazonaws.com"
    if region.startswith("us-gov-"):
        partition = "aws-us-gov"
    elif region.startswith("cn-"):
        partition, suffix = "aws-cn", "amazonaws.com.cn"
    reverse = ".".join(reversed(suffix.split(".")))
    return {"id": partition, "partition": partition, "dnsSuffix": suffix, "reverseDnsPrefix": reverse}, ""


def _zones(region: str) -> Answer:
    """A zone is called by its region and a letter; which letters an account sees differs, so these are an assumption."""
    names = [region + letter for letter in _ASSUMED_ZONES]
    note = f"zones of {region} are assumed to be {', '.join(names)}: an account may see others"
    return {"id": region, "region": region, "names": names, "zoneIds": [UNKNOWN] * len(names), "groupNames": [region]}, note


_KNOWN: dict[str, Callable[[str], Answer]] = {
    "aws:index/getRegion:getRegion": _region,
    "aws:index/getPartition:getPartition": _partition,
    "aws:index/getAvailabilityZones:getAvailabilityZones": _zones,
}


@contextmanager
def plain_answers(unanswered: Collection[str]) -> Generator[None]:
    """While open, a plain invoke without an answer yields a stand-in of its type instead of None, on which the SDK would stumble."""
    runtime: Any = pulumi.runtime
    real = runtime.invoke

    def invoke(tok: str, props: Any, opts: Any = None, typ: type | None = None, *more: Any, **keys: Any) -> Any:
        result = real(tok, props, opts, typ, *more, **keys)
        # older SDKs cannot mark an answer as unknown: there `unanswered` tells
        known = getattr(result, "is_known", True) and not (OLD_SDK and tok in unanswered)
        if not known and typ is not None:
            result.value = stand_in(typ)
        return result

    runtime.invoke = invoke
    try:
        yield
    finally:
        runtime.invoke = real


def stand_in(typ: type, depth: int = 0) -> Any:
    """An instance of an SDK answer type whose texts are unknown; numbers, booleans and maps, which cannot say so, are absent."""
    names = list(inspect.signature(typ).parameters)
    return typ(**{name: _filled(_type_of(typ, name), depth) for name in names})


def _type_of(typ: type, name: str) -> Any:
    prop = inspect.getattr_static(typ, name, None)
    if not isinstance(prop, property) or prop.fget is None:
        return None
    try:
        return typing.get_type_hints(inspect.unwrap(prop.fget)).get("return")
    except (NameError, TypeError):
        return None


def _filled(hint: Any, depth: int) -> Any:
    options = [o for o in typing.get_args(hint) if o is not type(None)] if typing.get_origin(hint) is typing.Union else [hint]
    hint = options[0]
    if hint is str:
        return UNKNOWN
    if typing.get_origin(hint) in (Sequence, list):
        inner = _filled(typing.get_args(hint)[0], depth + 1)
        return [inner] if inner is not None else None
    is_answer = inspect.isclass(hint) and hint.__module__.split(".")[0] not in ("builtins", "typing") and depth < _DEEPEST
    return stand_in(hint, depth + 1) if is_answer and typing.get_origin(hint) is None else None
