"""Where EC2 offers a machine, and how likely it has spot capacity for all of a pool's nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from components.inventory import Market, NodePool
from components.unknown import Unknown, known
from scripts.quota.door import Extras
from scripts.quota.readings import Gap

from .session import Clients, ask


def extras(clients: Clients, pools: Iterable[NodePool]) -> Extras:
    lines: list[str] = []
    gaps: list[Gap] = []
    for pool in pools:
        for answer in _of_pool(clients, pool):
            if isinstance(answer, Gap):
                gaps.append(answer)
            else:
                lines.append(answer)
    return Extras(lines=tuple(lines), gaps=tuple(dict.fromkeys(gaps)))


def _of_pool(clients: Clients, pool: NodePool) -> Iterator[str | Gap]:
    if isinstance(pool.region, Unknown) or isinstance(pool.machines, Unknown):
        return
    region, machines = pool.region, [machine for machine in pool.machines if known(machine)]
    for machine in machines:
        zones = ask(region, "ec2:DescribeInstanceTypeOfferings", lambda machine=machine: _zones(clients("ec2", region), machine))
        offered = zones if isinstance(zones, Gap) else f"{pool.name}: {machine} is offered in {', '.join(zones) or 'no zone'} of {region}"
        yield offered
    count = pool.nodes.maximum
    if pool.market is Market.SPOT and machines and isinstance(count, int) and count > 0:
        score = ask(region, "ec2:GetSpotPlacementScores", lambda: _score(clients("ec2", region), machines, count, region))
        yield score if isinstance(score, Gap) else f"{pool.name}: spot placement score {score} of 10 for {count} nodes at once in {region}"


def _zones(client: Any, machine: str) -> list[str]:
    pages = client.get_paginator("describe_instance_type_offerings").paginate(
        LocationType="availability-zone", Filters=[{"Name": "instance-type", "Values": [machine]}]
    )
    return sorted(offer["Location"] for page in pages for offer in page["InstanceTypeOfferings"])


def _score(client: Any, machines: list[str], count: int, region: str) -> str:
    answer = client.get_spot_placement_scores(
        InstanceTypes=machines, TargetCapacity=count, RegionNames=[region], SingleAvailabilityZone=True
    )
    scores = [entry["Score"] for entry in answer["SpotPlacementScores"]]
    return str(max(scores)) if scores else "unknown"
