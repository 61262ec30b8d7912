"""Serve the language host until the engine is gone, and leave no process behind."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
from pulumi.runtime.proto import language_pb2_grpc

from scripts.engine.host.children import Children
from scripts.engine.host.lifetime import end_of_engine
from scripts.engine.host.pack_proxy import CHANNEL_OPTIONS
from scripts.engine.host.servicer import LanguageHost

WORKERS = 32
"""Run and RunPlugin each hold one worker for as long as program and packs live."""


def serve(engine: str) -> None:
    """Print the port on the first line, serve, and end the process (never returns)."""
    children = Children()
    ended = end_of_engine()
    server: Any = grpc.server(ThreadPoolExecutor(WORKERS), options=CHANNEL_OPTIONS)
    language_pb2_grpc.add_LanguageRuntimeServicer_to_server(LanguageHost(engine, children), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    ended.wait()
    children.terminate_all()
    server.stop(0.2).wait(1)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # gRPC's worker threads would hold an ordinary exit until their calls end
