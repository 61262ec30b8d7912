"""Functions that a program hands to `apply` and that a preview never calls, as their value is known only after the update.

What such a function would make is in no recording and in no preview. It cannot be judged, so that at least their number is told.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pulumi


class Callbacks:
    """Counts the program's own functions: those of the SDKs compute values and make nothing."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory.resolve()
        self._given = 0
        self._called = 0

    @property
    def left_out(self) -> int:
        return self._given - self._called

    @property
    def note(self) -> str:
        """What the recording leaves out; nothing where every function was called."""
        if not self.left_out:
            return ""
        ran = "1 function on a value" if self.left_out == 1 else f"{self.left_out} functions on values"
        rest = "was not run; what it" if self.left_out == 1 else "were not run; what they"
        return f"{ran} known only after the update {rest} would make is not judged"

    @contextmanager
    def watching(self) -> Generator[None]:
        """While open, `Output.apply` counts."""
        output: Any = pulumi.Output
        real = output.apply

        def apply(given: Any, func: Callable[[Any], Any], *more: Any, **keys: Any) -> Any:
            return real(given, self._counted(func), *more, **keys)

        output.apply = apply
        try:
            yield
        finally:
            output.apply = real

    def _counted(self, func: Callable[[Any], Any]) -> Callable[[Any], Any]:
        if not self._own(func):
            return func
        self._given += 1
        called = False

        @functools.wraps(func)
        def counted(value: Any) -> Any:
            nonlocal called
            if not called:
                called = True
                self._called += 1
            return func(value)

        return counted

    def _own(self, func: object) -> bool:
        code = getattr(func, "__code__", None)
        file = Path(code.co_filename) if code is not None else None
        return file is not None and file.is_relative_to(self._directory) and "site-packages" not in file.parts
