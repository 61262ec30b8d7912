"""Files to judge by: our own records, answers of Prometheus range queries, text of dcgm-exporter. What a file does not hold is unknown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from scripts.errors import BadInput

from . import record
from .counters import gpu_of
from .fold import Grid, folded, joined
from .matrix import NotAMatrix, read_matrix
from .signals import SCHEMA, Cluster, Node, Pool, Record, Series, Source

POOL = "GPUs of the file"
_FIRST_BYTES = 4096
_LINE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+(-?[0-9.eE+]+))?\s*")
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"')
STEP_SECONDS = 60.0
REACH_SECONDS = 7 * 86400.0
"""Samples older than this before the newest are not looked at."""


def load(path: Path) -> Record:
    """The record in `path`, or one made of the counters in it. Raises BadInput for what is none of the forms."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            begin = file.read(_FIRST_BYTES)
        if SCHEMA in begin:
            return record.load(path)
        if begin.lstrip()[:1] in ("{", "["):
            return _of_queries(path)
        return _of_exposition(path)
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}): give --from a file that is there.") from error
    except ValueError as error:
        raise BadInput(
            f"{error}. --from takes a record of `gpukit idle --record`, the JSON of a Prometheus range query (or a list of them), "
            f"or the text that dcgm-exporter serves."
        ) from error


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
    with path.open(encoding="utf-8", errors="replace") as file:
        pieces = iter(lambda: file.read(1 << 16), "")
        yield from read_matrix(pieces, several=True)


def _of_exposition(path: Path) -> Record:
    """One sample of each series, at the time that it carries, else when the file was written."""
    written = path.stat().st_mtime
    series: list[Series] = []
    newest = written
    with path.open(encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip() or line.startswith("#"):
                continue
            found = _LINE.fullmatch(line.rstrip("\n"))
            if found is None:
                raise NotAMatrix(f"{path.name}, line {number}: neither JSON nor a line of Prometheus text")
            at = float(found[4]) / 1000 if found[4] else written
            newest = max(newest, at)
            labels = {"__name__": found[1], **dict(_LABEL.findall(found[2] or ""))}
            one = folded(labels, [(at, found[3])], Grid(since=at, until=at, step=STEP_SECONDS))
            if one is not None:
                series.append(one)
    if not series:
        raise NotAMatrix(f"{path.name} holds no counter of a GPU")
    return _record(path, series, newest)


def _record(path: Path, series: list[Series], newest: float) -> Record:
    if not series:
        raise NotAMatrix(f"{path.name} holds no counter of a GPU")
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
