"""A real Prometheus, with pages of the DCGM exporter in it, asked through the client: its verdicts are those of the recorded file."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from scripts.idle import record
from scripts.idle.collect import prometheus
from scripts.idle.collect.prometheus import Metrics, Told
from scripts.idle.files import load
from scripts.idle.signals import Cluster
from scripts.idle.verdict import Status, Verdict, verdict
from scripts.sandbox.doors.http import DoorServer, Request, Response
from tests.real.prometheus import Prometheus

from .traces import NODE, cluster, pod

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("real-prometheus")]

PAGES = {path.stem: path.read_text() for path in (Path(__file__).parent / "data").glob("*.prom")}
SCRAPE_SECONDS = 30
MINUTES = 70
"""Somewhat more than the window of an hour."""

TRACES: dict[str, Callable[[float], str | None]] = {
    "idle": lambda _: "rest",
    "active": lambda _: "work",
    "hung": lambda _: "hung",
    "checkpoint": lambda ago: "rest" if ago < 40 else "work",
    "blip": lambda ago: "work" if 30 <= ago < 31 else "rest",
    "outage": lambda ago: None if 20 <= ago < 35 else "rest",
    "silent": lambda ago: None if ago < 15 else "rest",
    "woke": lambda ago: "hung" if ago < 3 else "rest",
}
"""The page that the exporter served so many minutes ago; None: it did not answer."""
EXPECTED = {
    "idle": Status.IDLE, "active": Status.ACTIVE, "hung": Status.HUNG, "checkpoint": Status.ACTIVE, "blip": Status.ACTIVE,
    "outage": Status.UNKNOWN, "silent": Status.UNKNOWN, "woke": Status.ACTIVE,
}  # fmt: skip
_SAMPLE = re.compile(r"(\w+)\{(.*)\} (\S+)")
_LABEL = re.compile(r'(\w+)="([^"]*)"')

Sample = tuple[str, str, str]
"""Name, labels as they are written, value."""


def samples(page: str) -> list[Sample]:
    return [(found[1], found[2], found[3]) for line in page.splitlines() if (found := _SAMPLE.fullmatch(line))]


def scrapes(trace: Callable[[float], str | None], until: float) -> Iterator[tuple[float, list[Sample]]]:
    """Each scrape's time and what it brought, oldest first."""
    pages = {name: samples(page) for name, page in PAGES.items()}
    for seconds in range(MINUTES * 60, -1, -SCRAPE_SECONDS):
        page = trace(seconds / 60)
        if page is not None:
            yield until - seconds, pages[page]


def history(until: float) -> Iterator[str]:
    """All traces in one Prometheus, each under the name of its cluster; and the requests that one model server counted."""
    for name, trace in TRACES.items():
        for at, page in scrapes(trace, until):
            yield from (f'{counter}{{cluster="{name}",{labels}}} {value} {at:.3f}' for counter, labels, value in page)
    yield "# TYPE vllm:request_success counter"
    for minutes in range(25 * 60, -1, -1):
        asked = 2 + min(max(181 - minutes, 0), 6)
        yield f'vllm:request_success_total{{cluster="asked",model_name="llm"}} {asked} {until - minutes * 60:.3f}'
        yield f'vllm:request_success_total{{cluster="unasked",model_name="llm"}} 2 {until - minutes * 60:.3f}'
    yield "# TYPE tgi_request_count unknown"
    for minutes in range(242, 237, -1):
        yield f'tgi_request_count{{cluster="started-for-one",pod="llm-0"}} 1 {until - minutes * 60:.3f}'


def recorded(name: str, now: datetime, home: Path) -> Cluster:
    """The same pages through a file of signals, without any Prometheus."""
    found: dict[tuple[str, str], list[tuple[float, str]]] = {}
    for at, page in scrapes(TRACES[name], now.timestamp()):
        for counter, labels, value in page:
            found.setdefault((counter, labels), []).append((at, value))
    series = [
        {"metric": {"__name__": counter, **dict(_LABEL.findall(labels))}, "values": values}
        for (counter, labels), values in sorted(found.items(), key=lambda each: (each[0][0], _uuid(each[0][1])))
    ]
    told = training(now, series=series, counters=sorted({counter for counter, _ in found}))
    record.save(home / "record.json", record.of(now, (told,)))
    return load(home / "record.json").clusters[0]


def _uuid(labels: str) -> str:
    return dict(_LABEL.findall(labels))["UUID"]


def training(now: datetime, **changes: object) -> Cluster:
    """The training cluster of the traces, with its present moved to `now`."""
    sources = [{"name": name, "read_at": now.isoformat(), "error": None} for name in ("kubernetes", "dcgm")]
    nodes = [{"name": NODE, "pool": "a100", "created": (now - timedelta(hours=9)).isoformat(), "gpus": 8}]
    return cluster(**{"sources": sources, "nodes": nodes, **changes})


