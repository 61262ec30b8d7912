"""The engine's property encoding: protobuf to plain JSON, without the plain text of any secret."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from google.protobuf import struct_pb2

UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
SIGNATURE = "4dabf18193072939515e22adb298388d"
SECRET = "1b47061264138c4ac30d75fd1eb44270"
OUTPUT_VALUE = "d0e6a833031e9bbcd3f4e8bde6ca49a4"

Hide = Callable[[Any], None]
"""Takes the plain JSON of a secret."""


def plain(struct: struct_pb2.Struct, hide: Hide) -> dict[str, Any]:
    """`struct` as JSON with sorted keys. What secrets contain goes to `hide` and nowhere else."""
    fields = struct.fields
    return {key: _value(fields[key], hide) for key in sorted(fields)}


def _value(value: struct_pb2.Value, hide: Hide) -> Any:
    kind = value.WhichOneof("kind")
    if kind == "string_value":
        return value.string_value
    if kind == "struct_value":
        return _object(value.struct_value, hide)
    if kind == "list_value":
        return [_value(item, hide) for item in value.list_value.values]
    if kind == "number_value":
        return value.number_value
    return value.bool_value if kind == "bool_value" else None


def _object(struct: struct_pb2.Struct, hide: Hide) -> Any:
    fields = struct.fields
    if SIGNATURE in fields and _hidden(struct):
        if "value" in fields:
            hide(_value(fields["value"], hide))
        return {SIGNATURE: SECRET}
    return plain(struct, hide)


def _hidden(struct: struct_pb2.Struct) -> bool:
    signature = struct.fields[SIGNATURE].string_value
    return signature == SECRET or (signature == OUTPUT_VALUE and struct.fields["secret"].bool_value)
