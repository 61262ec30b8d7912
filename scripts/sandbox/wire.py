"""Pulumi property values on the wire: protobuf Structs to plain JSON and back, secrets and unknowns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from google.protobuf import struct_pb2

SIGNATURE = "4dabf18193072939515e22adb298388d"
SECRET = "1b47061264138c4ac30d75fd1eb44270"
OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4"
UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
_UNKNOWNS = frozenset(
    {
        UNKNOWN,
        "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
        "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
        "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
        "030794c1-ac77-496b-92df-f27374a8bd58",
        "e48ece36-62e2-4504-bad9-02848725956a",
        "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
    }
)
"""One sentinel per kind of value (pulumi_policy.proxy, pulumi.runtime.rpc)."""

Json = Any
"""Plain JSON: None, bool, int, float, str, list, dict."""


def decode(struct: struct_pb2.Struct) -> dict[str, Json]:
    """A Struct as plain JSON; whole numbers become int."""
    return {key: _decode(value) for key, value in struct.fields.items()}


def _decode(value: struct_pb2.Value) -> Json:
    kind = value.WhichOneof("kind")
    if kind == "struct_value":
        return decode(value.struct_value)
    if kind == "list_value":
        return [_decode(item) for item in value.list_value.values]
    if kind == "number_value":
        number = value.number_value
        return int(number) if number.is_integer() else number
    if kind == "string_value":
        return value.string_value
    return value.bool_value if kind == "bool_value" else None


def encode(value: Mapping[str, Json]) -> struct_pb2.Struct:
    struct = struct_pb2.Struct()
    for key, item in value.items():
        _encode(item, struct.fields[key])
    return struct


def _encode(value: Json, into: struct_pb2.Value) -> None:
    if value is None:
        into.null_value = struct_pb2.NULL_VALUE
    elif isinstance(value, bool):
        into.bool_value = value
    elif isinstance(value, int | float):
        into.number_value = value
    elif isinstance(value, str):
        into.string_value = value
    elif isinstance(value, Mapping):
        into.struct_value.SetInParent()
        for key, item in cast("Mapping[str, Json]", value).items():
            _encode(item, into.struct_value.fields[key])
    else:
        into.list_value.SetInParent()
        for item in cast("Iterable[Json]", value):
            _encode(item, into.list_value.values.add())


def is_unknown(value: Json) -> bool:
    """Whether the value itself (not something inside it) is still to be known."""
    if isinstance(value, str):
        return value in _UNKNOWNS
    return isinstance(value, dict) and cast("dict[str, Json]", value).get(SIGNATURE) == OUTPUT and "value" not in value


def has_unknown(value: Json) -> bool:
    if is_unknown(value):
        return True
    if isinstance(value, dict):
        return any(has_unknown(item) for item in cast("dict[str, Json]", value).values())
    return isinstance(value, list) and any(has_unknown(item) for item in cast("list[Json]", value))


def is_secret(value: Json) -> bool:
    return isinstance(value, dict) and cast("dict[str, Json]", value).get(SIGNATURE) == SECRET


def secret(value: Json) -> dict[str, Json]:
    return {SIGNATURE: SECRET, "value": value}


def plain(value: Json) -> Json:
    """The value without secret and output wrappers: for comparing and computing only, never for keeping."""
    if isinstance(value, dict):
        mapping = cast("dict[str, Json]", value)
        if mapping.get(SIGNATURE) in (SECRET, OUTPUT):
            return plain(mapping.get("value", UNKNOWN))
        return {key: plain(item) for key, item in mapping.items()}
    return [plain(item) for item in cast("list[Json]", value)] if isinstance(value, list) else value
