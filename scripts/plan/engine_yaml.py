"""YAML as Pulumi's engine reads it: Go's gopkg.in/yaml.v3 (YAML 1.2 booleans, YAML 1.1 octals, timestamps, merge keys).

The rules are those of yaml.v3 v3.0.1 `resolve.go` and `decode.go`; tests/engine_yaml compares them with `pulumi config --json`.
The document is built from parser events rather than by PyYAML's composer, so that hostile nesting, aliases that contain
themselves and aliases that multiply end in a sentence instead of a crash.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import yaml

from . import go_json
from .go_json import Plain

MAX_DEPTH = 100
MAX_NODES = 100_000
"""Values of a document after its aliases are expanded: a stack file has some hundred."""


class YamlError(ValueError):
    """Why a text is no document, and on which line (1-based)."""

    def __init__(self, problem: str, line: int | None) -> None:
        self.problem = problem
        self.line = line
        super().__init__(problem)


@dataclass(slots=True)
class _Node:
    """A finished value. `weight` counts the values in it with its aliases expanded."""

    value: Plain
    line: int
    weight: int = 1


def load(text: str) -> Plain:
    """The first document as None, bool, int, float, str, list and dict with text keys. Dates become Go's text of a time.

    Raises YamlError.
    """
    try:
        return _Builder(_events(text)).document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise YamlError(_in_words(error.problem or "malformed"), mark.line + 1 if mark else None) from None
    except yaml.reader.ReaderError as error:
        raise YamlError("control characters are not allowed", text.count("\n", 0, error.position) + 1) from None


def _in_words(problem: str) -> str:
    """The parser's words, and what they mean to whoever wrote the file."""
    meaning = next((words for said, words in _MEANINGS.items() if problem.startswith(said)), None)
    return f"{problem} ({meaning})" if meaning else problem


_MEANINGS = {
    "did not find expected node content": "a value is missing, or a bracket before it is not closed",
    "did not find expected key": "this line is indented otherwise than those around it, or a value before it ends too early",
    "did not find expected ',' or": "a bracket or brace before this line is not closed",
    "found unexpected end of stream": "a quote is not closed",
    "found character that cannot start any token": "indent with blanks, never tabs; put a value that begins with @, % or a backtick in quotes",
    "mapping values are not allowed": "a second colon in one value: put the value in quotes, or check the indentation",
}
"""By the beginnings of libyaml's messages."""


def _events(text: str) -> Iterator[Any]:
    """Parser events. libyaml where PyYAML carries it: yaml.v3 is its translation, down to the treatment of tabs."""
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.parse(text, Loader=loader)


@dataclass(slots=True)
class _Builder:
    events: Iterator[Any]
    anchors: dict[str, _Node | None] = field(default_factory=dict)
    """None while the anchored value is still open."""
    nodes: int = 0

    def document(self) -> Plain:
        value: Plain = None
        documents = 0
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise YamlError("a second document starts here, and the engine reads only the first", event.start_mark.line + 1)
            elif isinstance(event, yaml.NodeEvent):
                value = self._node(event, depth=0).value
        return value

    def _node(self, event: Any, depth: int) -> _Node:
        line = event.start_mark.line + 1
        if depth > MAX_DEPTH:
            raise YamlError(f"values are nested deeper than {MAX_DEPTH} levels", line)
        if isinstance(event, yaml.AliasEvent):
            node = self._alias(event.anchor, line)
        else:
            if event.anchor is not None:
                self.anchors[event.anchor] = None
            node = self._fresh(event, line, depth)
            if event.anchor is not None:
                self.anchors[event.anchor] = node
        self.nodes += node.weight if isinstance(event, yaml.AliasEvent) else 1
        if self.nodes > MAX_NODES:
            raise YamlError(f"the document expands to more than {MAX_NODES:,} values", line)
        return node

    def _alias(self, anchor: str, line: int) -> _Node:
        if anchor not in self.anchors:
            raise YamlError(f"unknown anchor {anchor!r}", line)
        node = self.anchors[anchor]
        if node is None:
            raise YamlError(f"anchor {anchor!r} contains itself", line)
        return node

    def _fresh(self, event: Any, line: int, depth: int) -> _Node:
        if isinstance(event, yaml.ScalarEvent):
            return _scalar(event, line)
        before = self.nodes
        if isinstance(event, yaml.SequenceStartEvent):
            value: Plain = [self._node(child, depth + 1).value for child in self._children(yaml.SequenceEndEvent)]
        else:
            value = self._mapping(depth)
        return _Node(value, line, weight=self.nodes - before + 1)

    def _children(self, end: type) -> Iterator[Any]:
        for event in self.events:
            if isinstance(event, end):
                return
            yield event

    def _mapping(self, depth: int) -> dict[str, Plain]:
        own: dict[str, Plain] = {}
        merged: list[_Node] = []
        lines: dict[str, int] = {}
        for key_event in self._children(yaml.MappingEndEvent):
            key = self._node(key_event, depth + 1)
            value = self._node(next(self.events), depth + 1)
            name = _key_text(key)
            if name in lines:
                raise YamlError(f"the key {name!r} is there already, on line {lines[name]}", key.line)
            lines[name] = key.line
            if name == "<<":  # quoted or not: the engine writes the document out and reads it again
                merged.append(value)
            else:
                own[name] = value.value
        return _merge(own, merged)


