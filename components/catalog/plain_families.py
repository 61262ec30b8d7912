"""Machine families that carry no accelerators of their own: what can be said of a machine that has no row, and no price.

The clouds sell thousands of sizes for everything else than accelerators, and any program may name one. Families that are not listed
stay unknown, as the next one may carry accelerators.
"""

from __future__ import annotations

import re
from functools import cache

from .names import Cloud, cloud_named
from .tables import rows

_SPELLINGS: dict[Cloud, re.Pattern[str]] = {
    "azure": re.compile(r"(?:standard|basic)_([a-z]+?)\d+(?:-\d+)?[a-z]*(?:_cc)?(?:_v\d+)?(?:_promo)?", re.IGNORECASE),
    "gcp": re.compile(r"([a-z]\d[a-z]?|custom)-[a-z0-9-]+"),
}
"""A size with its family: `Standard_E4-2ds_v5`, `n2d-custom-4-8192`. A name that says more, such as `Standard_NC24ads_A100_v4`, is none."""


def plain_family(cloud: str, name: str) -> str | None:
    """The family of the machine `name` where that family carries no accelerators; None for every other.

    GPUs may still be attached to a machine of Google's N1. Raises UnknownName for an unknown cloud.
    """
    spelling = _SPELLINGS.get(cloud_named(cloud))
    found = spelling.fullmatch(name) if spelling else None
    family = found[1].casefold() if found else ""
    return _families(cloud_named(cloud)).get(family)


@cache
def _families(cloud: Cloud) -> dict[str, str]:
    return {row["family"].casefold(): row["family"] for row in rows("plain_families") if row["cloud"] == cloud}
