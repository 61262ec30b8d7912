"""The HTTP server of all API doors: one loopback port, a door per path prefix, every answer marked as simulated."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

MARK = ("X-Gpukit-Simulated", "true")
OFF_LIMITS = "[sandbox] nothing off the loopback is called"
_LIMIT = 64 << 20
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    """Without the door's prefix, percent-decoded; begins with `/`."""
    query: Mapping[str, list[str]]
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes
    door: str = ""
    """Prefix of the door that answers."""

    def one(self, name: str) -> str | None:
        return (self.query.get(name) or [None])[0]


@dataclass(frozen=True)
class Response:
    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    stream: Any = None
    """An iterator of chunks instead of a body (watches)."""
    hang_up: bool = False
    """No answer at all: the connection ends, as that of a server that is gone."""

    @classmethod
    def of_json(cls, value: Any, status: int = 200) -> Response:
        return cls(status, json.dumps(value).encode())


Door = Callable[[Request], Response]


class DoorServer(ThreadingHTTPServer):
    """Serves doors by path prefix on 127.0.0.1. `port` 0 takes a free one."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, port: int, doors: Mapping[str, Door]) -> None:
        self.doors = doors
        super().__init__(("127.0.0.1", port), _Handler)

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def serves(self, host: str) -> bool:
        """Whether `host` (name:port, of a request in a proxy's form) is this server. Some clients ask a proxy even for the loopback."""
        return host in (f"127.0.0.1:{self.port}", f"localhost:{self.port}")

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Only the loopback may come in."""
        del request
        return str(client_address[0]).startswith("127.")

    def answer(self, request: Request) -> Response:
        for prefix, door in self.doors.items():
            if request.path == prefix or request.path.startswith(f"{prefix}/"):
                inner = replace(request, path=request.path[len(prefix) :] or "/", door=prefix)
                try:
                    return door(inner)
                except Exception:  # noqa: BLE001  # one bad request must not end the connection without an answer; it is logged whole
                    _log.exception("%s %s", request.method, request.path)
                    return Response.of_json({"message": "the simulated world failed to answer; see server.log in its directory"}, 500)
        return Response.of_json({"message": f"no door at {request.path}: there are {', '.join(self.doors)}"}, 404)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    """Headers and body are two writes: without this every answer waits 40 ms for an acknowledgement of the first."""
    server: DoorServer  # pyright: ignore[reportIncompatibleVariableOverride]  # it is always made by that server

    def _serve(self) -> None:
        host = urlsplit(self.path).netloc  # only a request to a proxy has one
        if host and not self.server.serves(host):
            self._refuse(host)
            return
        length = int(self.headers.get("Content-Length") or 0)
        if length > _LIMIT:
            self._send(Response.of_json({"message": f"a request of {length} bytes is too large"}, 413))
            return
        parts = urlsplit(self.path)
        request = Request(
            self.command,
            unquote(parts.path),
            parse_qs(parts.query, keep_blank_values=True),
            {name.lower(): value for name, value in self.headers.items()},
            self.rfile.read(length) if length else b"",
        )
        self._send(self.server.answer(request))

    def _refuse(self, host: str) -> None:
        """The sandbox names this server as proxy, so that a call to any other host ends here, with words."""
        self.close_connection = True
        self._send(Response.of_json({"message": f"{OFF_LIMITS}: {host} is not called"}, 403), reason=OFF_LIMITS)

    def _tunnel(self) -> None:
        self._refuse(self.path)

    def _send(self, response: Response, *, reason: str | None = None) -> None:
        if response.hang_up:
            self.close_connection = True
            return
        self.send_response(response.status, reason)
        self.send_header(*MARK)
        self.send_header("Content-Type", response.content_type)
        for name, value in response.headers.items():
            self.send_header(name, value)
        if response.stream is None:
            self.send_header("Content-Length", str(len(response.body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(response.body)
            return
        self.send_header("Connection", "close")
        self.close_connection = True
        self.end_headers()
        for chunk in response.stream:
            self.wfile.write(chunk)
            self.wfile.flush()

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = _serve  # noqa: N815  # names that http.server asks for
    do_CONNECT = _tunnel  # noqa: N815

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the parent's signature
        _log.debug(format, *args)