@dataclass
class Exporter:
    """An exporter whose page can be changed while Prometheus scrapes it. Of the trace `live` alone."""

    page: str = "rest"
    _server: DoorServer = field(init=False)

    def __post_init__(self) -> None:
        self._server = DoorServer(0, {"/metrics": self._answer})
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        self.target = f"127.0.0.1:{self._server.port}"

    def _answer(self, _: Request) -> Response:
        return Response(body=PAGES[self.page].encode(), content_type="text/plain; version=0.0.4")

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@dataclass(frozen=True)
class Bench:
    url: str
    began: datetime
    """The end of the given history."""
    exporter: Exporter

    def ask(self, match: str, now: datetime) -> Told:
        return prometheus.look(Metrics(url=self.url, match=match), now=now, window_minutes=60, step=60, requests_hours=24)

    def judge(self, match: str, now: datetime, **changes: object) -> Verdict:
        told = self.ask(match, now)
        series = sorted(told.series, key=lambda each: (each.metric["__name__"], each.metric["UUID"]))  # of equals the first is named
        return verdict(training(now, series=series, counters=told.counters, **changes), now)

    def live(self, wanted: Callable[[Told], bool]) -> tuple[datetime, Told]:
        """What is told of the scraped exporter, once it is what is wanted."""
        for _ in range(300):
            now = datetime.now(UTC)
            told = self.ask('job="dcgm"', now)
            if wanted(told):
                return now, told
            time.sleep(0.2)
        raise AssertionError("Prometheus has not told what its exporter serves")


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    began, exporter = datetime.now(UTC), Exporter()
    try:
        server = Prometheus(tmp_path_factory.mktemp("prometheus"), history=history(began.timestamp()), targets=[exporter.target])
        yield Bench(server.url, began, exporter)
        server.stop()
    finally:
        exporter.close()


def but_for_shares(reason: str) -> str:
    """A step of Prometheus ends with its last sample, one of a file begins with its first: an outage may take a step more of one than of the other."""
    return re.sub(r"\d+% of its samples", "some of its samples", reason)


@pytest.mark.parametrize("name", TRACES)
def test_prometheus_and_the_recorded_file_lead_to_the_same_verdict(bench: Bench, tmp_path: Path, name: str) -> None:
    live = bench.judge(f'cluster="{name}"', bench.began)
    filed = verdict(recorded(name, bench.began, tmp_path), bench.began)
    assert live.status is EXPECTED[name]
    assert (live.status, live.resting, but_for_shares(live.reason)) == (filed.status, filed.resting, but_for_shares(filed.reason))
    assert [pool.facts for pool in live.pools] == [pool.facts for pool in filed.pools]


def test_every_gpu_and_counter_that_the_exporter_served_comes_back(bench: Bench) -> None:
    told = bench.ask('cluster="idle"', bench.began)
    served = {(name, _uuid(labels)) for name, labels, _ in samples(PAGES["rest"])}
    judged = {(name, uuid) for name, uuid in served if name in told.counters}
    assert {(each.metric["__name__"], each.metric["UUID"]) for each in told.series} == judged
    assert {name for name, _ in served - judged} == {"DCGM_FI_DEV_SM_CLOCK", "DCGM_FI_DEV_GPU_TEMP"}


def test_matchers_that_match_nothing_give_unknown_and_never_idle(bench: Bench) -> None:
    assert bench.judge('cluster="misspelt"', bench.began).status is Status.UNKNOWN


def test_a_job_that_waits_keeps_the_resting_pool(bench: Bench) -> None:
    assert bench.judge('cluster="idle"', bench.began, pods=[pod("Pending")]).status is Status.ACTIVE


def test_requests_are_counted_and_the_last_one_has_its_time(bench: Bench) -> None:
    asked, unasked = (bench.ask(f'cluster="{name}"', bench.began).requests for name in ("asked", "unasked"))
    assert asked is not None
    assert asked.count == 6
    assert asked.last is not None
    assert abs(asked.last - (bench.began - timedelta(minutes=175))) <= timedelta(minutes=5)
    assert unasked is not None
    assert (unasked.count, unasked.last) == (0, None)


def test_a_server_that_was_started_for_one_request_was_asked(bench: Bench) -> None:
    asked = bench.ask('cluster="started-for-one"', bench.began).requests
    assert asked is not None
    assert asked.count == 1
    assert asked.last is not None
    assert abs(asked.last - (bench.began - timedelta(hours=4))) <= timedelta(minutes=10)


def test_an_exporter_that_was_only_just_scraped_proves_no_rest_and_shows_work_at_once(bench: Bench) -> None:
    now, told = bench.live(lambda told: len(told.counters) > 0 and len(told.series) == 8 * len(told.counters))
    assert verdict(training(now, series=told.series, counters=told.counters), now).status is Status.UNKNOWN
    bench.exporter.page = "work"
    now, told = bench.live(
        lambda told: any(float(value) > 50 for each in told.series for _, value in each.values if "UTIL" in each.metric["__name__"])
    )
    assert verdict(training(now, series=told.series, counters=told.counters), now).status is Status.ACTIVE
    assert abs(told.read_at - now) < timedelta(minutes=1)
