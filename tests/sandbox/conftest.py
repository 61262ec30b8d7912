from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.sandbox.client import World
from tests.sandbox.cloud import Cloud
from tests.sandbox.gcp_cloud import Gcp


@pytest.fixture
def cloud(tmp_path: Path) -> Cloud:
    return Cloud(tmp_path)


@pytest.fixture
def live(tmp_path: Path) -> Iterator[World]:
    """A world with a server of its own."""
    world = World.at(tmp_path, speed=0)
    yield world
    world.stop()


@pytest.fixture
def gcp(tmp_path: Path) -> Gcp:
    return Gcp(tmp_path)
