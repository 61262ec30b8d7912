"""The simulated world's time.

It runs at the pace of the wall clock while the server runs, stands still while it is stopped, jumps when told to, and when an operation
takes ten simulated minutes: those pass in a fraction of the real time. A lease of months therefore outlives any number of runs.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from scripts.errors import BadInput

DEFAULT_SPEED = 400.0
"""Simulated seconds of an operation per real second: a control plane that takes ten minutes is there after a second and a half."""

_PART = re.compile(r"(\d+(?:\.\d+)?)\s*(d|h|m|s)")
_UNITS = {"d": "days", "h": "hours", "m": "minutes", "s": "seconds"}


def duration(text: str | timedelta) -> timedelta:
    """`2h`, `1d 6h`, `90m`. Raises BadInput on anything else, and on a step back: the world's time only goes forward."""
    if isinstance(text, timedelta):
        step = text
    else:
        parts = _PART.findall(text)
        if not parts or _PART.sub("", text).strip():
            raise BadInput(f"{text!r} is not a duration: give days, hours, minutes or seconds, such as 2h, 90m or 1d 6h.")
        step = sum((timedelta(**{_UNITS[unit]: float(number)}) for number, unit in parts), timedelta())
    if step <= timedelta():
        raise BadInput(f"cannot advance by {text}: the simulated world's time only goes forward.")
    return step


class Clock:
    """World time, from `origin` on. `speed` 0 makes every operation instant."""

    def __init__(self, origin: datetime, *, speed: float = DEFAULT_SPEED, tick: Callable[[], float] = time.monotonic) -> None:
        self.speed = speed
        self._tick = tick
        self._lock = threading.Lock()
        self._base = origin
        self._started = tick()

    def now(self) -> datetime:
        with self._lock:
            return self._now()

    def _now(self) -> datetime:
        return self._base + timedelta(seconds=self._tick() - self._started)

    def text(self) -> str:
        """Now, as the clouds write it."""
        return stamp(self.now())

    def advance(self, step: timedelta) -> datetime:
        with self._lock:
            self._base += step
            return self._now()

    def reach(self, moment: datetime) -> None:
        """Never be before `moment` again."""
        with self._lock:
            late = moment - self._now()
            if late > timedelta():
                self._base += late

    def spend(self, seconds: float) -> None:
        """Let an operation take simulated `seconds`; concurrent operations share them."""
        end = self.now() + timedelta(seconds=seconds)
        if self.speed > 0 and seconds > 0:
            time.sleep(seconds / self.speed)
        self.reach(end)


def stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
