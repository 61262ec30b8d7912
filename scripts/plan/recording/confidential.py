"""Plain texts of secrets: gathered so that no message of the program can show them."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any, cast

import pulumi

from .wire import UNKNOWN

_SHORTEST = 4
"""Shorter texts occur everywhere: hiding them would only garble messages."""


class Confidential:
    """What must never be shown."""

    def __init__(self) -> None:
        self._texts: set[str] = set()

    def add(self, value: object) -> None:
        """Every text in `value`, which is plain JSON."""
        if isinstance(value, str):
            if len(value) >= _SHORTEST and UNKNOWN not in value:
                self._texts.add(value)
        elif isinstance(value, Mapping):
            for inner in cast("Mapping[str, object]", value).values():
                self.add(inner)
        elif isinstance(value, list | tuple):
            for inner in cast("list[object]", value):
                self.add(inner)

    def hidden(self, text: str) -> str:
        """`text` without any of them, the longest first so that no rest of one stays behind."""
        for secret in sorted(self._texts, key=len, reverse=True):
            text = text.replace(secret, "[secret]")
        return text

    @contextmanager
    def watching(self) -> Generator[None]:
        """While open, whatever the program declares secret is noted at once: it may fail before anything is registered."""
        real: Any = pulumi.Output.secret

        def secret(value: Any) -> Any:
            self.add(value)
            return real(value)

        output: Any = pulumi.Output
        output.secret = staticmethod(secret)
        try:
            yield
        finally:
            output.secret = staticmethod(real)
