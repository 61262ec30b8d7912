"""What a registration answers in a preview: the inputs, but where an SDK reads its outputs in another shape than it writes its inputs.

azure-native's providers answer a preview by the shape of the outputs, too: what does not fit is unknown.
"""

from __future__ import annotations

from google.protobuf import struct_pb2

from .wire import UNKNOWN

AZURE = "azure-native:"
_IDENTITY, _USERS = "identity", "userAssignedIdentities"
"""Identities are written as a list of ids and read as a mapping, in a hundred modules of the SDK."""


def echoed(type_: str, inputs: struct_pb2.Struct) -> struct_pb2.Struct:
    """The outputs of a resource that is registered with `inputs`; the same object where nothing differs."""
    if not type_.startswith(AZURE) or not _lists_identities(inputs):
        return inputs
    answer = struct_pb2.Struct()
    answer.CopyFrom(inputs)
    answer.fields[_IDENTITY].struct_value.fields[_USERS].string_value = UNKNOWN
    return answer


def _lists_identities(inputs: struct_pb2.Struct) -> bool:
    if _IDENTITY not in inputs.fields or _USERS not in inputs.fields[_IDENTITY].struct_value.fields:
        return False  # asked first: reading a field of a map that is not there would add it
    return inputs.fields[_IDENTITY].struct_value.fields[_USERS].HasField("list_value")
