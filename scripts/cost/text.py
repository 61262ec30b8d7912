"""The cost for people: sums and lines as in the plan, then who the money is for, what spot saves, and what is paid until when."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from components.costing import PoolCost, SpotSaving, UpFront
from components.unknown import Maybe, Unknown
from scripts.plan.findings_text import findings_block
from scripts.plan.money_text import cost_block
from scripts.plan.tables import PlainTable
from scripts.plan.terminal import shown

from .report import CostReport, StackCost


def print_report(report: CostReport, console: Console) -> None:
    for stack in report.stacks:
        console.print(_stack(stack))
    console.print(_closing(report))


def _stack(stack: StackCost) -> RenderableType:
    if stack.error is not None:
        return Group(Rule(shown(stack.name, "bold red"), align="left"), shown("not priced: its error is below", "red"), "")
    where = ", ".join(word for word in (stack.cloud, stack.region) if word)
    parts: list[RenderableType] = [
        Rule(shown(f"{stack.name}  {where}", "bold"), align="left"),
        _section("Cost (US dollars before tax; a month has 730 hours)", cost_block(stack.cost, stack.name)),
    ]
    if any(pool.pool for pool in stack.pools):
        parts.append(_section("Pools at maximum", Group(_pools(stack), *_gpu_hour(stack))))
    if stack.teams:
        parts.append(_section("Teams, by the GPUs that each may always have", _teams(stack)))
    if notes := list(_notes(stack)):
        parts.append(_section("What that means", Group(*notes)))
    parts.append(_section("Findings", findings_block(stack.findings, ())))
    return Group(*parts)


def _section(title: str, body: RenderableType) -> RenderableType:
    return Group(shown(title, "bold"), Padding(body, (0, 0, 1, 2)))


def _pools(stack: StackCost) -> PlainTable:
    table = PlainTable("pool", "per hour", "per month", "GPUs", "USD per GPU-hour")
    for pool in stack.pools:
        table.add_row(*map(shown, _pool(pool, stack.name)))
    return table


def _pool(pool: PoolCost, stack: str) -> tuple[str, ...]:
    name = pool.pool.removeprefix(f"{stack}-") or "everything else"
    gpus = "?" if pool.gpus_at_max is None else f"{pool.gpus_at_max:g}" if pool.gpus_at_max else ""
    each = "" if pool.gpu_hour_usd is None else f"{pool.gpu_hour_usd:.4f}"
    least = "at least " if pool.max.partial else ""
    return name, f"{least}{pool.max.hourly_usd:,.2f}", f"{least}{pool.max.monthly_usd:,.0f}", gpus, each


def _gpu_hour(stack: StackCost) -> Iterator[Text]:
    if stack.gpu_hour_usd is not None:
        yield shown(f"{stack.gpu_hour_usd:.4f} USD per GPU-hour with everything else of the stack, every GPU in use")


def _teams(stack: StackCost) -> PlainTable:
    table = PlainTable("team", "GPUs", "share", "per hour", "per month")
    for team in stack.teams:
        cells = (team.team, f"{team.gpus:g}", f"{100 * team.share:.1f} %", f"{team.hourly_usd:,.2f}", f"{team.monthly_usd:,.0f}")
        table.add_row(*map(shown, cells))
    return table


def _notes(stack: StackCost) -> Iterator[Text]:
    yield shown(f"with no GPU node: {stack.cost.idle.monthly_usd:,.0f} USD a month for what is there whether anybody works or not")
    period = stack.until_lease
    if period is not None:
        least = "at least " if period.partial else ""
        text = f"until the lease ends ({period.last_day}, {period.hours:,.0f} hours): {least}{period.now_usd:,.0f} USD as it starts, "
        yield shown(f"{text}{least}{period.max_usd:,.0f} USD at maximum all the time")
    for saving in stack.spot:
        yield shown(_saved(saving, stack.name))
    for paid in stack.up_front:
        yield shown(_paid(paid, stack.name))


def _saved(saving: SpotSaving, stack: str) -> str:
    price, name = saving.price, saving.pool.removeprefix(f"{stack}-")
    day = f"of {price.as_of}" if price.as_of else "undated"
    text = f"{name}: spot {price.usd:.4f} USD an hour a node ({day}{', old' if price.stale else ''}) against {price.on_demand_usd:.4f} on demand"
    if price.expected_usd is None:
        rate = "; restarts not counted, as no interruption rate is stated (pricing.interruptions)"
    else:
        rate = f"; {price.expected_usd:.4f} for an hour of work with the stated interruptions"
    all_of_it = "" if saving.hourly_usd is None else f", {saving.hourly_usd:,.2f} USD an hour at maximum"
    judged = "; judged at the on-demand price all the same" if price.stale else ""
    return f"{text}{rate}: saves {saving.percent:.1f} %{all_of_it}{judged}"


def _paid(paid: UpFront, stack: str) -> str:
    name = paid.pool.removeprefix(f"{stack}-")
    if paid.usd is None or paid.hours is None:
        return f"{name}: a capacity block is paid up front as a whole; its length or size is not known here"
    nodes = _count(paid.nodes)
    return f"{name}: paid up front {paid.usd:,.0f} USD for {nodes} nodes and {paid.hours:g} hours, used or not (reservation fee at {paid.usd_per_node_hour:g} USD an hour a node)"


def _count(value: Maybe[int]) -> str:
    return "?" if isinstance(value, Unknown) else str(value)


def _closing(report: CostReport) -> Text:
    total, count = report.total, sum(stack.error is None for stack in report.stacks)
    least = "at least " if total.max.partial else ""
    where = "simulated clouds" if report.simulated else "real clouds"
    text = f"{count} stack{'s' * (count != 1)} priced offline for the {where}, as of {report.as_of:%Y-%m-%d}: "
    text += f"{least}{total.max.hourly_usd:,.2f} USD an hour and {least}{total.max.monthly_usd:,.0f} USD a month at maximum"
    return shown(f"{text}.", "bold")
