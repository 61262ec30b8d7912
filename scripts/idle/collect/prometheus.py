"""A Prometheus-compatible endpoint: counters of GPUs, and how often models were asked. HTTP API of Prometheus, "Expression queries".

Counters are asked step by step as the highest (and where it matters the lowest) of each step, by `max_over_time(NAME[STEP])`: a plain
range query would repeat the last sample for five minutes and hide an exporter that is silent. Answers are folded while they arrive.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit, urlunsplit

import httpx

from scripts.errors import BadInput, Failed
from scripts.idle.collect.kubernetes import SIMULATED
from scripts.idle.collect.served import SERVED
from scripts.idle.counters import Measure, counter_of
from scripts.idle.fold import Grid, folded, with_lows
from scripts.idle.matrix import NotAMatrix, read_matrix
from scripts.idle.signals import Requests, Series

SECONDS = 30
LOWS = (Measure.UTILISATION, Measure.POWER)
"""Measures whose lowest values matter: a hang is told from work by them."""
_LABEL = re.compile(r'\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*(=~|!=|!~|=)\s*"((?:[^"\\]|\\.)*)"\s*')

_ANY = f'{{__name__=~"(?i:dcgm_.+|nvidia_smi_.+|kubernetes_io:.+)|{"|".join(SERVED)}"}}'
"""Every name that may say something here."""

URL, TOKEN, USER, WORD = "GPUKIT_PROMETHEUS_URL", "GPUKIT_PROMETHEUS_TOKEN", "GPUKIT_PROMETHEUS_USER", "GPUKIT_PROMETHEUS_PASSWORD"
MATCH = "GPUKIT_PROMETHEUS_MATCH"


@dataclass(frozen=True, kw_only=True)
class Metrics:
    """An endpoint and which of its series are the cluster's."""

    url: str
    """Base address, to which `/api/v1/…` is added."""
    match: str = ""
    """Label matchers inside braces, such as `cluster="lab"`; empty where the endpoint serves one cluster alone."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    auth: tuple[str, str] | None = field(default=None, repr=False)


def named(cluster: str, stack: str, environment: Mapping[str, str] | None = None) -> Metrics | None:
    """The endpoint of a cluster by the environment: `GPUKIT_PROMETHEUS_URL`, or the same with `_` and the stack's name in capitals.

    `{cluster}` in address or matchers stands for the cluster's name. None: none is named. Raises BadInput for what is no address.
    """
    environment = os.environ if environment is None else environment
    suffix = "_" + re.sub(r"[^A-Z0-9]", "_", stack.upper())

    def value(name: str) -> str:
        return environment.get(name + suffix) or environment.get(name) or ""

    url = value(URL).replace("{cluster}", cluster).rstrip("/")
    if not url:
        return None
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadInput(
            f"{URL} holds no web address: give one such as https://prometheus.example.com, to which /api/v1/query_range is added."
        )
    auth = (value(USER), value(WORD)) if value(USER) else None
    if parts.username or parts.password:
        raise BadInput(f"{URL} holds a name or password: put them into {USER} and {WORD}, which no output shows.")
    headers = {"Authorization": f"Bearer {value(TOKEN)}"} if value(TOKEN) else {}
    match = value(MATCH).replace("{cluster}", cluster).strip().removeprefix("{").removesuffix("}")
    _refuse_wrong_matchers(match)
    return Metrics(url=urlunsplit(parts._replace(query="", fragment="")), match=match, headers=headers, auth=auth)


def _refuse_wrong_matchers(match: str) -> None:
    """A matcher that is silently wrong would hide GPUs."""
    if match and not all(_LABEL.fullmatch(part) for part in re.findall(r'(?:[^,"]|"(?:[^"\\]|\\.)*")+', match)):
        raise BadInput(f'{MATCH} is {match!r}: give label matchers such as cluster="{{cluster}}", separated by commas.')


class Endpoint:
    """An open connection to the endpoint."""

    def __init__(self, metrics: Metrics, client: httpx.Client) -> None:
        self._metrics = metrics
        self._client = client
        self.date: datetime | None = None

    def selector(self, name: str) -> str:
        """A name may hold colons and be written bare; matchers follow in braces."""
        return f"{name}{{{self._metrics.match}}}" if self._metrics.match else name

    def names(self, since: float, until: float) -> list[str]:
        """Names of the metrics that the cluster's series had in that time."""
        match = f"{{{self._metrics.match}}}" if self._metrics.match else _ANY
        answer = self._client.get("/api/v1/label/__name__/values", params={"match[]": match, "start": since, "end": until})
        self._check(answer)
        self._note(answer)
        data = answer.json().get("data")
        if not isinstance(data, list):
            raise NotAMatrix("label values are no list")
        return sorted(str(name) for name in data)

    def range(self, query: str, since: float, until: float, step: float) -> Iterator[tuple[dict[str, str], Iterator[tuple[float, str]]]]:
        """Series of a range query, samples as they arrive."""
        form = {"query": query, "start": f"{since:.3f}", "end": f"{until:.3f}", "step": f"{step:g}"}
        with self._client.stream("POST", "/api/v1/query_range", data=form) as answer:
            if answer.status_code >= 400:
                answer.read()
            self._check(answer)
            self._note(answer)
            yield from read_matrix(answer.iter_text())

    def _check(self, answer: httpx.Response) -> None:
        if answer.status_code >= 400:
            try:
                words = str(answer.json().get("error", ""))[:200]
            except ValueError:
                words = answer.reason_phrase
            raise NotAMatrix(f"HTTP {answer.status_code} {words}".strip())

    def _note(self, answer: httpx.Response) -> None:
        text = answer.headers.get("Date")
        if text and not answer.headers.get(SIMULATED):
            try:
                self.date = parsedate_to_datetime(text).astimezone(UTC)
            except ValueError:
                self.date = None


