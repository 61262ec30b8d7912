"""Each cloud's own metrics behind one question: what do they say about this cluster?"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from scripts.errors import Failed
from scripts.idle.collect.clouds import Access
from scripts.idle.collect.found import Found
from scripts.idle.collect.lines import Line, Span, figures, heartbeats
from scripts.idle.collect.targets import Target
from scripts.idle.signals import Figure, Heartbeat

SOURCES = {"aws": "CloudWatch", "gcp": "Cloud Monitoring", "azure": "Azure Monitor"}


@dataclass(frozen=True, kw_only=True)
class Seconded:
    """What the second source said."""

    figures: tuple[Figure, ...]
    heartbeats: tuple[Heartbeat, ...]


def look(target: Target, access: Access, found: Found, *, now: datetime, window_minutes: float) -> Seconded:
    """Figures of the window. Raises Failed when the cloud refuses or does not answer."""
    until = now.timestamp()
    span = Span(since=until - window_minutes * 60, until=until)
    lines = _lines(target, access, found, span)
    pools = {sizes.group: pool for pool, sizes in (found.sizes or {}).items()}
    beats = heartbeats(lines, span, SOURCES[target.cloud])
    named = tuple(
        beat.model_copy(update={"pool": pools.get(beat.pool, beat.pool)}) for beat in beats
    )  # within, a pool has its cloud's name
    return Seconded(figures=figures(lines, span), heartbeats=named)


def _lines(target: Target, access: Access, found: Found, span: Span) -> list[Line]:
    machines = {pool: names for pool, names in (found.machines or {}).items() if names}
    try:
        match target.cloud:
            case "aws":
                from scripts.idle.collect import aws, cloudwatch

                return cloudwatch.lines(aws.Aws(target, access.environment, access.paces), machines, span)
            case "gcp":
                from scripts.idle.collect import cloud_monitoring, gcp

                return cloud_monitoring.lines(gcp.Gcp.of(target, access), machines, span)
            case "azure":
                from scripts.idle.collect import azure, azure_monitor

                return azure_monitor.lines(azure.Azure.of(target, access), found.identity, machines, span)
    except ImportError as error:
        raise Failed(f"the client of {target.cloud} is not installed ({error}): install gpukit[{target.cloud}]") from error
