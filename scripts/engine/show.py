"""What a person sees while a run works: lines on standard error, so that standard output holds the result alone."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TextIO

from scripts.engine.events import Step, resource_name, resource_type
from scripts.engine.groups import Groups, Key

VERBOSE = "GPUKIT_VERBOSE"
"""Set to 1: a line for each resource instead of one for each component, and every finding in full."""

_MARKS = {"create": "+", "delete": "-", "update": "~", "replace": "+-", "create-replacement": "++", "delete-replaced": "--", "import": "="}
_BESIDE = frozenset({"replace"})
"""Operations that only announce the two that do the work."""
_REDRAW_SECONDS = 0.5


def verbose() -> bool:
    return os.environ.get(VERBOSE) == "1"


@dataclass
class Show:
    """Progress of one action after the other. On a terminal a status line is rewritten below the finished steps."""

    label: str
    stream: TextIO = field(default_factory=lambda: sys.stderr)
    every: bool = field(default_factory=verbose)
    """Whether each resource gets a line of its own."""
    _groups: Groups = field(default_factory=Groups)
    _running: dict[str, float] = field(default_factory=dict[str, float])
    _phase: str = ""
    _started: float = 0.0
    _drawn: float = 0.0
    _quiet: bool = False

    def line(self, text: str) -> None:
        """One whole line that says which world it speaks of, below whatever stood there."""
        self._write(f"{self.label} {text}")

    def _write(self, line: str) -> None:
        self._clear()
        self.stream.write(f"{line}\n")
        self.stream.flush()

    def phase(self, text: str, *, steps: bool = True) -> None:
        """A new phase begins; `steps=False` shows its time only, not what a preview merely intends."""
        self._phase, self._started, self._quiet = text, time.monotonic(), not steps
        self._running.clear()
        self.line(text)

    def step(self, step: Step) -> None:
        if not step.changes or self._quiet or step.operation in _BESIDE:
            return
        if not step.ended:
            self._running[step.urn] = time.monotonic()
            return
        began = self._running.pop(step.urn, None)
        if step.failed or self.every:
            self._resource(step, began)
        elif (complete := self._groups.end(step)) is not None:
            self._group(*complete)

    def expect(self, steps: Iterable[Step]) -> None:
        """What a preview has found is to come: a component's line is written when the last of its resources is done."""
        self._groups.expect(steps)

    def _resource(self, step: Step, began: float | None) -> None:
        took = f" ({time.monotonic() - began:.0f} s)" if began is not None and time.monotonic() - began >= 1 else ""
        mark = "!" if step.failed else _MARKS.get(step.operation, step.operation)
        self._write(f"  {mark:>2} {resource_type(step.urn)} {resource_name(step.urn)}{took}{' failed' if step.failed else ''}")

    def _group(self, key: Key, count: int) -> None:
        operation, component = key
        self._write(f"  {_MARKS.get(operation, operation):>2} {component}: {count} {'resource' if count == 1 else 'resources'}")

    def wait(self) -> None:
        """Redraw the status line, on a terminal only."""
        now = time.monotonic()
        if not self.stream.isatty() or now - self._drawn < _REDRAW_SECONDS:
            return
        self._drawn = now
        oldest = min(self._running, key=lambda urn: self._running[urn], default=None)
        at = f", {len(self._running)} running, longest {resource_name(oldest)}" if oldest is not None else ""
        self.stream.write(f"\r\033[K{self.label} {self._phase}: {now - self._started:.0f} s{at}")
        self.stream.flush()

    def end(self) -> None:
        """The phase is over: what was left open is told."""
        self._clear()
        for key, count in self._groups.rest():
            self._group(key, count)

    def _clear(self) -> None:
        if self.stream.isatty():
            self.stream.write("\r\033[K")
            self.stream.flush()
