"""Builders over a simulated world without doors: each test starts from what is valid and changes one thing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scripts.sandbox import kinds
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.kinds.kind import Order
from scripts.sandbox.simulation import Simulation
from scripts.sandbox.store import Record

REGION = "us-east-1"
TRUST = '{"Version": "2012-10-17", "Statement": []}'


class Cloud:
    """A world of its own in a directory; operations are instant."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.world = Simulation(home, speed=0, address="http://127.0.0.1:1")
        self._made = 0

    def restarted(self) -> Cloud:
        """The same world as a server would find it after it was killed: nothing is closed or written first."""
        return Cloud(self.home)

    def make(self, token: str, *, region: str = REGION, tags: dict[str, str] | None = None, **inputs: Any) -> Record:
        from scripts.sandbox.simulation import Given

        kind = kinds.kind(token)
        self._made += 1
        if kind.auto_name:
            inputs.setdefault(kind.auto_name, f"made-{self._made}")
        given = {**inputs, **({"tags": tags} if tags else {})}
        order = Order(
            world=self.world, place=self.world.place("global" if kind.everywhere else region), token=token, name="n", inputs=given
        )
        return self.world.create(kind, order, given=Given(given, tags or {}))

    def change(self, record: Record, **inputs: Any) -> Record:
        from scripts.sandbox.place import Place

        now = self.now(record)
        order = Order(
            world=self.world, place=Place.of(record.key), token=record.kind, name="n", inputs={**now.inputs, **inputs}, before=now
        )
        return self.world.update(kinds.kind(record.kind), order)

    def delete(self, record: Record) -> None:
        self.world.delete(kinds.kind(record.kind), self.now(record))

    def now(self, record: Record) -> Record:
        found = self.world.store.by_ref(record.ref)
        assert found is not None, f"{record.ref} is gone"
        return found

    def there(self, record: Record) -> bool:
        return self.world.store.by_ref(record.ref) is not None

    def all(self, kind: str, region: str = REGION) -> list[Record]:
        return self.world.store.of_kind(kind, self.world.place(region).key)

    def running(self) -> list[Record]:
        return [i for i in self.all(t.INSTANCE) if i.status == "running"]

    def vpc(self, **changes: Any) -> Record:
        return self.make(t.VPC, **{"cidrBlock": "10.0.0.0/16", **changes})

    def subnet(self, vpc: Record, zone: str = "a", cidr: str | None = None, **changes: Any) -> Record:
        third = 16 * (ord(zone) - ord("a"))
        return self.make(
            t.SUBNET, **{"vpcId": vpc.id, "cidrBlock": cidr or f"10.0.{third}.0/20", "availabilityZone": f"{REGION}{zone}", **changes}
        )

    def role(self, **changes: Any) -> Record:
        return self.make(t.ROLE, **{"assumeRolePolicy": TRUST, **changes})

    def cluster(self, **changes: Any) -> Record:
        vpc = self.vpc()
        subnets = [self.subnet(vpc, zone).id for zone in "ab"]
        given = {"name": "lab", "version": "1.35", "roleArn": self.role().state["arn"], "vpcConfig": {"subnetIds": subnets}}
        return self.make(t.CLUSTER, **{**given, **changes})

    def template(self, **changes: Any) -> Record:
        return self.make(t.LAUNCH_TEMPLATE, **changes)

    def group(
        self, cluster: Record, *, template: Record | None = None, desired: int = 1, tags: dict[str, str] | None = None, **changes: Any
    ) -> Record:
        """A node group of plain CPU machines in the cluster's first subnet."""
        given: dict[str, Any] = {
            "clusterName": cluster.id,
            "nodeRoleArn": cluster.state["roleArn"],
            "subnetIds": [cluster.state["vpcConfig"]["subnetIds"][0]],
            "scalingConfig": {"minSize": 0, "desiredSize": desired, "maxSize": 4},
            "instanceTypes": ["m7i.large"],
            "version": cluster.state["version"],
        }
        if template is not None:
            given["launchTemplate"] = {"id": template.id, "version": "$Latest"}
        given.update(changes)
        return self.make(t.NODE_GROUP, tags=tags, **{name: value for name, value in given.items() if value is not None})


def efa(count: int, *, primary: str = "interface", kind: str = "efa-only", device: int = 1, **changes: Any) -> list[dict[str, Any]]:
    """One plain primary interface and `count` EFA interfaces on cards 0, 1, …"""
    return [
        {"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": primary, **changes},
        *({"networkCardIndex": card, "deviceIndex": device if card == 0 else 0, "interfaceType": kind, **changes} for card in range(count)),
    ]
