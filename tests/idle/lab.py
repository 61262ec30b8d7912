"""A simulated cluster of one GPU pool with its doors open in this process, and everything that is asked about it."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from scripts.idle.act.scale import Acting
from scripts.idle.act.state import Store
from scripts.idle.collect import prometheus, together
from scripts.idle.collect.clouds import Access
from scripts.idle.collect.targets import Target
from scripts.idle.collect.together import Asking, Looked
from scripts.idle.intent import Policy, Strongest
from scripts.idle.rules import Rules
from scripts.idle.verdict import Verdict, verdict
from scripts.sandbox import load, objects
from scripts.sandbox.doors import kubernetes
from scripts.sandbox.doors import prometheus as prometheus_door
from scripts.sandbox.doors.aws import door as aws
from scripts.sandbox.doors.http import DoorServer, Request, Response
from scripts.sandbox.place import ACCOUNTS, Place
from scripts.sandbox.simulation import Simulation
from scripts.sandbox.store import Record
from tests.sandbox.cloud import REGION, Cloud, efa
from tests.sandbox.test_nodes_and_load import release

STACK = "dev"
TAGS = {"gpukit/stack": STACK, "gpukit/pool": "a100"}


class Lab:
    """Cluster `lab` with pool `a100` of up to four p4d.24xlarge; the GPU Operator is installed."""

    def __init__(self, home: Path) -> None:
        self.calls: list[tuple[str, str]] = []
        """Every request that reached a door: method and path."""
        doors: dict[str, Any] = {}
        self.server = DoorServer(0, doors)
        self.address = f"http://127.0.0.1:{self.server.port}"
        for name in ("cloud", "world"):
            (home / name).mkdir()
        self.cloud = Cloud(home / "cloud")
        self.cloud.world = Simulation(home / "world", speed=0, address=self.address)
        world = self.cloud.world
        for prefix, door in (("/aws", aws.door(world)), ("/eks", kubernetes.door(world)), ("/prometheus", prometheus_door.door(world))):
            doors[prefix] = self._seen(door)
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        self.cluster = self.cloud.cluster()
        self.group = self.cloud.group(
            self.cluster, template=self.cloud.template(networkInterfaces=efa(4)), desired=0, tags=TAGS,
            instanceTypes=["p4d.24xlarge"], amiType="AL2023_x86_64_NVIDIA",
        )  # fmt: skip
        release(self.cloud, self.cluster, "gpu-operator", driver={"enabled": False}, toolkit={"enabled": False})
        self.store = Store(home / "idle")
        self.said: list[str] = []

    def _seen(self, door: Any) -> Any:
        def answer(request: Request) -> Response:
            self.calls.append((request.method, request.path))
            return door(request)

        return answer

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    @property
    def key(self) -> str:
        return Place.of(self.cluster.key).in_cluster(self.cluster.id).key

    def nodes(self, count: int, *, pods: int = 0, busy: float = 1.0) -> None:
        load.set_load(self.cloud.world, stack=STACK, pool="a100", nodes=count, gpu_busy=busy, pods=pods)

    def rested(self, count: int = 2) -> Lab:
        """`count` nodes that nothing has used for three hours."""
        self.nodes(count)
        self.advance("3h")
        return self

    def advance(self, step: str) -> None:
        from scripts.sandbox.clock import duration

        with self.cloud.world.store.transaction():
            self.cloud.world.clock.advance(duration(step))
            self.cloud.world.tick()

    def put(self, body: dict[str, Any]) -> Record:
        with self.cloud.world.store.transaction():
            return objects.put(self.cloud.world, self.key, body)

    def queue(self, name: str = "gpus", **status: int) -> None:
        body = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "metadata": {"name": name}, "spec": {}, "status": status}
        self.put(body)

    def policy_of(self, queue: str = "gpus") -> str | None:
        record = self.cloud.world.store.get("kubernetes:kueue.x-k8s.io/v1beta2:ClusterQueue", self.key, queue)
        assert record is not None
        return (record.state.get("spec") or {}).get("stopPolicy")

    @property
    def sizes(self) -> dict[str, int]:
        scaling = self.cloud.now(self.group).state["scalingConfig"]
        return {name: int(scaling[name]) for name in ("minSize", "desiredSize", "maxSize")}

    @property
    def machines(self) -> int:
        return sum(1 for i in self.cloud.running() if i.state["instanceType"] == "p4d.24xlarge")

    @property
    def asking(self) -> Asking:
        environment = {"AWS_ENDPOINT_URL": f"{self.address}/aws", "AWS_ACCESS_KEY_ID": "simulated", "AWS_SECRET_ACCESS_KEY": "simulated"}
        return Asking(
            access=Access(environment=environment, sandbox=True),
            metering=lambda target: prometheus.Metrics(url=f"{self.address}/prometheus", match=f'cluster="{target.cluster}"'),
            rules=Rules(),
            now=self.cloud.world.clock.now(),
        )

    @property
    def acting(self) -> Acting:
        return Acting(
            access=self.asking.access, store=self.store, now=self.asking.now, say=self.said.append, wait_seconds=0, sleep=lambda _: None
        )

    def target(self, **changes: Any) -> Target:
        plain = Target(
            stack=STACK, cluster="lab", cloud="aws", account=ACCOUNTS["aws"], region=REGION, workload="training",
            owner="ml-platform", expires=date(2027, 3, 1), policy=Policy(strongest=Strongest.SCALE_TO_ZERO), notify=(), markets={"a100": "on_demand"},
        )  # fmt: skip
        return replace(plain, **changes)

    def look(self, **changes: Any) -> Looked:
        return together.of(self.target(**changes), self.asking)

    def verdict(self, **changes: Any) -> Verdict:
        looked = self.look(**changes)
        assert not looked.errors
        return verdict(looked.cluster, self.asking.now)
