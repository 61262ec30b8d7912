"""The cluster `lab` in a simulated GCP behind real doors, and teardowns of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scripts.engine.environment import GCP_ENDPOINT
from scripts.sandbox.doors import kubernetes
from scripts.sandbox.doors.gcp import door
from scripts.sandbox.doors.http import DoorServer
from scripts.sandbox.kinds.gcp import tokens as t
from scripts.teardown.clouds.gcp.cloud import GcpCloud
from scripts.teardown.cluster import Cluster
from scripts.teardown.journal import Journal
from scripts.teardown.model import Target
from scripts.teardown.running import Pace
from scripts.teardown.step import Choices, Scene
from scripts.teardown.teardown import Teardown
from tests.sandbox.gcp_cloud import GPU, PROJECT, REGION, Gcp
from tests.teardown.lab import Ticks

LABELS = {"gpukit-stack": "lab", "gpukit-cluster": "lab"}
TARGET = Target(cloud="gcp", account=PROJECT, region=REGION, cluster="lab", world="sandbox")


@contextmanager
def served(gcp: Gcp) -> Generator[dict[str, str]]:
    """The environment in which clients find the world of `gcp`, with the cluster, a pool and a bucket in it."""
    server = DoorServer(0, {"/gcp": door.door(gcp.world), "/gke": kubernetes.door(gcp.world)})
    threading.Thread(target=server.serve_forever, daemon=True).start()
    gcp.world.address = f"http://127.0.0.1:{server.port}"
    cluster = gcp.cluster(resourceLabels=LABELS, tags=LABELS)
    gcp.pool(
        cluster,
        config={"machineType": "g2-standard-8", "guestAccelerators": [GPU], "resourceLabels": LABELS},
        name="l4",
        initialNodeCount=2,
    )
    gcp.make(t.BUCKET, name="lab-checkpoints", location="US-CENTRAL1", labels=LABELS, tags=LABELS)
    try:
        yield {GCP_ENDPOINT: f"{gcp.world.address}/gcp"}
    finally:
        server.shutdown()
        server.server_close()


def teardown(
    environment: dict[str, str],
    tmp_path: Path,
    appended: Callable[[Any], None] = lambda _: None,
    cluster: Cluster | None = None,
    **choices: Any,
) -> Teardown:
    ticks = Ticks()
    cloud = GcpCloud(TARGET, environment, sleep=ticks.sleep)
    facts = cloud.cluster()
    return Teardown(
        scene=Scene(
            target=TARGET,
            cloud=cloud,
            cluster=cluster,
            engine=None,
            cluster_gone=facts is None,
            choices=Choices(without_api=cluster is None, **choices),
        ),
        facts=facts,
        journal=Journal(tmp_path / "teardown.jsonl", appended=appended),
        say=lambda _: None,
        pace=Pace(look_seconds=60, now=ticks.now, sleep=ticks.sleep),
    )
