"""The figures that a verdict rests on. All are judgement with precedents (named), so all can be set; none may be set to something careless."""

from __future__ import annotations

from dataclasses import dataclass, fields

from components import heartbeat

LEAST_WINDOW_MINUTES = 30


@dataclass(frozen=True, kw_only=True)
class Rules:
    """Minutes, shares and rates. Raises ValueError for values under which a working job could look idle."""

    window_minutes: float = float(heartbeat.WINDOW_MINUTES)
    """How long everything must have been quiet. Never under 30: checkpoints and data loading pause a job for up to 40."""
    coverage: float = heartbeat.COVERAGE
    """Share of expected samples that every GPU must have in the window."""
    grace_training_minutes: float = 30.0
    """Age under which a node is still being set up."""
    grace_inference_minutes: float = 15.0
    """The same for inference (py-kube-downscaler: 15)."""
    stale_minutes: float = float(heartbeat.STALE_MINUTES)
    """Age of a source's answer, or of a GPU's last sample, beyond which it says nothing about now."""
    skew_minutes: float = float(heartbeat.SKEW_MINUTES)
    """How far a clock may be ahead of ours."""
    busy_share: float = 0.01
    """Engine, tensor or SM activity from which a GPU works (Prometheus idle rule of the field: 0.01)."""
    busy_percent: float = 5.0
    """Utilisation and memory-copy utilisation from which a GPU works, in percent."""
    busy_power_share: float = 0.45
    """Power from which a GPU works, as a share of its thermal design power. Idle data-centre GPUs stay under a third."""
    hung_percent: float = 95.0
    """Utilisation that ranks spinning in a collective show."""
    hung_power_share: float = 0.5
    """Power that such ranks stay under."""
    flat_power_share: float = 0.1
    """Most that their power moves, as a share of the thermal design power."""
    quiet_bytes_per_second: float = 1e6
    """Traffic over NVLink, PCIe or network under which nothing is exchanged."""
    busy_network_bytes_per_second: float = 1e7
    """Traffic of a whole machine, one way, from which something may use it though its GPUs rest: log shipping and heartbeats stay far below."""
    parked_memory_mib: float = 1024.0
    """Memory in use from which a model is loaded, though nothing computes."""
    rare_requests_hours: float = 24.0
    """Requests this recent keep an inference cluster, even one without nodes."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e12:
                raise ValueError(f"{field.name} is {value!r}: give a number above 0")
        if self.window_minutes < LEAST_WINDOW_MINUTES:
            raise ValueError(
                f"window_minutes is {self.window_minutes:g}: give at least {LEAST_WINDOW_MINUTES}, since checkpoints and data loading "
                "pause a working job for that long"
            )
        for name in ("coverage", "busy_share", "busy_power_share", "hung_power_share", "flat_power_share"):
            if getattr(self, name) > 1:
                raise ValueError(f"{name} is {getattr(self, name):g}: give a share between 0 and 1")
        if self.coverage < 0.5:
            raise ValueError(f"coverage is {self.coverage:g}: give at least 0.5, or an exporter's outage passes for rest")

    def grace_minutes(self, workload: str | None) -> float:
        """The longer of the two where the workload is not known."""
        if workload == "inference":
            return self.grace_inference_minutes
        return self.grace_training_minutes if workload == "training" else max(self.grace_training_minutes, self.grace_inference_minutes)
