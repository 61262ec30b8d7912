"""Increases of Google quotas: a quota preference, of which a project has one for each quota and set of dimensions."""

from __future__ import annotations

from typing import Any

from components.demand import Ask
from components.demand.google_ids import google_quota
from scripts.errors import BadInput, Failed
from scripts.quota.door import OpenRequest
from scripts.quota.readings import Gap

from .session import Clients
from .session import ask as asking

SERVICE = "compute.googleapis.com"
JUSTIFICATION = "GPU cluster at its planned maximum size"


def open_request(clients: Clients, project: str, wanted: Ask) -> OpenRequest | None:
    """Raises Failed where the preferences cannot be read."""
    found = _preference(clients, project, wanted)
    return _request(found) if found is not None and found.reconciling else None


def send(clients: Clients, project: str, wanted: Ask) -> OpenRequest:
    """Makes the preference, or raises the one that is there. Raises BadInput without a contact, which Google asks for."""
    if not wanted.contact:
        raise BadInput("Google asks who wants the increase: give --contact EMAIL.")
    held = _preference(clients, project, wanted)
    body = {
        "service": SERVICE,
        "quota_id": google_quota(wanted.code).quota_id,
        "dimensions": dict(wanted.dimensions),
        "quota_config": {"preferred_value": round(wanted.value)},
        "justification": JUSTIFICATION,
        "contact_email": wanted.contact,
    }
    if held is None:
        sent = asking(
            wanted.code,
            "cloudquotas.quotas.update",
            lambda: clients.quotas.create_quota_preference(parent=_parent(project), quota_preference=body),
        )
    else:
        changed = {**body, "name": held.name, "etag": held.etag}
        sent = asking(
            wanted.code, "cloudquotas.quotas.update", lambda: clients.quotas.update_quota_preference(request={"quota_preference": changed})
        )
    if isinstance(sent, Gap):
        raise Failed(f"Google did not take the request for {wanted.code}. {sent}")
    return _request(sent)


def _preference(clients: Clients, project: str, wanted: Ask) -> Any | None:
    quota_id = google_quota(wanted.code).quota_id
    found = asking(
        wanted.code,
        "cloudquotas.quotas.get",
        lambda: list(clients.quotas.list_quota_preferences(parent=_parent(project), retry=clients.retry)),
    )
    if isinstance(found, Gap):
        raise Failed(f"whether {wanted.code} has an open request already is not known, so none was filed. {found}")
    return next(
        (p for p in found if p.service == SERVICE and p.quota_id == quota_id and dict(p.dimensions) == dict(wanted.dimensions)), None
    )


def _request(preference: Any) -> OpenRequest:
    status = "undecided" if preference.reconciling else f"granted {preference.quota_config.granted_value}"
    return OpenRequest(id=str(preference.name), status=status, value=float(preference.quota_config.preferred_value))


def _parent(project: str) -> str:
    return f"projects/{project}/locations/global"
