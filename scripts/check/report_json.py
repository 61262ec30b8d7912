"""The report for machines: schema `gpukit/check/1`, whose JSON Schema is `schema.json` beside this file."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from components.resource import Resource
from scripts.errors import Exit
from scripts.plan.model import StackPlan
from scripts.plan.plan_json import cost_json, plain, quota_json

from .difference import Difference, QuotaChange, ResourceChange
from .model import Report

SCHEMA = "gpukit/check/1"


def report_json(report: Report) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "ok": report.exit is Exit.FINE,
        "stacks": [_checked_json(c) for c in report.checked],
        "base": report.base or None,
        "differences": None if report.differences is None else [_difference(d) for d in report.differences],
    }


def _checked_json(checked: StackPlan) -> dict[str, Any]:
    return {
        "name": checked.name,
        "project": checked.project,
        "source": checked.source,
        "resources": len(checked.resources.resources) if checked.resources is not None else 0,
        "cost": None if checked.cost is None else cost_json(checked.cost),
        "quota": [quota_json(line) for line in checked.quota],
        "findings": [f.as_json() for f in checked.findings],
        "notes": list(checked.notes),
        "error": checked.error,
    }


def _difference(difference: Difference) -> dict[str, Any]:
    return {
        "stack": difference.stack,
        "note": difference.note or None,
        "added": [_named(r) for r in difference.added],
        "removed": [_named(r) for r in difference.removed],
        "changed": [_changed(c) for c in difference.changed],
        "cost": {
            "before": None if difference.before is None else asdict(difference.before),
            "after": None if difference.after is None else asdict(difference.after),
        },
        "quota": [_quota(q) for q in difference.quota],
        "findings": {
            "new": [f.as_json() for f in difference.new],
            "fixed": [f.as_json() for f in difference.fixed],
            "still": [f.as_json() for f in difference.still],
        },
    }


def _named(resource: Resource) -> dict[str, str]:
    return {"urn": resource.urn, "type": resource.type, "name": resource.name}


def _changed(change: ResourceChange) -> dict[str, Any]:
    properties = [{"path": p.path, "before": plain(p.before), "after": plain(p.after)} for p in change.properties]
    return {"urn": change.urn, "type": change.type, "name": change.name, "properties": properties}


def _quota(change: QuotaChange) -> dict[str, Any]:
    return {
        "cloud": change.cloud,
        "region": change.region,
        "code": change.code,
        "name": change.name,
        "unit": change.unit,
        "before": change.before,
        "after": change.after,
    }
