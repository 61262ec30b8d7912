"""The limits as quota preferences of a Google Cloud project: accelerators that are not allowed get a quota of zero.

Form: Cloud Quotas API v1, `projects.locations.quotaPreferences.patch` (UpdateQuotaPreferenceRequest), one object a call. A dimension that
a preference leaves out means all its values but those with a preference of their own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from components.catalog import quotas
from components.catalog.account_quotas import Quota
from components.catalog.machine_types import machines as known_machines
from components.catalog.machine_types import regions as machine_regions
from components.demand.google_ids import google_quota
from policies.limits import Limits
from scripts.errors import BadInput

from .own_words import machines, regions

SERVICE = "compute.googleapis.com"
JUSTIFICATION = "not allowed by the limits of this organisation's guardrails"
UNITS = frozenset({"GPU", "chip"})
_LONGEST = 63
"""Of an id, kept as short as Google's names of resources commonly are."""
NOTES = (
    (
        "PROJECT stands for the project's id or number. Each object is the body of one "
        "PATCH https://cloudquotas.googleapis.com/v1/{quotaPreference.name}?allowMissing=true&ignoreSafetyChecks=…"
    ),
    "Google's check against a quota below present usage is left on: a limit that running machines exceed is refused until they are gone.",
    "Machines without accelerators, labels and prices are held by no quota: they stay with `gpukit check` and the stack's budget.",
)


def overrides(limits: Limits) -> list[dict[str, Any]]:
    """One request a quota, or a quota and region; nothing for what is allowed everywhere."""
    return [_request(quota, region) for quota in _accelerators() for region in _refused(quota, limits)]


def text(limits: Limits) -> str:
    """As JSON. Raises BadInput when the limits refuse nothing that a quota could hold."""
    found = overrides(limits)
    if not found:
        raise BadInput(
            "--emit gcp-quota-override: the limits allow every machine and region: name some under `allowed` in the limits file, then emit again."
        )
    return json.dumps(found, indent=2)


def _accelerators() -> Iterator[Quota]:
    """Quotas of GPUs and TPU chips of machines. Those of the TPU API count nothing that GKE makes; for some, no dimension is established."""
    for quota in quotas("gcp"):
        own = [family for family in quota.families if _prefix(family)]
        if quota.unit in UNITS and quota.scope == "region" and own and quota.code != "tpus_per_tpu_family":
            yield quota


def _prefix(family: str) -> str:
    """How the names of the family's machines begin: `n1 + T4` are n1 machines with a GPU attached; "" for what is no machine family."""
    first = family.partition(" ")[0]
    return "" if "TPU API" in family or family == "*" else f"{first}-"


def _refused(quota: Quota, limits: Limits) -> Iterator[str | None]:
    """Regions in which `quota` shall be zero; None for all of them."""
    allowed, places = machines(limits, "gcp"), regions(limits, "gcp")
    prefixes = tuple(map(_prefix, quota.families))
    if places == () or (allowed is not None and not any(name.startswith(prefixes) for name in allowed)):
        yield None
    elif places is not None:
        yield from (region for region in _all_regions() if region not in places)


def _all_regions() -> tuple[str, ...]:
    """Every region that the catalogue knows for any machine."""
    return tuple(sorted({region for machine in known_machines("gcp") for region in machine_regions("gcp", machine.name)}))


def _request(quota: Quota, region: str | None) -> dict[str, Any]:
    google = google_quota(quota.code)
    dimensions = {**google.dimensions, **({"region": region} if region else {})}
    preference = {
        "name": f"projects/PROJECT/locations/global/quotaPreferences/{_id(google.quota_id, dimensions)}",
        "service": SERVICE,
        "quotaId": google.quota_id,
        "dimensions": dimensions,
        "quotaConfig": {"preferredValue": "0"},
        "justification": JUSTIFICATION,
    }
    return {"quotaPreference": preference, "allowMissing": True, "ignoreSafetyChecks": ["QUOTA_DECREASE_PERCENTAGE_TOO_HIGH"]}


def _id(quota_id: str, dimensions: Mapping[str, str]) -> str:
    """The same for the same quota each time, so that a second run changes the first's instead of adding to it."""
    words = "-".join(("gpukit", quota_id, *(value for _, value in sorted(dimensions.items())))).lower().replace("_", "-")
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 9]}-{hashlib.sha256(words.encode()).hexdigest()[:8]}"
