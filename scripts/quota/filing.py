"""Filing the increases that are missing: asked once, never beside an undecided request, and only what was shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from scripts.errors import Refused

from .door import Door
from .report import QuotaReport, Request

Confirm = Callable[[str], bool]


def filed(report: QuotaReport, *, contact: str | None, confirm: Confirm) -> QuotaReport:
    """`report` with what was sent. Raises Refused when the person says no, Failed when a cloud does not take a request."""
    waiting = [request for request in report.requests if request.open is None]
    if not waiting:
        return report
    count = f"{len(waiting)} quota request{'s' * (len(waiting) != 1)}"
    if not confirm(f"File {count} in {', '.join(sorted({request.account for request in waiting}))}?"):
        raise Refused(f"nothing was filed: {count} stay as shown.")
    doors = {(account.cloud, account.account): account.door for account in report.accounts}
    return replace(report, requests=tuple(_sent(request, doors, contact) for request in report.requests))


def _sent(request: Request, doors: Mapping[tuple[str, str], Door | None], contact: str | None) -> Request:
    """Looks again right before: between showing and saying yes someone else may have asked."""
    door = doors.get((request.cloud, request.account))
    if door is None or request.open is not None:
        return request
    held = door.open_request(request.ask)
    if held is not None:
        return replace(request, open=held)
    return replace(request, sent=door.send(replace(request.ask, contact=contact)))
