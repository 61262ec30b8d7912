"""The heartbeat of a cluster's GPUs in its cloud's metrics: names, and what of it may be believed.

Depends on nothing, since the idle watch on AWS carries it into its function.
"""

from __future__ import annotations

NAMESPACE = "gpukit/heartbeat"
"""Of the metrics on AWS and Azure."""
CLUSTER = "cluster"
POOL = "pool"
"""Dimensions of each metric on AWS."""

GPUS = "gpus"
"""GPUs that sent counters."""
BUSY_GPUS = "busy_gpus"
GPU_PODS = "gpu_pods"
"""Running and waiting ones."""
QUEUED_WORKLOADS = "queued_workloads"
LAST_ACTIVE = "last_active"
"""Seconds since 1970; missing until something was seen at work."""

BEAT_SECONDS = 60
LATE_SECONDS = 180
"""After which CloudWatch surely shows a beat."""

WINDOW_MINUTES = 60
"""How long everything must have been quiet: checkpoints and data loading pause a working job for up to 40."""
COVERAGE = 0.9
"""Share of expected samples that must have come."""
STALE_MINUTES = 10
"""Age of the last sample beyond which it says nothing about now."""
SKEW_MINUTES = 2
"""How far a clock may be ahead of ours."""
