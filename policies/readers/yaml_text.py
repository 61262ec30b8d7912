"""YAML text of a program as plain values. What repeats itself without end, or beyond all measure, is no YAML here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, cast

import yaml

MOST_VALUES = 200_000
"""With everything that aliases repeat: a text of ten lines can stand for billions."""
DEEPEST = 100
"""Of lists and objects in each other, so that no reader runs out of stack; an alias inside its own anchor has no end."""
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same language, many times faster where libyaml is there


@lru_cache(maxsize=64)
def documents_of(said: str) -> tuple[object, ...]:
    """Every document of the text. Raises ValueError for what is no YAML, too deep or too large; several readers ask for the same text."""
    try:
        found = tuple(cast("Iterable[object]", yaml.load_all(said, Loader=_LOADER)))
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError("no YAML") from error
    _refuse_endless(found)
    return found


def document_of(said: str) -> object:
    """The one document of the text; None where it is empty. Raises ValueError as `documents_of`, and for several."""
    found = documents_of(said)
    if len(found) > 1:
        raise ValueError("several documents")
    return found[0] if found else None


def _refuse_endless(found: tuple[object, ...]) -> None:
    ahead: list[tuple[object, int]] = [(found, 0)]
    seen = 0
    while ahead:
        node, depth = ahead.pop()
        seen += 1
        if seen > MOST_VALUES or depth > DEEPEST:
            raise ValueError(f"more than {MOST_VALUES:,} values, or more than {DEEPEST} in each other")
        if isinstance(node, Mapping):
            ahead += [(inner, depth + 1) for inner in cast("Mapping[object, object]", node).values()]
        elif isinstance(node, list | tuple):
            ahead += [(inner, depth + 1) for inner in cast("Iterable[object]", node)]
