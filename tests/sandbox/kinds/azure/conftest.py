from __future__ import annotations

from pathlib import Path

import pytest

from tests.sandbox.azure import Azure


@pytest.fixture
def azure(tmp_path: Path) -> Azure:
    return Azure(tmp_path)
