"""A whole cluster in a simulated AWS behind real doors, with everything that makes its end hard; and one beside it that looks alike."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import boto3
from botocore.config import Config
from kubernetes import client

from scripts.sandbox.doors import kubernetes
from scripts.sandbox.doors.aws import door as aws
from scripts.sandbox.doors.http import DoorServer
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.store import Record
from scripts.teardown.clouds.aws.cloud import AwsCloud
from scripts.teardown.journal import Journal
from scripts.teardown.kube_cluster import KubeCluster
from scripts.teardown.model import Target
from scripts.teardown.running import Pace
from scripts.teardown.step import Choices, Scene
from scripts.teardown.teardown import Teardown
from scripts.teardown.verifying import Ending
from tests.killed import Killed
from tests.sandbox.cloud import REGION, Cloud

ACCOUNT = "123456789012"


def identity(cluster: str, stack: str = "") -> dict[str, str]:
    return {"gpukit/cluster": cluster, "gpukit/stack": stack or cluster, "gpukit/managed-by": "gpukit"}


@dataclass
class Ticks:
    """A clock that moves by sleeping alone."""

    seconds: float = 0.0

    def now(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds


@dataclass
class Lab:
    """The world, its doors, and the cluster `lab` in it."""

    home: Path
    cloud: Cloud = field(init=False)
    address: str = field(init=False)
    _server: DoorServer = field(init=False)

    def __post_init__(self) -> None:
        (self.home / "world").mkdir()
        self.cloud = Cloud(self.home / "world")
        doors = {"/aws": aws.door(self.cloud.world), "/eks": kubernetes.door(self.cloud.world)}
        self._server = DoorServer(0, doors)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self._server.port}"
        self.cloud.world.address = self.address

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    # What is there

    def cluster(self, name: str = "lab", **changes: Any) -> Record:
        """A cluster in a network of its own, with its network's parts, one GPU pool of a node and one of CPU machines."""
        cloud, tags = self.cloud, identity(name)
        vpc = cloud.make(t.VPC, tags=tags, cidrBlock="10.0.0.0/16")
        subnets = [
            cloud.make(t.SUBNET, tags=tags, vpcId=vpc.id, cidrBlock=f"10.0.{16 * at}.0/20", availabilityZone=f"{REGION}{zone}")
            for at, zone in enumerate("ab")
        ]
        gateway = cloud.make(t.INTERNET_GATEWAY, tags=tags, vpcId=vpc.id)
        address = cloud.make(t.EIP, tags=tags, domain="vpc")
        cloud.make(t.NAT_GATEWAY, tags=tags, subnetId=subnets[0].id, allocationId=address.id, connectivityType="public")
        table = cloud.make(t.ROUTE_TABLE, tags=tags, vpcId=vpc.id)
        cloud.make(t.ROUTE_TABLE_ASSOCIATION, routeTableId=table.id, subnetId=subnets[0].id)
        assert gateway.id
        role = cloud.make(t.ROLE, tags=tags, name=f"{name}-nodes", assumeRolePolicy='{"Version": "2012-10-17", "Statement": []}')
        given: dict[str, Any] = {
            "name": name,
            "version": "1.35",
            "roleArn": role.state["arn"],
            "vpcConfig": {"subnetIds": [s.id for s in subnets]},
        }
        cluster = cloud.make(t.CLUSTER, tags=tags, **{**given, **changes})
        cloud.make(t.LOG_GROUP, name=f"/aws/eks/{name}/cluster")
        pool = {**tags, "gpukit/pool": "gpu"}
        sizes = {"minSize": 1, "desiredSize": 1, "maxSize": 2}
        cloud.group(cluster, tags=pool, nodeGroupName=f"{name}-gpu", instanceTypes=["g5.xlarge"], scalingConfig=sizes)
        cloud.group(cluster, tags={**tags, "gpukit/pool": "system"}, nodeGroupName=f"{name}-system")
        return cluster

    def install(self, name: str, cluster: str = "lab", namespace: str = "kube-system", replicas: int = 1) -> None:
        self.put(
            {
                "apiVersion": "apps/v1",
                "kind": "Deployment",
                "metadata": {"name": name, "namespace": namespace, "labels": {"app.kubernetes.io/name": name}},
                "spec": {"replicas": replicas, "selector": {}, "template": {}},
            },
            cluster,
        )

    def put(self, body: Mapping[str, Any], cluster: str = "lab") -> None:
        """Make an object through the real client at the cluster's door."""
        api = self.api(cluster)
        version, kind = str(body["apiVersion"]), str(body["kind"])
        namespace = body["metadata"].get("namespace")
        stem = f"/api/{version}" if "/" not in version else f"/apis/{version}"
        plural = {"Ingress": "ingresses", "StorageClass": "storageclasses", "ClusterPolicy": "clusterpolicies"}.get(
            kind, f"{kind.lower()}s"
        )
        path = f"{stem}/namespaces/{namespace}/{plural}" if namespace else f"{stem}/{plural}"
        api.call_api(path, "POST", header_params={"Content-Type": "application/json"}, body=dict(body), _preload_content=False)

    def api(self, cluster: str = "lab") -> client.ApiClient:
        return client.ApiClient(client.Configuration(host=f"{self.address}/eks/{REGION}/{cluster}"))

    @property
    def environment(self) -> dict[str, str]:
        return {"AWS_ENDPOINT_URL": f"{self.address}/aws", "AWS_ACCESS_KEY_ID": "simulated", "AWS_SECRET_ACCESS_KEY": "simulated"}

    def boto(self, service: str) -> Any:
        return boto3.client(
            service, region_name=REGION, endpoint_url=f"{self.address}/aws", aws_access_key_id="simulated", aws_secret_access_key="simulated",
            config=Config(retries={"max_attempts": 0}, proxies={}),
        )  # fmt: skip

    # Ending it

    def target(self, cluster: str = "lab", stack: str = "") -> Target:
        return Target(cloud="aws", account=ACCOUNT, region=REGION, cluster=cluster, world="sandbox", stack=stack)

    def teardown(
        self, *, appended: Callable[[Mapping[str, Any]], None] = lambda _: None, said: list[str] | None = None, **choices: Any
    ) -> Teardown:
        """A teardown of `lab` whose state is lost; time passes by sleeping alone."""
        target, ticks = self.target(), Ticks()
        cloud = AwsCloud(target, self.environment)
        facts = cloud.cluster()
        wanted = Choices(**choices)
        api = KubeCluster(self.api()) if facts is not None and not wanted.without_api else None
        journal = Journal(self.home / "journal.jsonl", appended)
        return Teardown(
            scene=Scene(
                target=target, cloud=cloud, cluster=api if api is not None and api.answers() else None, engine=None, cluster_gone=facts is None,
                choices=wanted,
            ),
            facts=facts,
            journal=journal,
            say=(said if said is not None else []).append,
            pace=Pace(look_seconds=60, now=ticks.now, sleep=ticks.sleep),
        )  # fmt: skip

    def left(self, kind: str) -> list[str]:
        """What of one kind is left, but for instances that have ended."""
        return sorted(r.id for r in self.cloud.all(kind) if r.status != "terminated")


def ended_after_kills(begun: Callable[[Callable[[Any], None]], Teardown]) -> tuple[int, Ending]:
    """Runs on one world and one journal, each killed after one entry more than the last, until one ends: the kills and that end."""
    for kills in range(60):
        left = [kills + 1]

        def appended(_: Any, left: list[int] = left) -> None:
            left[0] -= 1
            if not left[0]:
                raise Killed

        made = begun(appended)
        try:
            return kills, made.act(made.plan())
        except Killed:
            continue
    raise AssertionError("no run has ended")
