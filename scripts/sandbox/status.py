"""What is in the world, counted."""

from __future__ import annotations

from collections import Counter
from typing import Any

from scripts.sandbox import clouds
from scripts.sandbox.simulation import Simulation


def summary(world: Simulation) -> dict[str, Any]:
    """Time, accounts, counts by kind, running instances by machine, faults: plain JSON."""
    records = [r for r in world.store if r.status != "terminated"]
    present = clouds.used(world)
    machines = {cloud.instance: cloud.machine for cloud in present}
    running = [machines[r.kind](r) for r in records if r.kind in machines and r.status.lower() == "running"]
    return {
        "schema": "gpukit/world/status/1",
        "simulated": True,
        "now": world.clock.text(),
        "speed": world.clock.speed,
        "accounts": world.accounts,
        "records": dict(sorted(Counter(r.kind for r in records if not r.kind.startswith("gpukit:")).items())),
        "clusters": [
            {"name": r.id, "place": r.key, "status": r.status, "endpoint": r.state.get("endpoint")}
            for r in records
            if r.kind in {c.cluster for c in present}
        ],
        "instances": dict(sorted(Counter(running).items())),
        "quotas": world.store.meta("quotas", {}),
        "faults": [fault.as_json() for fault in world.faults.all()],
    }
