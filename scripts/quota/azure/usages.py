"""Limits and usage of a location in one listing. It can be incomplete (azure-rest-api-specs#25455): what it lacks is unknown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from components import catalog
from components.demand import quota_key
from scripts.quota.readings import Gap, Reading, Readings

from .session import Clients, ask

PERMISSION = "Microsoft.Compute/locations/usages/read"


def read_region(clients: Clients, region: str, codes: Sequence[str]) -> Readings:
    listed = ask(region, PERMISSION, lambda: list(clients.compute.usage.list(region)))
    if isinstance(listed, Gap):
        return Readings(gaps=(listed,))
    found = {quota_key("azure", region, row.name.value): row for row in listed}
    rows = {code: found.get(quota_key("azure", region, code)) for code in codes}
    missing = [code for code, row in rows.items() if row is None]
    gaps = tuple(
        Gap(where=region, reason=f"Azure's listing has no {code}", fix="Look it up in the portal: the listing can be incomplete.")
        for code in missing
    )
    return Readings(readings=tuple(_reading(region, code, row) for code, row in rows.items() if row is not None), gaps=gaps)


def _reading(region: str, code: str, row: Any) -> Reading:
    known = {found.code: found for found in catalog.quotas("azure")}.get(code)
    return Reading(
        cloud="azure",
        region=region,
        code=code,
        name=str(row.name.localized_value or (known.name if known else code)),
        unit=known.unit if known else "vCPU",
        limit=float(row.limit),
        usage=float(row.current_value),
    )
