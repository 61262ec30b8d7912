"""A price list on the loopback: a function answers every request that a client makes over real HTTP."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Asked:
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: str

    @property
    def target(self) -> str:
        """Operation of an AWS JSON call."""
        return self.headers.get("x-amz-target", "").rpartition(".")[2]

    @property
    def form(self) -> Mapping[str, str]:
        """Fields of an AWS query call."""
        return {name: values[0] for name, values in parse_qs(self.body).items()}


@dataclass(frozen=True)
class Answer:
    body: str | Mapping[str, Any]
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)

    def bytes(self) -> bytes:
        return (self.body if isinstance(self.body, str) else json.dumps(self.body)).encode()


Respond = Callable[[Asked], Answer]


@contextmanager
def serving(respond: Respond):
    """Yields the address. Every request is answered by `respond`, in a thread of its own."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 1 << 16  # headers and body leave together: apart, each answer would wait 40 ms for an acknowledgement

        def handle_one(self) -> None:
            split = urlsplit(self.path)
            length = int(self.headers.get("content-length") or 0)
            query = {name: values[0] for name, values in parse_qs(split.query).items()}
            headers = {name.lower(): value for name, value in self.headers.items()}
            answer = respond(Asked(split.path, query, headers, self.rfile.read(length).decode()))
            payload = answer.bytes()
            self.send_response(answer.status)
            for name, value in {"content-length": str(len(payload)), **answer.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(payload)

        do_GET = do_POST = do_PUT = do_PATCH = handle_one  # noqa: N815 # the base class names them so

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 # the base class names it so
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
