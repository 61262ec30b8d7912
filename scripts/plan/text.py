"""The plan for people: per stack a header, resources, pools, cost, quota, findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import groupby

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from components.catalog.fabric import Slot
from components.catalog.nics import Nic
from components.ownership import Ownership
from components.resource import ResourceSet
from scripts.counted import counted

from .findings_text import findings_block, unchecked, verdict
from .model import Plan, PoolPlan, StackPlan
from .money_text import cost_block, quota_table
from .tables import PlainTable
from .terminal import shown

_PARTS = {"nfd": "NFD", "gfd": "GFD", "mig_manager": "MIG manager", "device_plugin": "device plugin", "fabric_plugin": "fabric plugin"}
_OWNERS = {
    "image": "the image",
    "gpu_operator": "the GPU Operator",
    "network_operator": "the Network Operator",
    "cloud": "the cloud",
    "chart": "a chart of its own",
}


def print_plan(plan: Plan, console: Console) -> None:
    for stack in plan.stacks:
        console.print(_stack(stack))
    console.print(_closing(plan))


def _stack(stack: StackPlan) -> RenderableType:
    if stack.error is not None:
        return Group(Rule(shown(stack.name, "bold red"), align="left"), shown("not judged: its error is below", "red"), "")
    parts: list[RenderableType] = [Rule(shown(f"{stack.name}  {_described(stack)}", "bold"), align="left")]
    if stack.resources is not None:
        parts += [_section("Resources", _resources(stack.resources))]
    if stack.pools:
        parts += [_section("GPU pools", _pools(stack.pools))]
    if stack.cost is not None:
        parts += [_section("Cost (US dollars before tax; a month has 730 hours)", cost_block(stack.cost, stack.name))]
    if stack.quota:
        parts += [_section("Quota demand at maximum with surge", quota_table(stack.quota, stack.name))]
    parts += [_section("Findings", findings_block(stack.findings, stack.notes))]
    return Group(*parts)


def _described(stack: StackPlan) -> str:
    words = [f"{stack.workload} on {stack.cloud}", str(stack.region), str(stack.environment)]
    return ", ".join(word for word in words if "None" not in word)


def _section(title: str, body: RenderableType) -> RenderableType:
    return Group(shown(title, "bold"), Padding(body, (0, 0, 1, 2)))


def _resources(resources: ResourceSet) -> Text:
    kinds = Counter(_kind(r.type) for r in resources if r.custom)
    listed = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items(), key=lambda k: (-k[1], k[0])))
    return shown(f"{counted(kinds.total(), 'resource')} in {counted(sum(not r.custom for r in resources), 'component')}: {listed}")


def _kind(token: str) -> str:
    """`aws:ec2/subnet:Subnet` as `ec2 Subnet`."""
    package, _, rest = token.partition(":")
    module, _, name = rest.rpartition(":")
    return f"{'provider' if module == 'providers' else module.split('/')[0] or package} {name}"


def _pools(pools: Sequence[PoolPlan]) -> RenderableType:
    table = PlainTable("pool", "machine", "GPUs", "bought", "nodes", "zone", "image", "placement")
    for pool in pools:
        gpus = f"{pool.gpus_per_node} {pool.gpu}" if pool.gpu else "none"
        nodes = f"{pool.minimum} to {pool.maximum}"
        cells = (
            pool.name,
            ", ".join(pool.machines),
            gpus,
            pool.market.replace("_", " "),
            nodes,
            ", ".join(pool.zones),
            pool.image,
            pool.placement,
        )
        table.add_row(*map(shown, cells))
    return Group(table, *(line for pool in pools for line in _nodes_of(pool)))


def _nodes_of(pool: PoolPlan) -> Iterator[Text]:
    count = f"{counted(len(pool.slots), 'network interface')} a node"
    yield shown(f"{pool.name}: {count}: {interfaces(pool.slots)}")
    yield shown(f"{pool.name}: {owners(pool.ownership)}")
    if pool.window:
        yield shown(f"{pool.name}: capacity block {pool.window}")


def interfaces(slots: Sequence[Slot | Nic]) -> str:
    """By card, or by network where the cloud orders interfaces so."""
    nics = [slot for slot in slots if isinstance(slot, Nic)]
    return by_network(nics) if nics else by_card(slot for slot in slots if isinstance(slot, Slot))


def by_network(nics: Iterable[Nic]) -> str:
    """`eth0 gVNIC on default; eth1-eth8 NetDevice on gpu-nic-0 to gpu-nic-7`."""
    runs = [list(run) for _, run in groupby(nics, key=lambda nic: (nic.kind, nic.network.rstrip("0123456789")))]
    return "; ".join(_run_of_nics(run) for run in runs)


def _run_of_nics(run: Sequence[Nic]) -> str:
    first, last = run[0], run[-1]
    if first == last:
        return f"{first.name} {first.kind} on {first.network}"
    return f"{first.name}-{last.name} {first.kind} on {first.network} to {last.network}"


def by_card(slots: Iterable[Slot]) -> str:
    """`card 0: device 0 interface, device 1 efa-only; cards 1-3: device 0 efa-only`."""
    cards = {card: ", ".join(f"device {s.device} {s.kind}" for s in group) for card, group in groupby(slots, key=lambda s: s.card)}
    runs = groupby(cards.items(), key=lambda item: item[1])
    return "; ".join(f"{_span([card for card, _ in run])}: {layout}" for layout, run in runs)


def _span(cards: Sequence[int]) -> str:
    return f"card {cards[0]}" if len(cards) == 1 else f"cards {cards[0]}-{cards[-1]}"


def owners(ownership: Ownership) -> str:
    """`driver, toolkit from the image; device plugin, NFD from the gpu_operator; nobody: MIG manager`."""
    by_owner: dict[str, list[str]] = {}
    for part, owner in asdict(ownership).items():
        by_owner.setdefault(str(owner), []).append(_PARTS.get(part, part))
    return "; ".join(_owned(owner, parts) for owner, parts in by_owner.items())


def _owned(owner: str, parts: Sequence[str]) -> str:
    return f"no {', no '.join(parts)}" if owner == "nobody" else f"{', '.join(parts)} from {_OWNERS[owner]}"


def _closing(plan: Plan) -> Text:
    failing = sum(len(stack.failing) for stack in plan.stacks)
    open_ = sum(unchecked(stack.findings) for stack in plan.stacks)
    broken = sum(stack.error is not None for stack in plan.stacks)
    where = "simulated clouds" if plan.simulated else "real clouds"
    text = f"{counted(len(plan.stacks), 'stack')} planned offline for the {where}, as of {plan.as_of:%Y-%m-%d}"
    return shown(f"{text}: {verdict(failing, broken, open_)}.", "bold red" if failing or broken else "bold green")
