from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from scripts.engine.azure_session import management_client
from scripts.engine.environment import AZURE_ENDPOINT
from scripts.sandbox.doors.azure.door import door
from scripts.sandbox.doors.http import DoorServer
from tests.sandbox.azure import SUBSCRIPTION, Azure


@pytest.fixture
def azure(tmp_path: Path) -> Azure:
    return Azure(tmp_path)


@pytest.fixture
def address(azure: Azure) -> Iterator[str]:
    """The door of the world, served in this process."""
    server = DoorServer(0, {"/azure": door(azure.world)})
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.port}/azure"
    server.shutdown()
    server.server_close()


@pytest.fixture
def client(address: str) -> Callable[[Callable[..., Any]], Any]:
    """A client of an azure-mgmt package, as gpukit itself makes them."""
    return lambda make: management_client(make, SUBSCRIPTION, {AZURE_ENDPOINT: address})
