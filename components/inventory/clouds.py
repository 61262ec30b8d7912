"""The clouds by their short names."""

from __future__ import annotations

from typing import Literal

Cloud = Literal["aws", "gcp", "azure"]
CLOUDS: tuple[Cloud, ...] = ("aws", "gcp", "azure")
