from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
import urllib3

from scripts.sandbox.doors.http import OFF_LIMITS, DoorServer, Request, Response


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


@pytest.fixture
def serving(server: DoorServer) -> Iterator[str]:
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.port}"
    server.shutdown()


def test_as_a_proxy_the_server_serves_itself_and_refuses_every_other_host_with_words(serving: str):
    through = urllib3.ProxyManager(serving, retries=False)
    assert through.request("GET", f"{serving}/fine/a").json() == {"path": "/a"}
    refused = through.request("GET", "http://ec2.us-east-1.example.com/fine/a")
    assert refused.status == 403
    assert "nothing off the loopback is called: ec2.us-east-1.example.com" in refused.json()["message"]


def test_as_a_proxy_the_server_makes_no_tunnel(serving: str):
    with pytest.raises(urllib3.exceptions.ProxyError) as refused:
        urllib3.ProxyManager(serving, retries=False).request("GET", "https://eks.example.com/")
    assert OFF_LIMITS in str(refused.value.original_error)
