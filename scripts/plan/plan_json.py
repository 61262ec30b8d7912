"""The plan for machines: schema `gpukit/plan/1`, stable keys, nothing secret. `scripts.check.saved_plan` reads it back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, cast

from components.costing import Cost, Line
from components.demand import QuotaDemand
from components.ownership import Ownership
from components.resource import Resource, ResourceSet, Secret, Value
from components.unknown import MASKED_SECRET, Unknown

from .model import Plan, PoolPlan, QuotaLine, StackPlan

SCHEMA = "gpukit/plan/1"


def plan_json(plan: Plan) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "as_of": plan.as_of.isoformat(),
        "simulated": plan.simulated,
        "inputs": dict(plan.inputs),
        "stacks": [stack_json(stack) for stack in plan.stacks],
    }


def stack_json(stack: StackPlan) -> dict[str, Any]:
    return {
        "name": stack.name,
        "project": stack.project,
        "cloud": stack.cloud,
        "account": stack.account,
        "region": stack.region,
        "workload": stack.workload,
        "environment": stack.environment,
        "config": {} if stack.resources is None else dict(stack.resources.config),
        "resources": resources_json(stack.resources),
        "fabric": [_fabric(pool) for pool in stack.pools],
        "ownership": [{"pool": pool.name, **_ownership(pool.ownership)} for pool in stack.pools],
        "cost": None if stack.cost is None else cost_json(stack.cost),
        "quota": [quota_json(line) for line in stack.quota],
        "findings": [finding.as_json() for finding in stack.findings],
        "notes": list(stack.notes),
        "error": stack.error,
    }


def resources_json(resources: ResourceSet | None) -> list[dict[str, Any]]:
    """Every resource with its inputs, so that a saved plan can be compared with a later one."""
    return [] if resources is None else [_resource(r) for r in resources]


def plain(value: Value) -> Any:
    """`value` as JSON: unknowns as `{"unknown": path, "reason": …}`, secrets masked."""
    if isinstance(value, Unknown):
        return {"unknown": value.path, "reason": value.reason}
    if isinstance(value, Secret):
        return MASKED_SECRET
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in cast("Mapping[str, Value]", value).items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in cast("list[Value]", value)]
    return value


def _resource(resource: Resource) -> dict[str, Any]:
    return {
        "urn": resource.urn,
        "type": resource.type,
        "name": resource.name,
        "custom": resource.custom,
        "parent": resource.parent,
        "provider": resource.provider,
        "inputs": plain(resource.inputs),
        "id": plain(resource.id),
        "dependencies": list(resource.dependencies),
        "property_dependencies": {key: list(urns) for key, urns in resource.property_dependencies.items()},
        "options": {key: value for key, value in asdict(resource.options).items() if value},
    }


def _fabric(pool: PoolPlan) -> dict[str, Any]:
    return {
        "pool": pool.name,
        "machines": list(pool.machines),
        "gpu": pool.gpu,
        "gpus_per_node": pool.gpus_per_node,
        "market": str(pool.market),
        "nodes": {"min": pool.minimum, "max": pool.maximum},
        "zones": list(pool.zones),
        "image": pool.image,
        "placement": pool.placement,
        "window": pool.window or None,
        "interfaces": [asdict(slot) for slot in pool.slots],
    }


def _ownership(ownership: Ownership) -> dict[str, str]:
    return {part: str(owner) for part, owner in asdict(ownership).items()}


def cost_json(cost: Cost) -> dict[str, Any]:
    return {
        "now": cost.now.as_json(),
        "max": cost.max.as_json(),
        "surge": cost.surge.as_json(),
        "idle": cost.idle.as_json(),
        "lines": [_line(line) for line in cost.lines],
        "unpriced": [{**asdict(entry), "market": str(entry.market)} for entry in cost.unpriced],
        "unknown": [{"urn": e.urn, "name": e.name, **plain(e.missing)} for e in cost.unknown],
        "missing": [asdict(entry) for entry in cost.missing],
    }


def _line(line: Line) -> dict[str, Any]:
    return {
        "urn": line.urn,
        "name": line.name,
        "what": line.what,
        "kind": str(line.kind),
        "pool": line.pool or None,
        "count": {"now": plain(line.now), "max": plain(line.maximum), "surge": plain(line.surge)},
        "usd_per_hour": round(line.usd_per_hour, 6),
        "source": line.source,
        "as_of": None if line.as_of is None else line.as_of.isoformat(),
        "stale": line.stale,
    }


def quota_json(line: QuotaLine) -> dict[str, Any]:
    demand: QuotaDemand = line.demand
    return {
        "cloud": demand.cloud,
        "region": plain(demand.region),
        "code": demand.code,
        "name": demand.name,
        "unit": demand.unit,
        "market": plain(str(demand.market)) if not isinstance(demand.market, Unknown) else plain(demand.market),
        "need": demand.need,
        "contested": demand.contested,
        "pools": list(demand.pools),
        "unknown": [{"urn": u.urn, "name": u.name, **plain(u.missing)} for u in demand.unknown],
        "limit": plain(line.limit),
        "room": plain(line.room),
    }
