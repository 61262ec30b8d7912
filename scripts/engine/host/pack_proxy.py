"""Stands before a policy pack until the engine has told stack, project and config.

The policy SDK reads them from its environment only, and the engine tells them by ConfigureStack only after the pack serves. So the
proxy answers first, starts the pack at ConfigureStack with that environment, and from then on passes raw messages through.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from typing import Any

import grpc
from pulumi.runtime.proto import analyzer_pb2

MESSAGE_BYTES = 400 << 20
"""A stack's resources arrive in one message; gRPC's default of 4 MB is too small for large ones."""
CHANNEL_OPTIONS = (("grpc.max_receive_message_length", MESSAGE_BYTES), ("grpc.max_send_message_length", MESSAGE_BYTES))

StartPack = Callable[[Mapping[str, str]], int]
"""Starts the pack with additional environment; gives its port, raises RuntimeError with its last words."""


class PackProxy(grpc.GenericRpcHandler):
    """Every method of `pulumirpc.Analyzer`, without looking inside but for the two that come before the pack runs."""

    def __init__(self, start: StartPack) -> None:
        self._start = start
        self._channel: Any = None
        self._starting = threading.Lock()

    def service(self, handler_call_details: Any) -> Any:
        path = str(handler_call_details.method)
        method = path.rsplit("/", 1)[-1]

        def answer(raw: bytes, context: Any) -> bytes:
            if method == "Handshake" and self._channel is None:
                return analyzer_pb2.AnalyzerHandshakeResponse().SerializeToString()
            return self._forward(path, raw, context, stack_environment(raw) if method == "ConfigureStack" else {})

        return grpc.unary_unary_rpc_method_handler(answer)

    def _forward(self, path: str, raw: bytes, context: Any, environment: Mapping[str, str]) -> bytes:
        try:
            return self._pack(environment).unary_unary(path)(raw)
        except grpc.RpcError as error:
            return context.abort(error.code(), error.details())
        except (RuntimeError, OSError) as error:
            return context.abort(grpc.StatusCode.UNKNOWN, f"could not start the policy pack: {error}")

    def _pack(self, environment: Mapping[str, str]) -> Any:
        with self._starting:
            if self._channel is None:
                self._channel = grpc.insecure_channel(f"127.0.0.1:{self._start(environment)}", options=CHANNEL_OPTIONS)
            return self._channel


def stack_environment(raw: bytes) -> dict[str, str]:
    """What the policy SDK reads, from a serialized AnalyzerStackConfigureRequest."""
    request = analyzer_pb2.AnalyzerStackConfigureRequest.FromString(raw)
    environment = {
        "PULUMI_ORGANIZATION": request.organization,
        "PULUMI_PROJECT": request.project,
        "PULUMI_STACK": request.stack,
        "PULUMI_DRY_RUN": "true" if request.dry_run else "false",
        "PULUMI_CONFIG": json.dumps(dict(request.config)),
        "PULUMI_CONFIG_SECRET_KEYS": json.dumps(list(request.config_secret_keys)),
    }
    return {name: value for name, value in environment.items() if value}
