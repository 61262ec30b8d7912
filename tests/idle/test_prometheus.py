"""Which endpoint is asked, with which credentials, and what its refusals become."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs

import pytest

from scripts.errors import BadInput, Failed
from scripts.idle.collect import prometheus
from scripts.idle.collect.prometheus import Metrics, named
from scripts.sandbox.doors.http import DoorServer, Request, Response

from .traces import NOW

Serve = Callable[[Callable[[Request], Response]], str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    servers: list[DoorServer] = []

    def start(door: Callable[[Request], Response]) -> str:
        server = DoorServer(0, {"/p": door})
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.port}/p"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def look(url: str, **other: Any) -> prometheus.Told:
    return prometheus.look(Metrics(url=url, **other), now=NOW, window_minutes=60, step=60, requests_hours=24)


def answers(series: dict[str, list[dict[str, Any]]], asked: list[str] | None = None) -> Callable[[Request], Response]:
    """An endpoint that knows metrics by name, whatever function is asked of them."""

    def door(request: Request) -> Response:
        if request.path.endswith("/values"):
            return Response.of_json({"status": "success", "data": sorted(series)})
        query = parse_qs(request.body.decode())["query"][0]
        if asked is not None:
            asked.append(query)
        found = next((v for name, v in series.items() if f"({name}[" in query or f"({name}{{" in query), [])
        return Response.of_json({"status": "success", "data": {"resultType": "matrix", "result": found}})

    return door


def test_the_stack_own_variable_comes_before_the_common_one() -> None:
    environment = {
        "GPUKIT_PROMETHEUS_URL": "https://common.example.com",
        "GPUKIT_PROMETHEUS_URL_AWS_DEV": "https://own.example.com/{cluster}/",
        "GPUKIT_PROMETHEUS_MATCH": 'cluster="{cluster}"',
        "GPUKIT_PROMETHEUS_TOKEN": "canary-token",
    }
    own, other = named("lab", "aws-dev", environment), named("lab", "other", environment)
    assert own is not None
    assert other is not None
    assert (own.url, other.url) == ("https://own.example.com/lab", "https://common.example.com")
    assert own.match == 'cluster="lab"'
    assert "canary-token" not in repr(own)
    assert named("lab", "x", {}) is None


@pytest.mark.parametrize("url", ["prometheus:9090", "ftp://x", "https://user:canary@x", "https://"])
def test_an_address_that_is_none_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(BadInput) as raised:
        named("lab", "x", {"GPUKIT_PROMETHEUS_URL": url})
    assert "canary" not in str(raised.value)


@pytest.mark.parametrize("match", ["cluster=lab", "x", 'a="b" c="d"'])
def test_matchers_that_would_hide_gpus_are_refused(match: str) -> None:
    with pytest.raises(BadInput, match="label matchers"):
        named("lab", "x", {"GPUKIT_PROMETHEUS_URL": "https://p", "GPUKIT_PROMETHEUS_MATCH": match})


def test_a_token_goes_into_the_header_and_into_no_error(serve: Serve) -> None:
    seen: list[str | None] = []

    def door(request: Request) -> Response:
        seen.append(request.headers.get("authorization"))
        return Response.of_json({"status": "error", "error": "who are you"}, 401)

    with pytest.raises(Failed, match="401 who are you") as raised:
        look(serve(door), headers={"Authorization": "Bearer canary"})
    assert seen == ["Bearer canary"]
    assert "canary" not in str(raised.value)


@pytest.mark.parametrize(
    "response",
    [
        Response(hang_up=True),
        Response(body=b"<html>", content_type="text/html"),
        Response(body=b'{"status":"success","data":null}'),
        Response(status=503, body=b"busy"),
    ],
)
def test_an_endpoint_that_answers_nonsense_is_a_failure_never_no_data(serve: Serve, response: Response) -> None:
    with pytest.raises(Failed, match="did not answer"):
        look(serve(lambda _: response))


def test_silence_between_scrapes_is_seen_as_counters_are_asked_step_by_step(serve: Serve) -> None:
    asked: list[str] = []
    gpu = {"Hostname": "n", "gpu": "0"}
    told = look(serve(answers({"DCGM_FI_DEV_GPU_UTIL": [{"metric": gpu, "values": [[NOW.timestamp(), "3"]]}]}, asked)), match='a="b"')
    assert asked == ['max_over_time(DCGM_FI_DEV_GPU_UTIL{a="b"}[60s])', 'min_over_time(DCGM_FI_DEV_GPU_UTIL{a="b"}[60s])']
    assert told.series[0].metric == {**gpu, "__name__": "DCGM_FI_DEV_GPU_UTIL"}


def test_a_counter_that_fell_silent_is_still_expected(serve: Serve) -> None:
    told = look(serve(answers({"DCGM_FI_DEV_GPU_UTIL": []})))
    assert told.counters == ("DCGM_FI_DEV_GPU_UTIL",)
    assert told.series == ()


def test_requests_are_counted_and_the_last_one_is_known(serve: Serve) -> None:
    at = NOW.timestamp() - 7200
    told = look(serve(answers({"vllm:request_success_total": [{"metric": {}, "values": [[at - 300, "0"], [at, "2.4"], [at + 300, "0"]]}]})))
    assert told.requests is not None
    assert told.requests.count == 2
    assert told.requests.last == datetime.fromtimestamp(at, UTC)


def test_without_a_counter_of_requests_they_are_unknown(serve: Serve) -> None:
    assert look(serve(answers({"DCGM_FI_DEV_GPU_UTIL": []}))).requests is None
