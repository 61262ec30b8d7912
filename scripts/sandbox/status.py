"""What is in the world, counted."""

from __future__ import annotations

from collections import Counter
from typing import Any

from scripts.sandbox.kinds import tokens as t
from scripts.sandbox.simulation import Simulation


def summary(world: Simulation) -> dict[str, Any]:
    """Time, account, counts by kind, running instances by machine, faults: plain JSON."""
    records = [r for r in world.store if r.status != "terminated"]
    running = [r for r in records if r.kind == t.INSTANCE and r.status == "running"]
    return {
        "schema": "gpukit/world/status/1",
        "simulated": True,
        "now": world.clock.text(),
        "speed": world.clock.speed,
        "account": world.account,
        "records": dict(sorted(Counter(r.kind for r in records if not r.kind.startswith("gpukit:")).items())),
        "clusters": [
            {"name": r.id, "place": r.key, "status": r.status, "endpoint": r.state.get("endpoint")} for r in records if r.kind == t.CLUSTER
        ],
        "instances": dict(sorted(Counter(str(r.state["instanceType"]) for r in running).items())),
        "quotas": world.store.meta("quotas", {}),
        "faults": [fault.as_json() for fault in world.faults.all()],
    }
