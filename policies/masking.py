"""Secrets in the engine's requests, masked before the policy SDK takes the mark off them.

The SDK hands a policy the plain text of a secret, so that a rule would print it: a machine type, a region, an instance's name. The
engine marks secrets in what it sends; here, between its protocol and the SDK, each is replaced by the text that the engine itself prints
in its place. `adapter.value` reads that text as a secret again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from google.protobuf import struct_pb2
from pulumi.runtime.proto import analyzer_pb2, analyzer_pb2_grpc

from components.unknown import MASKED_SECRET

SIGNATURE = "4dabf18193072939515e22adb298388d"
SIGNED_SECRET = "1b47061264138c4ac30d75fd1eb44270"
"""The engine's mark: an object that has the second under the first (pulumi: `resource.SigKey`, `resource.SecretSig`)."""
_BYTES = SIGNED_SECRET.encode()


class Masked:
    """An analyzer before which every secret is masked. All other calls pass through: a remediation must give secrets back."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, method: str) -> Any:
        return getattr(self._inner, method)

    def Analyze(self, request: analyzer_pb2.AnalyzeRequest, context: Any) -> Any:  # noqa: N802 # the protocol's name
        mask(_held(request))
        return self._inner.Analyze(request, context)

    def AnalyzeStack(self, request: analyzer_pb2.AnalyzeStackRequest, context: Any) -> Any:  # noqa: N802 # the protocol's name
        for resource in request.resources:
            mask(_held(resource))
        return self._inner.AnalyzeStack(request, context)


def serve_masked() -> None:
    """From now on, analyzers that this process serves see no secret. The SDK registers its analyzer by this public function."""
    register = analyzer_pb2_grpc.add_AnalyzerServicer_to_server

    def registered(servicer: Any, server: Any) -> None:
        register(Masked(servicer), server)  # pyright: ignore[reportArgumentType] # it has the methods, which is all that is asked

    analyzer_pb2_grpc.add_AnalyzerServicer_to_server = registered


def mask(properties: Iterable[struct_pb2.Struct]) -> None:
    """Replace every secret in place. Most resources hold none, which is told without looking through them."""
    for held in properties:
        if _BYTES in held.SerializeToString():
            for value in held.fields.values():
                _mask(value)


def _held(resource: analyzer_pb2.AnalyzeRequest | analyzer_pb2.AnalyzerResource) -> tuple[struct_pb2.Struct, ...]:
    return (resource.properties, resource.provider.properties)


def _mask(value: struct_pb2.Value) -> None:
    kind = value.WhichOneof("kind")
    if kind == "list_value":
        for item in value.list_value.values:
            _mask(item)
    elif kind == "struct_value":
        fields = value.struct_value.fields
        if SIGNATURE in fields and fields[SIGNATURE].string_value == SIGNED_SECRET:
            value.string_value = MASKED_SECRET
            return
        for inner in fields.values():
            _mask(inner)
