"""Files to judge by: our own records, answers of Prometheus range queries, text of dcgm-exporter. What a file does not hold is unknown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from scripts.errors import BadInput

from . import record
from .fold import Grid, folded, joined
from .matrix import NoResult, NotAMatrix, read_matrix, seconds
from .signals import SCHEMA, Cluster, Node, Pool, Record, Series, Source
from .which_gpu import gpu_of

POOL = "GPUs of the file"
_FIRST_BYTES = 4096
_SCHEMA = re.compile(r'"schema"\s*:\s*"(gpukit/[a-z-]{1,40}/[0-9]{1,9})"')
_DIAGNOSED_BYTES = 64 << 20
"""A larger file is not read as a whole only to say better what is wrong with it."""
_LINE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+(-?[0-9.eE+]+))?\s*")
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"')
_BEFORE = 1e8
"""Seconds since 1970: no sample of a GPU is from before March 1973, so that the number must mean another unit."""
STEP_SECONDS = 60.0
REACH_SECONDS = 7 * 86400.0
"""Samples older than this before the newest are not looked at."""


def load(path: Path) -> Record:
    """The record in `path`, or one made of the counters in it. Raises BadInput for what is none of the forms."""
    try:
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            begin = file.read(_FIRST_BYTES)
        if begin.lstrip()[:1] not in ("{", "["):
            return _of_exposition(path)
        if (schema := _SCHEMA.search(begin)) is not None:
            return _of_schema(path, schema[1])
        try:
            return _of_queries(path)
        except NotAMatrix as error:
            return _of_whole(path, error)
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}): give --from a file that is there.") from error
    except ValueError as error:
        raise BadInput(
            f"{error}. --from takes a record of `gpukit idle --record`, the JSON of a Prometheus range query (or a list of them), "
            f"or the text that dcgm-exporter serves."
        ) from error


def _of_schema(path: Path, schema: str) -> Record:
    if schema != SCHEMA:
        raise ValueError(f"{path.name}: schema {schema} is unknown: this version reads {SCHEMA}")
    return record.load(path)


def _of_whole(path: Path, error: NotAMatrix) -> Record:
    """A file that cannot be read in pieces: a record whose schema comes last; else ValueError with the plainest reason, and nothing of the file."""
    if path.stat().st_size > _DIAGNOSED_BYTES:
        raise error
    try:
        value = json.loads(path.read_text(encoding="utf-8-sig", errors="replace"))
    except RecursionError:
        raise ValueError(f"{path.name} is nested too deeply to be read") from None
    except json.JSONDecodeError as broken:
        raise ValueError(f"{path.name} is not valid JSON at line {broken.lineno}, column {broken.colno}") from None
    schema = _SCHEMA.fullmatch(f'"schema":{json.dumps(value.get("schema"))}') if isinstance(value, dict) else None
    if schema is not None:
        return _of_schema(path, schema[1])
    if isinstance(error, NoResult):
        raise NoResult(f"{path.name} is neither a record of gpukit idle --record, nor a Prometheus answer, nor DCGM text")
    raise error


def _of_queries(path: Path) -> Record:
    """Samples are folded as they are read; the newest one is the present."""
    newest = max((at for _, samples in _series_of(path) for at, _ in samples), default=None)
    if newest is None:
        raise NotAMatrix(f"{path.name} holds no sample of a range query")
    grid = Grid(since=newest - REACH_SECONDS, until=newest, step=STEP_SECONDS)
    found: dict[tuple[tuple[str, str], ...], Series] = {}
    for labels, samples in _series_of(path):
        key = tuple(sorted(labels.items()))
        series = folded(labels, samples, grid)
        if series is not None:
            found[key] = joined(found[key], series) if key in found else series
    return _record(path, list(found.values()), newest)


def _series_of(path: Path) -> Iterator[tuple[dict[str, str], Iterator[tuple[float, str]]]]:
    """Of one answer, or of each in a list of answers."""
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        pieces = iter(lambda: file.read(1 << 16), "")
        yield from read_matrix(pieces, several=True)


def _of_exposition(path: Path) -> Record:
    """One sample of each series, at the time that it carries, else when the file was written."""
    written = path.stat().st_mtime
    series: list[Series] = []
    newest = written
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip() or line.startswith("#"):
                continue
            found = _LINE.fullmatch(line.rstrip("\n"))
            if found is None:
                raise NotAMatrix(f"{path.name}, line {number}: neither JSON nor a line of Prometheus text")
            at = _time(found[4], path, number) if found[4] else written
            newest = max(newest, at)
            labels = {"__name__": found[1], **dict(_LABEL.findall(found[2] or ""))}
            one = folded(labels, [(at, found[3])], Grid(since=at, until=at, step=STEP_SECONDS))
            if one is not None:
                series.append(one)
    if not series:
        raise NotAMatrix(f"{path.name} holds no counter of a GPU")
    return _record(path, series, newest)


def _time(text: str, path: Path, line: int) -> float:
    try:
        at = seconds(text, per_second=1000)
        return at * 1000 if at < _BEFORE else at  # OpenMetrics counts seconds
    except NotAMatrix as error:
        raise NotAMatrix(f"{path.name}, line {line}: {error}") from None


def _record(path: Path, series: list[Series], newest: float) -> Record:
    if not series:
        raise NotAMatrix(
            f"{path.name} holds no counter of a GPU: each series needs its name in the label __name__, which functions such as max_over_time "
            f"take away, and one that is known here, such as DCGM_FI_DEV_GPU_UTIL"
        )
    now = datetime.fromtimestamp(newest, UTC)
    cluster = Cluster(
        name=path.name,
        sources=(Source(name="dcgm", read_at=now),),
        pools=(Pool(name=POOL),),
        nodes=tuple(Node(name=name, pool=POOL) for name in _nodes(series)),
        series=tuple(series),
        counters=tuple(sorted({each.metric["__name__"] for each in series})),
        step_seconds=STEP_SECONDS,
    )
    return record.of(now, (cluster,))


def _nodes(series: Iterable[Series]) -> list[str]:
    return sorted({gpu.node for each in series if (gpu := gpu_of(each.metric)) is not None})
