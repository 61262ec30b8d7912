"""Instances of a project that carry a stack's identity, and where machine types are offered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from components.inventory import Market, NodePool
from components.naming import tag_key
from components.unknown import Unknown, known
from scripts.quota.door import Extras, InUse
from scripts.quota.nodes_in_use import RunningNodes
from scripts.quota.readings import Gap

from .session import Clients, ask

_OVER = frozenset({"TERMINATED", "STOPPED", "SUSPENDED"})
_MARKETS = {"SPOT": Market.SPOT, "FLEX_START": Market.FLEX_START}


def in_use(clients: Clients, project: str, stacks: Sequence[str], regions: Sequence[str]) -> InUse:
    found = ask("instances of the project", "compute.instances.list", lambda: list(_running(clients, project, stacks)))
    if isinstance(found, Gap):
        return InUse(gaps=(found,))
    return InUse(nodes=tuple(nodes for nodes in found if nodes.region in regions))


def _running(clients: Clients, project: str, stacks: Sequence[str]) -> Iterator[RunningNodes]:
    key = tag_key("gcp", "stack")
    told = " OR ".join(f"labels.{key}={stack}" for stack in stacks)
    counted: Counter[tuple[str, str, str, Market]] = Counter()
    for zone, scoped in clients.instances.aggregated_list(request={"project": project, "filter": told}, retry=clients.retry):
        region = zone.rpartition("/")[2].rpartition("-")[0]
        for instance in scoped.instances:
            if instance.status not in _OVER:
                market = _MARKETS.get(instance.scheduling.provisioning_model, Market.ON_DEMAND)
                counted[instance.labels[key], region, instance.machine_type.rpartition("/")[2], market] += 1
    for (stack, region, machine, market), count in sorted(counted.items()):
        yield RunningNodes(stack=stack, cloud="gcp", region=region, machine=machine, market=market, count=count)


def extras(clients: Clients, project: str, pools: Iterable[NodePool]) -> Extras:
    lines: list[str] = []
    gaps: list[Gap] = []
    for pool in pools:
        machines = () if isinstance(pool.machines, Unknown) else [machine for machine in pool.machines if known(machine)]
        for machine in machines:
            zones = ask("machine types", "compute.machineTypes.list", lambda machine=machine: _zones(clients, project, machine))
            if isinstance(zones, Gap):
                gaps.append(zones)
            elif known(pool.region):
                here = [zone for zone in zones if zone.startswith(f"{pool.region}-")]
                lines.append(f"{pool.name}: {machine} is offered in {', '.join(here) or 'no zone'} of {pool.region}")
    return Extras(lines=tuple(lines), gaps=tuple(dict.fromkeys(gaps)))


def _zones(clients: Clients, project: str, machine: str) -> list[str]:
    request = {"project": project, "filter": f'name="{machine}"'}
    pages = clients.machine_types.aggregated_list(request=request, retry=clients.retry)
    return sorted(zone.rpartition("/")[2] for zone, scoped in pages if scoped.machine_types)
