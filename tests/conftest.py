"""Settings of the whole suite: one clock, no credentials, a cheap garbage collector."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from scripts.engine.host.program import FEWER_COLLECTIONS
from tests.real.control_plane import ControlPlane

# Collections over the imported SDKs cost more than the tests: see the figures in tests/bench.
gc.set_threshold(*FEWER_COLLECTIONS)

# `make test` looks at fewer cases than `make test-all`, and at the same ones each time: what it says of a commit is
# repeatable, and the search for new cases is the long run's. No case has a time limit, as machines are noisy.
settings.register_profile("quick", max_examples=40, deadline=None, derandomize=True)
settings.register_profile("thorough", max_examples=300, deadline=None)

_CREDENTIALS = ("AWS_", "GOOGLE_", "AZURE_", "ARM_", "PULUMI_", "KUBECONFIG")


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell's background job; what the tests start would inherit it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    settings.load_profile("quick" if config.option.markexpr == "not long" else "thorough")
    for name in list(os.environ):
        if name.startswith(_CREDENTIALS) and not name.endswith("CA_BUNDLE"):
            del os.environ[name]
    os.environ["GPUKIT_WORLD"] = "sandbox"
    for name in ("GPUKIT_NOW", "COLUMNS"):  # the second is set in the workers of pytest-xdist, and widths are what some tests look at
        os.environ.pop(name, None)


LONGEST_FIRST = (
    "engine/",
    "policies/test_examples",
    "cli/test_process",
    "teardown/test_whole",
    "components/",
    "plan/",
    "policies/",
    "sandbox/",
)
"""Where the longest files are. Each file goes to one worker as a whole: a long one that begins last leaves the other worker idle."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first; the order within a file stays."""
    here = Path(__file__).parent

    def place(item: pytest.Item) -> int:
        file = item.path.relative_to(here).as_posix()
        return next((i for i, start in enumerate(LONGEST_FIRST) if file.startswith(start)), len(LONGEST_FIRST))

    items.sort(key=place)


@pytest.fixture(scope="session")
def control_plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A real API server with its controllers, started once; tests that use it share the xdist group `real-api-server`."""
    plane = ControlPlane(tmp_path_factory.mktemp("control-plane"))
    yield plane
    plane.stop()
