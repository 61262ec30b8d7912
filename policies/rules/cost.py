"""GPU-COST: budgets at maximum size, machines without a price, costs without a bound."""

from __future__ import annotations

from collections.abc import Iterator

from components.costing import Cost
from components.unknown import Maybe, Unknown
from policies.finding import Status
from policies.settings import Cap

from .rule import Case, Rule, Scope, Verdict, cannot_tell

_LEVELS = {"hour": "at maximum with an update's extra nodes", "month": "at maximum (730 hours)"}


def _budget(case: Case) -> Iterator[Verdict]:
    held: list[str] = []
    for cap in case.settings.caps(case.inventory.stack):
        cost = case.cost.at_list_price() if cap.at_list_price else case.cost
        if isinstance(cap.usd, Unknown):
            yield cannot_tell("", cap.usd, subject="budget", so="the stack's own budget cannot be compared")
        elif _amount(cost, cap) > cap.usd:
            yield _above(cost, cap, cap.usd)
        else:
            held.append(f"{cap.usd:,.2f} USD per {cap.period} ({cap.owner})")
    if held and not case.cost.bounded:
        text = f"budget: the cost has no upper bound, so it cannot be compared with {', '.join(held)}. "
        text += "See GPU-COST-02 and GPU-COST-03 for what is missing."
        yield Verdict(status=Status.UNKNOWN, urn="", path="", message=text)


def _amount(cost: Cost, cap: Cap) -> float:
    """J8: never the desired size; an hour counts an update's extra nodes, a month does not."""
    return cost.surge.hourly_usd if cap.period == "hour" else cost.max.monthly_usd


def _above(cost: Cost, cap: Cap, usd: float) -> Verdict:
    line = cost.dearest()
    count = None if line is None else line.surge if cap.period == "hour" else line.maximum
    heaviest = f" Heaviest: {line.name}, {line.what}, up to {_count(count)} at {line.priced}." if line else ""
    floor = "at least " if not cost.bounded else ""
    text = f"budget: {floor}{_amount(cost, cap):,.2f} USD per {cap.period} {_LEVELS[cap.period]}, {cap.owner} allows {usd:,.2f}.{heaviest} "
    text += "Lower a pool's maximum, take a cheaper machine or market, or have the owner raise the limit."
    return Verdict(status=Status.VIOLATED, urn=line.urn if line else "", path=f"budget.{cap.period}ly_usd", message=text)


def _count(nodes: Maybe[int] | None) -> str:
    return "an unknown number" if isinstance(nodes, Unknown) else str(nodes)


def _unpriced(case: Case) -> Iterator[Verdict]:
    for entry in case.cost.unpriced:
        text = f"{entry.name}: no price is known for {entry.machine} ({entry.market}) in {entry.region}, so its cost would be counted as nothing. "
        text += "Check the machine's name and region, or give the rate in a price file (--prices)."
        yield Verdict(status=Status.UNPRICED, urn=entry.urn, path=entry.path, message=text)


def _unbounded(case: Case) -> Iterator[Verdict]:
    for entry in case.cost.unknown:
        fix = "" if entry.readable else "Count it by hand and have the owner of the limits suppress this with the reason."
        yield cannot_tell(entry.urn, entry.missing, subject=entry.name, so="its cost has no upper bound", fix=fix)


RULES = (
    Rule(
        id="GPU-COST-01",
        title="The stack stays within its budgets at maximum size",
        failures=("J8",),
        scope=Scope.STACK,
        check=_budget,
        fix="budget: {hourly_usd: …, monthly_usd: …} in the stack file, ceilings in policies/limits.yaml",
        parameters=("ceilings", "price_stale_days", "the stack's budget", "price file"),
    ),
    Rule(
        id="GPU-COST-02",
        title="Every GPU machine has a known price",
        failures=("J8",),
        scope=Scope.STACK,
        check=_unpriced,
        fix="a machine and region that the catalogue prices, or a rate in a price file",
        parameters=("price file",),
    ),
    Rule(
        id="GPU-COST-03",
        title="Everything that starts machines has a known size, machine and region",
        failures=("J8", "H10"),
        scope=Scope.STACK,
        check=_unbounded,
        fix="plain values for machine, region and maximum",
    ),
)
