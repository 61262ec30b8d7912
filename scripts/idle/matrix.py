"""Answers of Prometheus range queries, read as they arrive: one sample at a time, however many there are.

Form: HTTP API of Prometheus, "Range queries": `{"status": "success", "data": {"resultType": "matrix", "result": [{"metric": {…},
"values": [[seconds, "value"], …]}, …]}}`. Labels come before samples, as Prometheus and its relatives write them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import cast

Sample = tuple[float, str]
Labelled = tuple[dict[str, str], Iterator[Sample]]

_PIECE = 1 << 16
_METRIC = re.compile(r'\s*\{\s*"metric"\s*:\s*')
_VALUES = re.compile(r'\s*,\s*"values"\s*:\s*\[\s*')
_SAMPLE = re.compile(r'\s*\[\s*(-?[0-9.eE+-]+)\s*,\s*(?:"([^"\\]{0,40})"|(-?[0-9.eE+-]+|[+-]?Inf(?:inity)?|NaN|null))\s*\]\s*')
_LABELS_MOST = 1 << 20
_FIRST = re.compile(r"\s*(\])?")
_BETWEEN = re.compile(r"\s*\}\s*(,|\])")
_EMPTY = re.compile(r"\]")
_RESULT = re.compile(r'"result"\s*:\s*\[')
_ERROR = re.compile(r'"error"\s*:\s*("(?:[^"\\]|\\.)*")')


LATEST = 1e11
"""Seconds since 1970, in the year 5138: times beyond it are milliseconds or nonsense, and no calendar takes them."""


class NotAMatrix(ValueError):
    """The text is no answer to a range query. Says what is missing and where, and repeats nothing of it: a wrong file may hold secrets."""


class NoResult(NotAMatrix):
    """The text has no `"result"` where every answer has one: it may be anything."""


def seconds(text: str, *, per_second: float = 1.0) -> float:
    """The time that `text` means, in seconds since 1970. Raises NotAMatrix for what is no time between then and LATEST."""
    try:
        at = float(text) / per_second
    except ValueError:
        raise NotAMatrix("the time of a sample is no number") from None
    if not 0 <= at <= LATEST:
        unit = "seconds" if per_second == 1 else "milliseconds"
        raise NotAMatrix(f"the time of a sample is out of range: {unit} since 1970 are expected, 0 to {LATEST * per_second:g}")
    return at


class _Text:
    """A window over text that comes in pieces. What was read is dropped when more is taken."""

    def __init__(self, pieces: Iterable[str]) -> None:
        self._pieces = iter(pieces)
        self._held = ""
        self._at = 0
        self._dropped = 0
        self._ended = False

    @property
    def place(self) -> str:
        """Where reading stands, for messages."""
        return f"character {self._dropped + self._at + 1}"

    def _more(self) -> bool:
        """Take one more piece; False at the end."""
        if self._ended:
            return False
        piece = next(self._pieces, None)
        self._ended = piece is None
        self._dropped += self._at
        self._held, self._at = self._held[self._at :] + (piece or ""), 0
        return not self._ended

    def match(self, pattern: re.Pattern[str], *, most: int = 4096) -> re.Match[str] | None:
        """`pattern` here, taken away. Waits for text until it matches or more than `most` characters do not."""
        while True:
            found = pattern.match(self._held, self._at)
            if found is not None and (found.end() < len(self._held) or not self._more()):
                self._at += found.end() - found.start()
                return found
            if found is None and (len(self._held) - self._at > most or not self._more()):
                return None

    def skip_to(self, pattern: re.Pattern[str]) -> bool:
        """Drop everything up to and with `pattern`; False when it does not come in the first 64 KiB."""
        while True:
            found = pattern.search(self._held, self._at)
            if found is not None:
                self._at = found.end()
                return True
            if len(self._held) - self._at > _PIECE or not self._more():
                return False

    def find(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        return pattern.search(self._held, self._at)

    def json(self) -> object:
        """One JSON value here, taken away."""
        decoder = json.JSONDecoder()
        while True:
            try:
                value, end = decoder.raw_decode(self._held, self._at)
            except (ValueError, RecursionError):
                if len(self._held) - self._at > _LABELS_MOST or not self._more():
                    raise NotAMatrix(f"labels are expected at {self.place}") from None
                continue
            self._at = end
            return value


def pieces(text: str) -> Iterator[str]:
    """A whole text in pieces."""
    return (text[at : at + _PIECE] for at in range(0, len(text), _PIECE))


def read_matrix(parts: Iterable[str], *, several: bool = False) -> Iterator[Labelled]:
    """Each series with its samples. The samples of one must be taken before the next. Raises NotAMatrix at the first thing out of place.

    `several`: the text may hold more than one answer, as in a list of them.
    """
    text = _Text(parts)
    if not text.skip_to(_RESULT):
        error = text.find(_ERROR)
        if error is not None:
            raise NotAMatrix(f"the endpoint says: {json.loads(error[1])[:300]}")
        raise NoResult('"result" is missing')
    yield from _answer(text)
    while several and text.skip_to(_RESULT):
        yield from _answer(text)


def _answer(text: _Text) -> Iterator[Labelled]:
    ended = text.match(_FIRST)
    while not (ended and ended[1] == "]"):
        if text.match(_METRIC) is None:
            raise NotAMatrix(f"a series is expected at {text.place}")
        labels = _labels(text.json())
        if text.match(_VALUES) is None:
            raise NotAMatrix(f'"values" are expected at {text.place}: ask /api/v1/query_range')
        samples = _samples(text)
        yield labels, samples
        for _ in samples:  # what was not taken
            pass
        ended = text.match(_BETWEEN)
        if ended is None:
            raise NotAMatrix(f"the end of a series is expected at {text.place}")


def _labels(value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        raise NotAMatrix("labels are no object")
    return {str(name): str(text) for name, text in cast("dict[object, object]", value).items()}


_END = re.compile(r"(,|\])")


def _samples(text: _Text) -> Iterator[Sample]:
    if text.match(_EMPTY, most=64) is not None:
        return
    while True:
        found = text.match(_SAMPLE)
        if found is None:
            raise NotAMatrix(f"a sample [seconds, value] is expected at {text.place}")
        yield seconds(found[1]), found[2] if found[2] is not None else found[3]
        end = text.match(_END)
        if end is None:
            raise NotAMatrix(f"a comma or the end of the samples is expected at {text.place}")
        if end[1] == "]":
            return