@contextmanager
def connected(metrics: Metrics) -> Generator[Endpoint]:
    """Raises Failed for whatever goes wrong while it is used."""
    loopback = urlsplit(metrics.url).hostname in ("127.0.0.1", "localhost")
    try:
        with httpx.Client(
            base_url=metrics.url, headers=dict(metrics.headers), auth=metrics.auth, timeout=SECONDS, trust_env=not loopback
        ) as client:
            yield Endpoint(metrics, client)
    except (httpx.HTTPError, NotAMatrix, ValueError) as error:
        raise Failed(f"the metrics endpoint {metrics.url} did not answer: {' '.join(str(error).split())[:300]}") from error


@dataclass(frozen=True, kw_only=True)
class Told:
    """What the endpoint said about one cluster."""

    read_at: datetime
    counters: tuple[str, ...]
    series: tuple[Series, ...]
    requests: Requests | None
    """None: none of the counters of requests that are known is served."""


def look(metrics: Metrics, *, now: datetime, window_minutes: float, step: float, requests_hours: float) -> Told:
    """Counters of the window, in steps of `step` seconds, and requests of the last hours. Raises Failed."""
    until = now.timestamp()
    grid = Grid(since=until - window_minutes * 60, until=until, step=step)
    with connected(metrics) as endpoint:
        served = endpoint.names(until - requests_hours * 3600, until)
        wanted = [name for name in served if counter_of(name) is not None]
        series = [each for name in wanted for each in _of_counter(endpoint, name, grid)]
        return Told(
            read_at=endpoint.date or now,
            counters=tuple(wanted),
            series=tuple(series),
            requests=_requests(endpoint, [name for name in served if name in SERVED], until, requests_hours),
        )


def _of_counter(endpoint: Endpoint, name: str, grid: Grid) -> Iterable[Series]:
    highs = _folded(endpoint, "max_over_time", name, grid)
    counter = counter_of(name)
    if counter is None or counter.measure not in LOWS:
        return highs.values()
    lows = _folded(endpoint, "min_over_time", name, grid)
    return [with_lows(series, lows[key]) if key in lows else series for key, series in highs.items()]


def _folded(endpoint: Endpoint, function: str, name: str, grid: Grid) -> dict[tuple[tuple[str, str], ...], Series]:
    """By labels. Functions drop the name, and another one may stand in its place."""
    query = f"{function}({endpoint.selector(name)}[{int(grid.step)}s])"
    found: dict[tuple[tuple[str, str], ...], Series] = {}
    for labels, samples in endpoint.range(query, grid.since + grid.step, grid.until, grid.step):
        series = folded({**labels, "__name__": name}, samples, grid)
        if series is not None:
            found[tuple(sorted(labels.items()))] = series
    return found


def _requests(endpoint: Endpoint, names: list[str], until: float, hours: float) -> Requests | None:
    """Requests that were answered, in steps of five minutes; the end of the last step that saw one."""
    if not names:
        return None
    step, count, last = 300.0, 0.0, None
    for name in names:
        query = _asked(endpoint.selector(name), f"{int(step)}s")
        for _labels, samples in endpoint.range(query, until - hours * 3600, until, step):
            for at, value in samples:
                asked = _positive(value)
                count += asked
                last = max(last or 0.0, at) if asked > 0 else last
    return Requests(
        count=max(round(count), 1 if last else 0), last=None if last is None else datetime.fromtimestamp(last, UTC), basis=", ".join(names)
    )


def _asked(selector: str, step: str) -> str:
    """The query of what was counted in each step: from its last value before to its last value in it, so that no request falls between two steps.

    A series that has just come, or began anew, counts whole: servers that make their counter at the first request, or are started for that one
    alone, would else look as if nobody had asked them. `increase` sees neither.
    """
    now, before = f"last_over_time({selector}[{step}])", f"last_over_time({selector}[{step}] offset {step})"
    return f"sum(({now} - {before} >= 0) or {now})"


def _positive(text: str) -> float:
    """A count of requests; what is no number might be one."""
    try:
        number = float(text)
    except ValueError:
        return 1.0
    return 1.0 if number != number or number == float("inf") else max(number, 0.0)  # noqa: PLR0124 - NaN alone differs from itself
