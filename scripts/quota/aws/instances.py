"""Running instances that carry a stack's identity: they use quotas, but stand in their own stack's way no more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from components.inventory import Market
from components.naming import tag_key
from scripts.quota.door import InUse
from scripts.quota.nodes_in_use import RunningNodes
from scripts.quota.readings import Gap

from .session import Clients, ask

_COUNTED = ["pending", "running"]
"""States in which EC2 counts an instance against its quotas."""
_MARKETS = {"spot": Market.SPOT, "capacity-block": Market.CAPACITY_BLOCK}


def in_use(clients: Clients, stacks: Sequence[str], regions: Sequence[str]) -> InUse:
    nodes: list[RunningNodes] = []
    gaps: list[Gap] = []
    for region in regions:
        answer = ask(region, "ec2:DescribeInstances", lambda region=region: _running(clients("ec2", region), stacks, region))
        if isinstance(answer, Gap):
            gaps.append(answer)
        else:
            nodes += answer
    return InUse(nodes=tuple(nodes), gaps=tuple(gaps))


def _running(client: Any, stacks: Sequence[str], region: str) -> list[RunningNodes]:
    key = tag_key("aws", "stack")
    filters = [{"Name": f"tag:{key}", "Values": list(stacks)}, {"Name": "instance-state-name", "Values": _COUNTED}]
    counted: Counter[tuple[str, str, Market]] = Counter()
    for page in client.get_paginator("describe_instances").paginate(Filters=filters):
        for instance in (i for reservation in page["Reservations"] for i in reservation["Instances"]):
            stack = next(tag["Value"] for tag in instance["Tags"] if tag["Key"] == key)
            market = _MARKETS.get(instance.get("InstanceLifecycle", ""), Market.ON_DEMAND)
            counted[stack, instance["InstanceType"], market] += 1
    return [
        RunningNodes(stack=stack, cloud="aws", region=region, machine=machine, market=market, count=count)
        for (stack, machine, market), count in sorted(counted.items())
    ]
