"""Speed of `gpukit idle` as ratios within one run: `python -m tests.bench.idle`. Nothing here fails a build.

Two questions: how long looking at 200 clusters on three clouds takes beside what the clouds' request limits alone dictate (1.3 at most),
and how memory grows with the number of samples (not at all). The clouds are simulated ones on the loopback, each API behind a bucket of its
published size that refuses what comes too fast; they share this process and its processors with what is measured. The targets of one
cloud are one cluster asked again and again. Kubernetes and Prometheus answer on AWS only.
"""

from __future__ import annotations

import tempfile
import threading
import time
import tracemalloc
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from scripts.engine.environment import AZURE_ENDPOINT, GCP_ENDPOINT
from scripts.idle.collect import together
from scripts.idle.collect.clouds import Access
from scripts.idle.collect.pacing import limits
from scripts.idle.collect.targets import Target
from scripts.idle.fold import Grid, folded
from scripts.sandbox.doors.azure.door import door as azure_door
from scripts.sandbox.doors.gcp.door import door as gcp_door
from scripts.sandbox.doors.http import Request, Response
from tests.idle.lab import Lab
from tests.idle.test_other_clouds import target
from tests.sandbox.azure import A100, SUBSCRIPTION, Azure
from tests.sandbox.azure import REGION as EASTUS
from tests.sandbox.gcp_cloud import GPU, PROJECT, Gcp
from tests.sandbox.gcp_cloud import REGION as CENTRAL

CLUSTERS = 200
ALLOWED = 1.3
SAMPLES = 20_000


@dataclass
class Gate:
    """The limits of all APIs on the servers' side: what comes too fast is refused as the cloud refuses it."""

    asked: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    _tokens: dict[str, tuple[float, float]] = field(default_factory=dict)
    _lock: Any = field(default_factory=threading.Lock)

    def grants(self, api: str) -> bool:
        rate, burst = limits(api)
        with self._lock:
            now = time.monotonic()
            tokens, at = self._tokens.get(api, (burst, now))
            tokens = min(burst, tokens + (now - at) * rate)
            granted = tokens >= 1
            self._tokens[api] = (tokens - granted, now)
            (self.asked if granted else self.refused)[api] += 1
            return granted

    @property
    def dictated_s(self) -> float:
        """Seconds that the slowest of the limits takes for the calls that it granted."""
        return max((count - limits(api)[1]) / limits(api)[0] for api, count in self.asked.items())


def gated(gate: Gate, door: Any) -> Any:
    def answer(request: Request) -> Response:
        if gate.grants(api_of(request)):
            return door(request)
        if request.door == "/aws":
            return Response(400, b'{"message": "slow down"}', "application/json", {"x-amzn-errortype": "ThrottlingException"})
        return Response.of_json({"error": {"code": "429", "message": "slow down"}}, 429)

    return answer


def api_of(request: Request) -> str:
    """The API whose limit a request uses: of AWS the service that it is signed for."""
    if request.door == "/aws":
        return request.headers["authorization"].split("/")[3]
    if request.door == "/gcp":
        return "compute" if "/compute/" in request.path else "gke"
    return "azure"


def world(home: Path, gate: Gate) -> tuple[Lab, Access, list[Target]]:
    """The simulated clouds behind the gate, the way to them, and the targets, those of one cloud after those of another."""
    lab = Lab(home).rested(2)
    for name in ("gcp", "azure"):
        (home / name).mkdir()
    google = Gcp(home / "gcp")
    labels = {"gpukit-stack": "dev", "gpukit-pool": "gpus"}
    config = {"machineType": "g2-standard-8", "guestAccelerators": [GPU], "resourceLabels": labels}
    google.pool(google.cluster(), config=config, name="l4", initialNodeCount=2)
    azure = Azure(home / "azure")
    azure.cluster()
    azure.pool(vmSize=A100, count=2, enableAutoScaling=True, minCount=0, maxCount=4, tags={"gpukit-pool": "gpus"})
    doors: Any = lab.server.doors
    doors["/aws"] = gated(gate, doors["/aws"])
    doors["/gcp"] = gated(gate, gcp_door(google.world))
    doors["/azure"] = gated(gate, azure_door(azure.world))
    ways = {GCP_ENDPOINT: f"{lab.address}/gcp", AZURE_ENDPOINT: f"{lab.address}/azure"}
    access = Access(environment={**lab.asking.access.environment, **ways}, sandbox=True)
    kinds = (lab.target(), target("gcp", PROJECT, CENTRAL, "gpus"), target("azure", SUBSCRIPTION, EASTUS, "gpus"))
    counts = (CLUSTERS - 2 * (CLUSTERS // 3), CLUSTERS // 3, CLUSTERS // 3)
    targets = [replace(kind, stack=f"{kind.cloud}-{i}") for kind, count in zip(kinds, counts, strict=True) for i in range(count)]
    return lab, access, targets


def looking() -> None:
    """Prints the ratio for all clusters."""
    with tempfile.TemporaryDirectory() as folder:
        gate = Gate()
        lab, access, targets = world(Path(folder), gate)
        try:
            asking = replace(lab.asking, access=access)
            aws = lab.asking.metering
            asking = replace(asking, metering=lambda each: aws(each) if each.cloud == "aws" else None)
            together.look([targets[0], targets[-1], targets[CLUSTERS // 2]], asking)  # the SDKs are imported and their models read
            gate.asked.clear()
            time.sleep(max(limits(api)[1] / limits(api)[0] for api in ("eks", "gke", "azure")))  # buckets are full again
            asking = replace(asking, access=Access(environment=access.environment, sandbox=True))
            start = time.perf_counter()
            looked = together.look(targets, asking)
            took = time.perf_counter() - start
        finally:
            lab.close()
    found = sum(each.found is not None and each.there for each in looked)
    print(
        f"{CLUSTERS} clusters, {found} found   {took:6.2f} s   {took / gate.dictated_s:4.2f} x what the limits dictate ({ALLOWED} at most)"
    )
    print(f"calls   {dict(gate.asked)}, refused {dict(gate.refused)}")


def peak(samples: int) -> int:
    """Bytes at most while one series of that many samples in one window is folded."""
    grid = Grid(since=0.0, until=3600.0, step=60.0)

    def told() -> Iterable[tuple[float, float]]:
        return ((3600.0 * i / samples, 0.5) for i in range(samples))

    tracemalloc.start()
    folded({"__name__": "DCGM_FI_PROF_GR_ENGINE_ACTIVE"}, told(), grid)
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return used


def main() -> None:
    looking()
    peak(SAMPLES)
    few, many = peak(SAMPLES), peak(10 * SAMPLES)
    print(f"memory of ten times the samples   {many / few:4.2f} x ({few / 1024:.0f} KiB for {SAMPLES})")


if __name__ == "__main__":
    main()