def _key_text(key: _Node) -> str:
    """A key as the engine prints it into its own text-keyed map."""
    if isinstance(key.value, str):
        return key.value
    if isinstance(key.value, bool):
        return "true" if key.value else "false"
    if key.value is None:
        return "<nil>"
    if isinstance(key.value, int | float):
        return go_json.dumps(key.value)
    raise YamlError("a list or a mapping cannot be a key", key.line)


def _merge(own: dict[str, Plain], merged: list[_Node]) -> dict[str, Plain]:
    """Keys written out win over merged ones; of a list of merged mappings the earlier wins."""
    for node in merged:
        sources = node.value if isinstance(node.value, list) else [node.value]
        for source in sources:
            if not isinstance(source, dict):
                raise YamlError("`<<` takes a mapping or a list of mappings", node.line)
            own = {**source, **own}
    return own


def _scalar(event: Any, line: int) -> _Node:
    text: str = event.value
    if event.tag is None and event.implicit[0]:
        return _Node(plain(text), line)
    return _Node(_tagged(event.tag, text, line), line)


def _tagged(tag: str | None, text: str, line: int) -> Plain:
    short = (tag or "!").removeprefix("tag:yaml.org,2002:")
    if short == "binary":
        try:
            return base64.b64decode(re.sub(r"[\r\n]", "", text), validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            raise YamlError("!!binary holds no base64 of UTF-8 text", line) from None
    expected = _TAG_TYPES.get(short)
    if expected is None:
        return text
    value = plain(text)
    if short == "float" and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if type(value) not in expected:
        raise YamlError(f"cannot read {_brief(text)} as !!{short}", line)
    return value


def _brief(text: str) -> str:
    return repr(text) if len(text) <= _SHOWN else f"{text[:_SHOWN]!r}…"


_SHOWN = 60
"""Characters of a scalar that a message shows."""
_TAG_TYPES: dict[str, tuple[type, ...]] = {"int": (int,), "float": (float,), "bool": (bool,), "null": (type(None),), "timestamp": (str,)}

_WORDS: dict[str, Plain] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
}
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INTEGER = re.compile(r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[oO]([0-7]+)|0[bB]([01]+)|0([0-7]+)|(0|[1-9][0-9]*))")
_BASES = (16, 8, 2, 8, 10)
_WIDEST = 64
"""Digits that an integer of 64 bits has at most, in base 2. Python refuses to read thousands of decimal digits at all."""
_TIME = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})"
    r"(?:([Tt ])(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d+))?(Z|[-+]\d\d:\d\d)?)?"
)


def plain(text: str) -> Plain:
    """What an unquoted scalar means to yaml.v3."""
    if text in _WORDS:
        return _WORDS[text]
    if not text or text[0] not in "0123456789+-.":
        return text
    moment = _moment(text) if text[0].isdigit() else None
    if moment is not None:
        return moment
    number = re.sub(r"(?<=[0-9])_(?=[0-9])", "", text) if text[0] == "." else text.replace("_", "")
    integer = _integer(number)
    if integer is not None:
        return integer
    if _FLOAT.fullmatch(number):
        value = float(number)
        return text if value in (float("inf"), float("-inf")) else value
    return text


def _integer(text: str) -> int | float | None:
    match = _INTEGER.fullmatch(text)
    if match is None:
        return None
    digits, base = next((d, b) for d, b in zip(match.groups()[1:], _BASES, strict=True) if d is not None)
    if len(digits.lstrip("0")) > _WIDEST:
        return None
    value = int(digits, base) * (-1 if match[1] == "-" else 1)
    if -(2**63) <= value < 2**63 or (not match[1] and value < 2**64):
        return value
    return None


def _moment(text: str) -> str | None:
    """Go's text of the time that `text` is, in the four layouts that yaml.v3 tries."""
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    separator, fraction, zone = match[4], (match[8] or "")[:9].rstrip("0"), match[9]
    if separator is not None and (separator == " ") != (zone is None):
        return None
    try:
        year, month, day, hour, minute, second = (int(match[group] or 0) for group in (1, 2, 3, 5, 6, 7))
        moment = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None
    offset = "+0000 UTC" if zone in (None, "Z", "+00:00", "-00:00") else " ".join([zone.replace(":", "")] * 2)
    return f"{moment.date()} {moment:%H:%M:%S}{'.' + fraction if fraction else ''} {offset}"
