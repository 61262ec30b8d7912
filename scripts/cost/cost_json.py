"""The cost for machines: schema `gpukit/cost/1`, stable keys. Money is US dollars before tax; null is unknown, never zero."""

from __future__ import annotations

from datetime import date
from typing import Any

from components.costing import Cost, Line, PoolCost, SpotSaving, TeamShare, UpFront
from scripts.plan.plan_json import cost_json, plain

from .report import CostReport, StackCost

SCHEMA = "gpukit/cost/1"


def report_json(report: CostReport) -> dict[str, Any]:
    total = report.total
    return {
        "schema": SCHEMA,
        "as_of": report.as_of.isoformat(),
        "simulated": report.simulated,
        "currency": "USD",
        "total": {level: getattr(total, level).as_json() for level in ("idle", "now", "max", "surge")},
        "stacks": [_stack(stack) for stack in report.stacks],
    }


def _stack(stack: StackCost) -> dict[str, Any]:
    head = {"name": stack.name, "cloud": stack.cloud, "region": stack.region, "error": stack.error}
    if stack.error is not None:
        return head
    return {
        **head,
        **_aged(stack.cost, stack.now.date()),
        "until_lease": _period(stack),
        "up_front": [_up_front(paid) for paid in stack.up_front],
        "pools": [_pool(pool) for pool in stack.pools],
        "gpu_hour_usd": _rounded(stack.gpu_hour_usd),
        "teams": [_team(team) for team in stack.teams],
        "spot": [_spot(saving) for saving in stack.spot],
        "assumptions": _assumptions(stack),
        "findings": [finding.as_json() for finding in stack.findings],
    }


def _aged(cost: Cost, today: date) -> dict[str, Any]:
    document = cost_json(cost)
    document["lines"] = [{**row, **_more(line, today)} for row, line in zip(document["lines"], cost.lines, strict=True)]
    return document


def _more(line: Line, today: date) -> dict[str, Any]:
    return {
        "age_days": line.age_days(today),
        "list_usd_per_hour": _rounded(line.list_usd_per_hour),
        "gpus": line.gpus,
        "market": None if line.market is None else str(line.market),
        "paid_up_front": line.up_front,
    }


def _period(stack: StackCost) -> dict[str, Any] | None:
    period = stack.until_lease
    if period is None:
        return None
    return {
        "last_day": period.last_day.isoformat(),
        "hours": round(period.hours, 2),
        "now_usd": round(period.now_usd, 2),
        "max_usd": round(period.max_usd, 2),
        "partial": period.partial,
    }


def _up_front(paid: UpFront) -> dict[str, Any]:
    return {
        "pool": paid.pool,
        "usd_per_node_hour": _rounded(paid.usd_per_node_hour),
        "nodes": plain(paid.nodes),
        "hours": paid.hours,
        "usd": None if paid.usd is None else round(paid.usd, 2),
    }


def _pool(pool: PoolCost) -> dict[str, Any]:
    return {
        "pool": pool.pool or None,
        "now": pool.now.as_json(),
        "max": pool.max.as_json(),
        "surge": pool.surge.as_json(),
        "gpus_at_max": pool.gpus_at_max,
        "gpu_hour_usd": _rounded(pool.gpu_hour_usd),
    }


def _team(team: TeamShare) -> dict[str, Any]:
    return {
        "team": team.team,
        "gpus": team.gpus,
        "share": round(team.share, 6),
        "hourly_usd": round(team.hourly_usd, 4),
        "monthly_usd": round(team.monthly_usd, 2),
    }


def _spot(saving: SpotSaving) -> dict[str, Any]:
    return {
        "pool": saving.pool,
        "spot_usd_per_hour": _rounded(saving.price.usd),
        "as_of": None if saving.price.as_of is None else saving.price.as_of.isoformat(),
        "stale": saving.price.stale,
        "on_demand_usd_per_hour": _rounded(saving.price.on_demand_usd),
        "restart_loss": saving.price.restart_loss,
        "expected_usd_per_hour": _rounded(saving.price.expected_usd),
        "saved_percent": round(saving.percent, 2),
        "saved_hourly_usd_at_max": _rounded(saving.hourly_usd),
    }


def _assumptions(stack: StackCost) -> dict[str, Any]:
    """What the figures rest on that nobody measured."""
    return {
        "hours_per_month": 730,
        "nat_gb_per_month": stack.nat_gb_per_month,
        "commitments": [c.model_dump(mode="json") for c in stack.stated.commitments],
        "interruptions": [i.model_dump(mode="json") for i in stack.stated.interruptions],
    }


def _rounded(usd: float | None) -> float | None:
    return None if usd is None else round(usd, 6)
