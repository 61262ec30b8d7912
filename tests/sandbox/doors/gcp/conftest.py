from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from google.api_core.client_options import ClientOptions
from google.auth.credentials import AnonymousCredentials

from scripts.sandbox.doors.gcp import door
from scripts.sandbox.doors.http import DoorServer
from scripts.sandbox.store import Record
from tests.sandbox.gcp_cloud import GPU, Gcp

LABELS = {"gpukit-stack": "dev", "gpukit-pool": "l4"}


@pytest.fixture
def address(gcp: Gcp) -> Iterator[str]:
    """The GCP door of the cloud's world, served in this process."""
    server = DoorServer(0, {"/gcp": door.door(gcp.world)})
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.port}/gcp"
    server.shutdown()
    server.server_close()


@pytest.fixture
def lab(gcp: Gcp) -> Record:
    """A cluster with two nodes of one L4 each."""
    cluster = gcp.cluster(resourceLabels={"gpukit-stack": "dev"})
    gcp.pool(
        cluster,
        config={"machineType": "g2-standard-8", "guestAccelerators": [GPU], "resourceLabels": LABELS},
        name="l4",
        initialNodeCount=2,
    )
    return cluster


@pytest.fixture
def google(address: str) -> Callable[..., Any]:
    """Google's own client classes at the door."""

    def make(client: type, **options: Any) -> Any:
        return client(credentials=AnonymousCredentials(), client_options=ClientOptions(api_endpoint=address), **options)

    return make
