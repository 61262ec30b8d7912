"""Builders over the simulated GCP: each test starts from what is valid and changes one thing."""

from __future__ import annotations

from typing import Any

from scripts.sandbox import kinds
from scripts.sandbox.kinds.gcp import tokens as t
from scripts.sandbox.kinds.kind import Order
from scripts.sandbox.simulation import Given
from scripts.sandbox.store import Record
from tests.sandbox.cloud import Cloud

PROJECT = "simulated-project"
REGION = "us-central1"
ZONE = "us-central1-a"
GPU = {"type": "nvidia-l4", "count": 1, "gpuDriverInstallationConfig": {"gpuDriverVersion": "LATEST"}}
MEGA = {"type": "nvidia-h100-mega-80gb", "count": 8, "gpuDriverInstallationConfig": {"gpuDriverVersion": "LATEST"}}
NONE = {"consumeReservationType": "NO_RESERVATION"}


class Gcp(Cloud):
    """A world of its own in a directory, with one project; operations are instant."""

    def order(self, token: str, inputs: dict[str, Any], before: Record | None = None) -> Order:
        place = self.world.place("global", "gcp")
        return Order(world=self.world, place=place, token=token, name="n", inputs=inputs, before=before, defaults={"region": REGION})

    def make(self, token: str, *, tags: dict[str, str] | None = None, **inputs: Any) -> Record:  # type: ignore[override]
        kind = kinds.kind(token)
        self._made += 1
        if kind.auto_name:
            inputs.setdefault(kind.auto_name, f"made-{self._made}")
        given = {name: value for name, value in inputs.items() if value is not None}
        return self.world.create(kind, self.order(token, given), given=Given(given, tags or {}))

    def all(self, kind: str, region: str = "global") -> list[Record]:
        return self.world.store.of_kind(kind, self.world.place(region, "gcp").key)

    def running(self) -> list[Record]:
        return [i for i in self.all(t.INSTANCE) if i.status == "RUNNING"]

    def network(self, **changes: Any) -> Record:
        return self.make(t.NETWORK, **{"autoCreateSubnetworks": False, **changes})

    def subnetwork(self, network: Record, cidr: str = "10.0.0.0/20", **changes: Any) -> Record:
        return self.make(t.SUBNETWORK, **{"network": network.id, "region": REGION, "ipCidrRange": cidr, **changes})

    def cluster(self, **changes: Any) -> Record:
        """A zonal cluster `lab` in a network of its own."""
        network = self.network(name="lab-net")
        ranges = [{"rangeName": "pods", "ipCidrRange": "10.64.0.0/16"}, {"rangeName": "services", "ipCidrRange": "10.96.0.0/20"}]
        subnetwork = self.subnetwork(network, name="lab-nodes", secondaryIpRanges=ranges)
        given = {
            "name": "lab", "location": ZONE, "network": network.id, "subnetwork": subnetwork.id, "removeDefaultNodePool": True,
            "initialNodeCount": 1, "deletionProtection": False, "minMasterVersion": "1.35", "datapathProvider": "ADVANCED_DATAPATH",
            "ipAllocationPolicy": {"clusterSecondaryRangeName": "pods", "servicesSecondaryRangeName": "services"},
        }  # fmt: skip
        return self.make(t.CLUSTER, **{**given, **changes})

    def pool(self, cluster: Record, /, *, config: dict[str, Any] | None = None, **changes: Any) -> Record:
        """A pool of one plain machine, growing to four."""
        given: dict[str, Any] = {
            "cluster": cluster.state["name"],
            "location": cluster.state["location"],
            "initialNodeCount": 1,
            "autoscaling": {"totalMinNodeCount": 0, "totalMaxNodeCount": 4},
            "nodeConfig": {"machineType": "e2-standard-4", **(config or {})},
        }
        return self.make(t.NODE_POOL, **{**given, **changes})

    def networks(self, count: int, **changes: Any) -> list[dict[str, str]]:
        """Additional networks with a subnetwork each, as a pool names them."""
        made: list[dict[str, str]] = []
        for at in range(count):
            network = self.network(name=f"gpu-{at}", mtu=8244, **changes)
            made.append({"network": network.id, "subnetwork": self.subnetwork(network, f"10.{10 + at}.0.0/24", name=f"gpu-{at}").id})
        return made
