"""Telemetry of the situations that an idle rule must tell apart, as Prometheus would answer for one p4d node of eight A100."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from scripts.idle.signals import Cluster

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
STEP = 60
NODE = "ip-10-64-0-10.ec2.internal"
GPUS = 8
Value = Callable[[float], float | str | None]
"""The sample so many minutes ago; None: none was sent."""

TRAIN = {
    "DCGM_FI_DEV_GPU_UTIL": lambda _: 99.0,
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": lambda _: 0.97,
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": lambda _: 0.45,
    "DCGM_FI_DEV_POWER_USAGE": lambda _: 360.0,
    "DCGM_FI_DEV_FB_USED": lambda _: 38000.0,
    "DCGM_FI_PROF_NVLINK_TX_BYTES": lambda _: 2e10,
}
REST = {
    "DCGM_FI_DEV_GPU_UTIL": lambda _: 0.0,
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": lambda _: 0.0,
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": lambda _: 0.0,
    "DCGM_FI_DEV_POWER_USAGE": lambda _: 52.0,
    "DCGM_FI_DEV_FB_USED": lambda _: 4.0,
    "DCGM_FI_PROF_NVLINK_TX_BYTES": lambda _: 0.0,
}


def series(counters: Mapping[str, Value], *, node: str = NODE, gpus: int = GPUS, minutes: int = 60, **labels: str) -> list[dict[str, Any]]:
    return [
        {
            "metric": {"__name__": name, "Hostname": node, "gpu": str(gpu), "UUID": f"GPU-{node}-{gpu}", **labels},
            "values": [[NOW.timestamp() - ago * STEP, value] for ago in range(minutes - 1, -1, -1) if (value := counter(ago)) is not None],
        }
        for name, counter in counters.items()
        for gpu in range(gpus)
    ]


def source(name: str, minutes_ago: float = 0, error: str | None = None) -> dict[str, Any]:
    return {"name": name, "read_at": (NOW - timedelta(minutes=minutes_ago)).isoformat(), "error": error}


def pod(phase: str = "Running", **other: Any) -> dict[str, Any]:
    where = {} if phase == "Pending" else {"node": NODE}
    return {"namespace": "research", "name": "llm-0", "phase": phase, "gpus": 8, "kind": "Job", **where, **other}


def cluster(telemetry: Mapping[str, Value] | None = None, /, **changes: Any) -> Cluster:
    """A training cluster of one p4d node whose GPUs rest and that no pod uses, but for `changes`."""
    base: dict[str, Any] = {
        "name": "lab",
        "cloud": "aws",
        "account": "123456789012",
        "region": "us-east-1",
        "stack": "aws-training-dev",
        "workload": "training",
        "owner": "ml-platform",
        "tags": {"gpukit/stack": "aws-training-dev"},
        "other_usd_per_hour": 0.15,
        "sources": [source("kubernetes"), source("dcgm")],
        "pools": [
            {"name": "a100", "machine": "p4d.24xlarge", "market": "on_demand", "gpus_per_node": 8, "current": 1, "usd_per_node_hour": 21.96}
        ],
        "nodes": [{"name": NODE, "pool": "a100", "created": (NOW - timedelta(hours=9)).isoformat(), "gpus": 8}],
        "pods": [],
        "queues": [],
        "counters": sorted(REST),
        "series": series(REST if telemetry is None else telemetry),
    }
    return Cluster.model_validate({**base, **changes})
