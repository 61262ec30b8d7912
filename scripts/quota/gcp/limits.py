"""Limits and usage of a project: from Compute Engine's listing where it has the metric, else from Cloud Quotas and Cloud Monitoring.

`regions.get` lists neither H100 and newer on demand nor anything by family: a metric that is not there is asked for elsewhere, and what
nobody tells is unknown (J2).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from components import catalog
from components.demand import EVERYWHERE
from components.demand.google_ids import GoogleQuota, google_quota
from components.json_file import LARGEST
from scripts.quota.readings import Gap, Reading, Readings

from .session import Clients, ask
from .usage import usage

UNLIMITED = -1
_SERVICE = "compute.googleapis.com"


@dataclass(frozen=True)
class _Listed:
    limit: float
    usage: float


def read_place(clients: Clients, project: str, place: str, codes: Sequence[str]) -> Readings:
    """Quotas of one region, or of the project as a whole for `global`."""
    listed = _listing(clients, project, place)
    gaps = [listed] if isinstance(listed, Gap) else []
    known: Mapping[str, _Listed] = {} if isinstance(listed, Gap) else listed
    readings: list[Reading] = []
    for code in codes:
        quota = google_quota(code)
        row = known.get(quota.metric or "")
        if row is not None:
            readings.append(_reading(place, code, row.limit, row.usage))
            continue
        for answer in _asked(clients, project, place, code, quota):
            (gaps if isinstance(answer, Gap) else readings).append(answer)  # pyright: ignore[reportArgumentType] # told apart by the line itself
    return Readings(readings=tuple(readings), gaps=tuple(dict.fromkeys(gaps)))


def _listing(clients: Clients, project: str, place: str) -> dict[str, _Listed] | Gap:
    if place == EVERYWHERE:
        found = ask(place, "compute.projects.get", lambda: clients.projects.get(project=project, retry=clients.retry))
    else:
        found = ask(place, "compute.regions.get", lambda: clients.regions.get(project=project, region=place, retry=clients.retry))
    return found if isinstance(found, Gap) else {quota.metric: _Listed(quota.limit, quota.usage) for quota in found.quotas}


def _asked(clients: Clients, project: str, place: str, code: str, quota: GoogleQuota) -> Iterator[Reading | Gap]:
    """The limit by Cloud Quotas with the usage by Monitoring; gaps for what is withheld."""
    name = f"projects/{project}/locations/global/services/{_SERVICE}/quotaInfos/{quota.quota_id}"
    info = ask(
        f"{quota.quota_id} in {place}", "cloudquotas.quotas.get", lambda: clients.quotas.get_quota_info(name=name, retry=clients.retry)
    )
    if isinstance(info, Gap):
        yield info
        return
    limit = limit_of(info, place, quota.dimensions)
    if limit is None:
        yield Gap(where=f"{code} in {place}", reason="Cloud Quotas has no limit for it there", fix="Look it up in the console.")
        return
    used = usage(clients, project, place, str(info.metric), quota.dimensions)
    if isinstance(used, Gap):
        yield used
    yield _reading(place, code, limit, None if isinstance(used, Gap) else used)


def limit_of(info: Any, place: str, dimensions: Mapping[str, str]) -> float | None:
    """The limit of the most specific entry that holds in `place`; None where none does. Google writes -1 for no limit at all."""
    wanted = dict(dimensions) if place == EVERYWHERE else {**dimensions, "region": place}
    best: tuple[tuple[int, bool], float] | None = None
    for entry in info.dimensions_infos:
        given = dict(entry.dimensions)
        if any(wanted.get(key) != value for key, value in given.items()) or not _holds_in(place, entry.applicable_locations):
            continue
        rank = len(given), "region" in given
        if best is None or rank > best[0]:
            best = rank, float(entry.details.value)
    if best is None:
        return None
    return LARGEST if best[1] == UNLIMITED else best[1]


def _holds_in(place: str, locations: Sequence[str]) -> bool:
    return not locations or place in locations or EVERYWHERE in locations


def _reading(place: str, code: str, limit: float, used: float | None) -> Reading:
    known = {found.code: found for found in catalog.quotas("gcp")}.get(code)
    return Reading(
        cloud="gcp",
        region=place,
        code=code,
        name=known.name if known else code,
        unit=known.unit if known else "",
        limit=LARGEST if limit == UNLIMITED else limit,
        usage=used,
    )
