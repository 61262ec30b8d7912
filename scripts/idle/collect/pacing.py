"""Calls within an API's rate: as fast as its limit allows, slower once it refuses, several at a time."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")
Clock = Callable[[], float]

ATTEMPTS = 6
FIRST_WAIT = 0.5
LONGEST_WAIT = 20.0
SHARE = 0.95
"""Of a limit, what is used: calls that were let go evenly arrive unevenly, and a refusal costs more than the rest."""


class Throttled(Exception):
    """The API asks to slow down. `after`: seconds that it names, or None."""

    def __init__(self, text: str, after: float | None = None) -> None:
        super().__init__(text)
        self.after = after


@dataclass
class Pace:
    """A bucket of tokens for one API of one account and region; safe for threads.

    `rate` tokens come per second, up to `burst`. A refusal empties the bucket and halves the rate for a while: limits are shared with
    whoever else uses the account.
    """

    rate: float
    burst: float
    clock: Clock = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    _tokens: float = field(init=False)
    _at: float = field(init=False)
    _slowed_until: float = field(init=False, default=0.0)
    _lock: threading.Lock = field(init=False, default_factory=threading.Lock)

    def __post_init__(self) -> None:
        if not (self.rate > 0 and self.burst >= 1):
            raise ValueError(f"a pace of {self.rate:g} calls per second in bursts of {self.burst:g}: give more than 0 and at least 1")
        self._tokens, self._at = self.burst, self.clock()

    def wait(self) -> None:
        """Take a token, waiting for it in turn."""
        with self._lock:
            now = self.clock()
            rate = self.rate / 2 if now < self._slowed_until else self.rate
            self._tokens = min(self.burst, self._tokens + max(now - self._at, 0.0) * rate)
            self._at = max(now, self._at)
            self._tokens -= 1
            owed = -self._tokens / rate if self._tokens < 0 else 0.0
        if owed > 0:
            self.sleep(owed)

    def refused(self, seconds: float) -> None:
        """The API refused a call: no token for `seconds`, then half the rate for a while."""
        with self._lock:
            now = self.clock()
            self._tokens = min(self._tokens, -seconds * self.rate / 2)
            self._at = now
            self._slowed_until = now + 10 * seconds

    def call(self, ask: Callable[[], T]) -> T:
        """What `ask` gives; waits and asks again while it raises Throttled. Raises the last Throttled after six refusals."""
        wait = FIRST_WAIT
        for attempt in range(1, ATTEMPTS + 1):
            self.wait()
            try:
                return ask()
            except Throttled as refusal:
                if attempt == ATTEMPTS:
                    raise
                self.refused(refusal.after if refusal.after is not None else wait * random.uniform(0.5, 1.0))  # noqa: S311 # spreads retries
                wait = min(2 * wait, LONGEST_WAIT)
        raise AssertionError("the last attempt returns or raises")


class Paces:
    """One pace per key, made at its first use."""

    def __init__(self, limits: Callable[[str], tuple[float, float]]) -> None:
        self._limits = limits
        self._paces: dict[tuple[str, ...], Pace] = {}
        self._lock = threading.Lock()

    def of(self, api: str, *where: str) -> Pace:
        """The pace of `api` in an account and region."""
        with self._lock:
            key = (api, *where)
            if key not in self._paces:
                rate, burst = self._limits(api)
                self._paces[key] = Pace(SHARE * rate, max(1.0, SHARE * burst))
            return self._paces[key]


LIMITS: dict[str, tuple[float, float]] = {
    "ec2": (20.0, 100.0),
    "gke": (45.0, 50.0),
    "azure": (25.0, 250.0),
}
"""Calls per second and burst, where the cloud publishes them.

- EC2, per account, region and action: the throttling page of the EC2 developer guide gives actions that only read, such as DescribeHosts,
  a bucket of 100 that refills by 20 a second. Here all actions share one bucket.
- GKE, per project: cloud.google.com/kubernetes-engine/quotas names 3,000 requests a minute, counted over fixed intervals (older editions
  name 600). Whoever counts by the interval gives no burst on top, so rate and burst together stay below that number in any minute.
- Azure Resource Manager, per subscription, region and caller: "request limits and throttling" gives reads 25 a second into a bucket of 250.
  Resource providers (Compute, Container Service) have further limits of their own, which no page gives as one number: not verified.
"""
CAREFUL = (10.0, 20.0)
"""For APIs whose limit is not verified (EKS, Auto Scaling, Compute Engine's reads): a guess on the slow side, which refusals make slower."""


def limits(api: str) -> tuple[float, float]:
    """Calls per second and burst."""
    return LIMITS.get(api, CAREFUL)
