"""The GPUs of one pool with all that bears on reading them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from .counters import Measure
from .readings import Reading
from .rules import Rules
from .signals import Node
from .which_gpu import Gpu

Measures = Mapping[Measure, Reading]


@dataclass(frozen=True, kw_only=True)
class Metered:
    """The GPUs of one pool with all that bears on reading them."""

    nodes: tuple[Node, ...]
    gpus_of: Mapping[str, int | None]
    """Physical GPUs by node; None: not known."""
    readings: Mapping[Gpu, Measures]
    counters: Collection[str] | None
    """Names that the endpoint serves; None: not known."""
    expected: float
    """Samples of a whole series."""
    window_seconds: float
    oldest_sample: float
    """Seconds since 1970 before which a GPU's last sample says nothing about now."""
    tdp_w: float | None

    def threshold(self, measure: Measure, rules: Rules) -> float | None:
        """The value from which a GPU works; None where none shows it."""
        match measure:
            case Measure.ENGINE | Measure.SM | Measure.TENSOR | Measure.MEMORY_BUSY:
                return rules.busy_share
            case Measure.UTILISATION | Measure.COPY:
                return rules.busy_percent
            case Measure.POWER:
                return None if self.tdp_w is None else rules.busy_power_share * self.tdp_w
            case _:
                return None
