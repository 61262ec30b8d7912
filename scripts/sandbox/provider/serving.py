"""gRPC servers of the provider door: one port per package, on the loopback only."""

from __future__ import annotations

from concurrent import futures
from dataclasses import dataclass

import grpc
from pulumi.runtime.proto import provider_pb2_grpc

from scripts.sandbox.provider.packages import package
from scripts.sandbox.provider.service import Provider
from scripts.sandbox.simulation import Simulation

_WORKERS = 64
"""More than any `--parallel`: operations wait in their thread while simulated time passes."""
_OPTIONS = (("grpc.max_receive_message_length", 400 << 20), ("grpc.max_send_message_length", 400 << 20), ("grpc.so_reuseport", 0))


@dataclass(frozen=True)
class Serving:
    server: grpc.Server
    port: int

    def stop(self) -> None:
        self.server.stop(grace=0.5).wait(2)


def serve(world: Simulation, name: str) -> Serving:
    server = grpc.server(futures.ThreadPoolExecutor(_WORKERS, thread_name_prefix=f"{name}-provider"), options=_OPTIONS)
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(Provider(world, package(name)), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    return Serving(server, port)
