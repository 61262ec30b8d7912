"""Increases of Azure quotas through Microsoft.Quota: the undecided one, and a new one."""

from __future__ import annotations

from typing import Any

from components.demand import Ask, quota_key
from scripts.errors import Failed
from scripts.quota.door import OpenRequest
from scripts.quota.readings import Gap

from .session import Clients, word
from .session import ask as asking

_OPEN = ("Accepted", "InProgress")


def open_request(clients: Clients, subscription: str, wanted: Ask) -> OpenRequest | None:
    """Raises Failed where the requests cannot be read."""
    scope = wanted.azure_scope(subscription)
    found = asking(wanted.region, "Microsoft.Quota/quotaRequests/read", lambda: list(clients.quota.quota_request_status.list(scope)))
    if isinstance(found, Gap):
        raise Failed(f"whether {wanted.code} has an open request already is not known, so none was filed. {found}")
    return next((_request(row) for row in found if _is_open(row, wanted)), None)


def _is_open(row: Any, wanted: Ask) -> bool:
    properties = row.properties
    if properties is None or properties.provisioning_state not in _OPEN:
        return False
    key = quota_key("azure", wanted.region, wanted.code)
    return any(part.name is not None and quota_key("azure", wanted.region, part.name.value) == key for part in properties.value or ())


def send(clients: Clients, subscription: str, wanted: Ask) -> OpenRequest:
    """Files the request and does not wait for the decision, which may take days."""
    body = {
        "properties": {
            "limit": {"limitObjectType": "LimitValue", "value": round(wanted.value)},
            "name": {"value": wanted.code},
            "resourceType": wanted.azure_kind,
        }
    }
    sent = asking(
        wanted.region,
        "Microsoft.Quota/quotas/write",
        lambda: clients.quota.quota.begin_create_or_update(wanted.code, wanted.azure_scope(subscription), body),
    )
    if isinstance(sent, Gap):
        raise Failed(f"Azure did not take the request for {wanted.code}. {sent}")
    return OpenRequest(id=wanted.code, status=str(sent.status()), value=wanted.value)


def _request(row: Any) -> OpenRequest:
    return OpenRequest(id=str(row.name or row.id), status=word(row.properties.provisioning_state), value=None)
