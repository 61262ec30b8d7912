"""A provider of one kind of thing, in the test's own process: creates can be held up, and what exists outlives every engine."""

from __future__ import annotations

# ruff: noqa: ARG002, N802 - the gRPC contract fixes names and parameters
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc


@dataclass
class Shelf:
    """What exists. `hold` a name to keep its create from answering until `release` is set."""

    things: dict[str, dict[str, Any]] = field(default_factory=dict)
    hold: set[str] = field(default_factory=set)
    """Names whose create hangs after the thing was made."""
    hold_before: set[str] = field(default_factory=set)
    """Names whose create hangs before anything was made."""
    fail: set[str] = field(default_factory=set)
    held: threading.Event = field(default_factory=threading.Event)
    release: threading.Event = field(default_factory=threading.Event)
    made: list[str] = field(default_factory=list)


class Toys(provider_pb2_grpc.ResourceProviderServicer):
    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf

    def Attach(self, request, context):
        return empty_pb2.Empty()

    def GetPluginInfo(self, request, context):
        return plugin_pb2.PluginInfo(version="1.0.0")

    def CheckConfig(self, request, context):
        return provider_pb2.CheckResponse(inputs=request.news)

    def DiffConfig(self, request, context):
        return provider_pb2.DiffResponse(changes=provider_pb2.DiffResponse.DIFF_NONE)

    def Configure(self, request, context):
        return provider_pb2.ConfigureResponse(acceptSecrets=True, supportsPreview=True)

    def Check(self, request, context):
        return provider_pb2.CheckResponse(inputs=request.news)

    def Diff(self, request, context):
        same = request.old_inputs == request.news
        kind = provider_pb2.DiffResponse.DIFF_NONE if same else provider_pb2.DiffResponse.DIFF_SOME
        return provider_pb2.DiffResponse(changes=kind)

    def Create(self, request, context):
        if request.preview:
            return provider_pb2.CreateResponse(properties=request.properties)
        name = request.urn.rsplit("::", 1)[-1]
        if name in self.shelf.fail:
            context.abort(grpc.StatusCode.UNKNOWN, f"no capacity for {name}")
        if name in self.shelf.hold_before:
            self._hang()
        identity = f"thing-{len(self.shelf.made)}"
        self.shelf.things[identity] = {"name": name}
        self.shelf.made.append(name)
        if name in self.shelf.hold:
            self._hang()
        return provider_pb2.CreateResponse(id=identity, properties=request.properties)

    def Read(self, request, context):
        if request.id not in self.shelf.things:
            return provider_pb2.ReadResponse()
        return provider_pb2.ReadResponse(id=request.id, properties=request.properties, inputs=request.inputs)

    def Update(self, request, context):
        return provider_pb2.UpdateResponse(properties=request.news)

    def Delete(self, request, context):
        self.shelf.things.pop(request.id, None)
        return empty_pb2.Empty()

    def Cancel(self, request, context):
        return empty_pb2.Empty()

    def _hang(self) -> None:
        self.shelf.held.set()
        self.shelf.release.wait(60)


@contextmanager
def serving(shelf: Shelf) -> Iterator[int]:
    """The provider on a free loopback port."""
    server = grpc.server(ThreadPoolExecutor(16))
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(Toys(shelf), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield port
    finally:
        shelf.release.set()
        server.stop(0.5).wait()
