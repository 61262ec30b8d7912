from __future__ import annotations

from collections.abc import Iterator

import pytest

from scripts.sandbox.doors.http import DoorServer, Request, Response


@pytest.fixture
def server() -> Iterator[DoorServer]:
    def broken(_: Request) -> Response:
        raise ZeroDivisionError

    server = DoorServer(0, {"/fine": lambda request: Response.of_json({"path": request.path}), "/broken": broken})
    yield server
    server.server_close()


def request(path: str) -> Request:
    return Request("GET", path, {}, {}, b"")


@pytest.mark.parametrize(("peer", "let_in"), [("127.0.0.1", True), ("127.8.8.8", True), ("10.0.0.1", False), ("192.168.1.7", False)])
def test_only_the_loopback_comes_in(server: DoorServer, peer: str, let_in: bool):
    assert server.verify_request(None, (peer, 1)) is let_in
    assert server.server_address[0] == "127.0.0.1"


def test_a_door_sees_its_path_without_its_prefix(server: DoorServer):
    assert server.answer(request("/fine/a/b")).body == b'{"path": "/a/b"}'
    assert server.answer(request("/fine")).body == b'{"path": "/"}'
    assert server.answer(request("/finer")).status == 404


def test_a_failing_door_answers_without_its_traceback(server: DoorServer):
    answer = server.answer(request("/broken"))
    assert answer.status == 500
    assert b"ZeroDivision" not in answer.body
