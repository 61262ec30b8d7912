from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, cast

import pytest

from scripts.engine.aws_session import client

ANSWER = b"""<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>
<Arn>arn:aws:iam::1:user/u</Arn><UserId>u</UserId><Account>1</Account></GetCallerIdentityResult></GetCallerIdentityResponse>"""


class Cloud(HTTPServer):
    seen: list[str]


class Door(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        cast("Cloud", self.server).seen.append(str(self.headers["Authorization"]))
        self.send_response(200)
        self.send_header("Content-Length", str(len(ANSWER)))
        self.end_headers()
        self.wfile.write(ANSWER)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name in the standard library
        """Quiet."""


@pytest.fixture
def cloud() -> Iterator[Cloud]:
    server = Cloud(("127.0.0.1", 0), Door)
    server.seen = []
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    "ambient",
    [
        {"AWS_PROFILE": "canary"},
        {"AWS_DEFAULT_PROFILE": "canary"},
        {"AWS_CONFIG_FILE": "{files}/config", "AWS_SHARED_CREDENTIALS_FILE": "{files}/credentials"},
        {"AWS_CONFIG_FILE": "{files}/broken"},
        {"AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_ENDPOINT_URL_STS": "http://127.0.0.1:9"},
        {"AWS_ACCESS_KEY_ID": "canary", "AWS_SECRET_ACCESS_KEY": "canary", "AWS_SESSION_TOKEN": "canary"},
        {"AWS_USE_FIPS_ENDPOINT": "true", "AWS_CA_BUNDLE": "/nowhere", "AWS_MAX_ATTEMPTS": "canary"},
        {"HTTP_PROXY": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9"},
    ],
)
def test_in_the_sandbox_nothing_of_the_users_own_is_read(
    cloud: Cloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ambient: dict[str, str]
) -> None:
    (tmp_path / "config").write_text("[default]\nendpoint_url = http://127.0.0.1:9\nregion = canary\n")
    (tmp_path / "credentials").write_text("[default]\naws_access_key_id = canary\naws_secret_access_key = canary\n")
    (tmp_path / "broken").write_text("no section\n")
    for name, value in ambient.items():
        monkeypatch.setenv(name, value.format(files=tmp_path))
    environment = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{cloud.server_port}",
        "AWS_ACCESS_KEY_ID": "simulated",
        "AWS_SECRET_ACCESS_KEY": "simulated",
    }
    assert client("sts", "us-east-1", environment).get_caller_identity()["Account"] == "1"
    (authorization,) = cloud.seen
    assert "Credential=simulated/" in authorization
    assert "us-east-1" in authorization


def test_a_client_is_made_once_and_anew_for_another_question_or_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "other"):
        (tmp_path / name).write_text(f"[default]\naws_access_key_id = {name}\naws_secret_access_key = s\n")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "one"))
    first = client("sts", "us-east-1", {})
    assert client("sts", "us-east-1", {}) is first
    assert client("sts", "us-west-2", {}) is not first
    sandbox = {"AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_ACCESS_KEY_ID": "simulated", "AWS_SECRET_ACCESS_KEY": "simulated"}
    assert client("sts", "us-east-1", sandbox) is not first
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "other"))
    users = [each._request_signer._credentials.access_key for each in (first, client("sts", "us-east-1", {}))]
    assert users == ["one", "other"]
