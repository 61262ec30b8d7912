"""Messages reach webhooks and mail servers; no address of one reaches any output."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from scripts.idle.act import notify
from scripts.sandbox.doors.http import DoorServer, Request, Response

SECRET = "T000-canary-B000"


@pytest.fixture
def hook() -> Iterator[tuple[str, list[Any]]]:
    seen: list[Any] = []

    def door(request: Request) -> Response:
        seen.append(json.loads(request.body))
        return Response(status=200 if "fail" not in request.path else 500)

    server = DoorServer(0, {"/hook": door})
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.port}/hook/{SECRET}", seen
    server.shutdown()
    server.server_close()


def test_a_webhook_gets_text_in_which_names_cannot_become_links(hook: tuple[str, list[Any]]) -> None:
    url, seen = hook
    assert notify.tell(["env:HOOK"], "lab is idle", "pod <!channel> & co", {"HOOK": url}) == []
    assert seen == [{"text": "*lab is idle*\npod &lt;!channel&gt; &amp; co"}]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("", "is not set"),
        (f"http://hooks.example.com/{SECRET}", "no https address"),
        (f"ftp://x/{SECRET}", "no https address"),
        (f"http://127.0.0.1:1/{SECRET}", "ConnectError"),
    ],
)
def test_what_goes_wrong_is_said_without_the_address(value: str, said: str) -> None:
    (problem,) = notify.tell(["env:HOOK"], "t", "x", {"HOOK": value})
    assert said in problem
    assert "HOOK" in problem
    assert SECRET not in problem


def test_a_refused_post_is_a_problem(hook: tuple[str, list[Any]]) -> None:
    url, _ = hook
    (problem,) = notify.tell(["env:HOOK"], "t", "x", {"HOOK": f"{url}/fail"})
    assert "HTTP 500" in problem
    assert SECRET not in problem


class Mail(socketserver.StreamRequestHandler):
    """As much of a mail server as one message needs."""

    def handle(self) -> None:
        self.wfile.write(b"220 here\r\n")
        body = False
        for line in self.rfile:
            if body:
                self.server.lines.append(line.decode())  # type: ignore[attr-defined]
                if line == b".\r\n":
                    body = False
                    self.wfile.write(b"250 taken\r\n")
                continue
            body = line.upper().startswith(b"DATA")
            self.wfile.write(b"354 go on\r\n" if body else b"221 bye\r\n" if line.upper().startswith(b"QUIT") else b"250 fine\r\n")


def test_mail_is_sent_by_the_server_that_the_environment_names() -> None:
    with socketserver.TCPServer(("127.0.0.1", 0), Mail) as server:
        server.lines = []  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        url = f"smtp://127.0.0.1:{server.server_address[1]}"
        assert notify.tell(["ml@example.com"], "lab is idle:\n21.96", "nothing used it", {notify.SMTP: url}) == []
        server.shutdown()
    text = "".join(server.lines)  # type: ignore[attr-defined]
    assert "To: ml@example.com" in text
    assert "Subject: lab is idle: 21.96" in text
    assert "nothing used it" in text


def test_an_address_without_a_mail_server_is_a_problem_and_the_others_are_told(hook: tuple[str, list[Any]]) -> None:
    url, seen = hook
    (problem,) = notify.tell(["ml@example.com", "env:HOOK"], "t", "x", {"HOOK": url})
    assert notify.SMTP in problem
    assert len(seen) == 1
