"""Quotas for machines: schema `gpukit/quota-report/1`, stable keys. The snapshot that --save writes is `gpukit/quota/1`."""

from __future__ import annotations

from typing import Any

from scripts.plan.model import StackPlan
from scripts.plan.plan_json import quota_json

from .door import OpenRequest
from .report import AccountQuota, QuotaReport, Request, quota_findings

SCHEMA = "gpukit/quota-report/1"


def report_json(report: QuotaReport) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "as_of": report.as_of.isoformat(),
        "live": report.live,
        "snapshot_of": report.snapshot_of,
        "stacks": [_stack(stack) for stack in report.stacks],
        "accounts": [_account(account) for account in report.accounts],
        "requests": [_request(request) for request in report.requests],
    }


def _stack(stack: StackPlan) -> dict[str, Any]:
    return {
        "name": stack.name,
        "cloud": stack.cloud,
        "account": stack.account,
        "region": stack.region,
        "error": stack.error,
        "quota": [quota_json(line) for line in stack.quota],
        "findings": [finding.as_json() for finding in quota_findings(stack)],
        "notes": list(stack.notes),
    }


def _account(account: AccountQuota) -> dict[str, Any]:
    return {
        "cloud": account.cloud,
        "account": account.account,
        "error": None if account.error is None else str(account.error),
        "gaps": [{"where": gap.where, "reason": gap.reason, "fix": gap.fix} for gap in account.gaps],
        "capacity": list(account.capacity),
    }


def _request(request: Request) -> dict[str, Any]:
    ask = request.ask
    return {
        "cloud": request.cloud,
        "account": request.account,
        "region": ask.region,
        "code": ask.code,
        "unit": ask.unit,
        "value": ask.value,
        "dimensions": dict(ask.dimensions),
        "command": request.command,
        "open": _open(request.open),
        "sent": _open(request.sent),
    }


def _open(found: OpenRequest | None) -> dict[str, Any] | None:
    return None if found is None else {"id": found.id, "status": found.status, "value": found.value}
