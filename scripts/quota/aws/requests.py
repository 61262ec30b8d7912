"""Increases of Service Quotas: the undecided one, and a new one."""

from __future__ import annotations

from typing import Any

from components.demand import Ask
from scripts.errors import Failed
from scripts.quota.door import OpenRequest
from scripts.quota.readings import Gap

from .limits import SERVICE
from .session import Clients
from .session import ask as asking

_OPEN = ("PENDING", "CASE_OPENED")


def open_request(clients: Clients, wanted: Ask) -> OpenRequest | None:
    """AWS takes one undecided request a quota. Raises Failed where the history cannot be read."""
    permission = "servicequotas:ListRequestedServiceQuotaChangeHistoryByQuota"
    found = asking(wanted.region, permission, lambda: _open(clients("service-quotas", wanted.region), wanted.code))
    if isinstance(found, Gap):
        raise Failed(f"whether {wanted.code} has an open request already is not known, so none was filed. {found}")
    return found


def _open(client: Any, code: str) -> OpenRequest | None:
    pages = client.get_paginator("list_requested_service_quota_change_history_by_quota").paginate(ServiceCode=SERVICE, QuotaCode=code)
    for page in pages:
        for request in page["RequestedQuotas"]:
            if request.get("Status") in _OPEN:
                return _request(request)
    return None


def send(clients: Clients, wanted: Ask) -> OpenRequest:
    permission = "servicequotas:RequestServiceQuotaIncrease"
    sent = asking(
        wanted.region,
        permission,
        lambda: clients("service-quotas", wanted.region).request_service_quota_increase(
            ServiceCode=SERVICE, QuotaCode=wanted.code, DesiredValue=wanted.value
        )["RequestedQuota"],
    )
    if isinstance(sent, Gap):
        raise Failed(f"AWS did not take the request for {wanted.code}. {sent}")
    return _request(sent)


def _request(request: dict[str, Any]) -> OpenRequest:
    value = request.get("DesiredValue")
    return OpenRequest(id=str(request.get("CaseId") or request.get("Id") or ""), status=str(request.get("Status") or ""), value=value)
