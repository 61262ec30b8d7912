from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime

import httpx
import pytest

from scripts.catalog.refresh.polling import Api

from .server import Respond, serving

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def serve() -> Iterator[Callable[[Respond], str]]:
    """Start a server on the loopback for the rest of the test."""
    with ExitStack() as stack:
        yield lambda respond: stack.enter_context(serving(respond))


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds that the code under test asked to wait; nobody waits. Other threads sleep as they like."""
    waits: list[float] = []
    asked, sleep = threading.current_thread(), time.sleep

    def wait(seconds: float) -> None:
        if threading.current_thread() is asked:
            waits.append(seconds)
        else:
            sleep(seconds)

    monkeypatch.setattr("time.sleep", wait)
    return waits


@pytest.fixture
def api() -> Iterator[Callable[..., Api]]:
    """Make an Api that waits for nobody."""
    with httpx.Client(timeout=5, trust_env=False) as client:
        yield lambda waits=None, **more: Api(
            name="The price list", client=client, sleep=(waits if waits is not None else []).append, **more
        )


@pytest.fixture
def aws_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "AWS_ACCESS_KEY_ID": "simulated",
        "AWS_SECRET_ACCESS_KEY": "simulated",
        "AWS_EC2_METADATA_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)
