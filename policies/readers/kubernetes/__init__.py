"""Readers of pulumi-kubernetes resources."""

from __future__ import annotations

from collections.abc import Mapping

from policies.readers import types
from policies.readers.facts import ProgramReader, Reader

from .helm import read_chart

READERS: Mapping[str, Reader] = {
    types.RELEASE: read_chart,
    types.CHART_V3: read_chart,
    types.CHART_V4: read_chart,
}
PROGRAM_READERS: tuple[ProgramReader, ...] = ()
