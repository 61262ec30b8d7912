"""The region that stands beside the cluster in a stack file: one text, of the cluster's cloud, that the catalogue knows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from components.catalog import all_regions
from components.inventory import Cloud
from components.refusals import SpecError, nearest, shown

REGION_KEYS: Mapping[Cloud, str] = MappingProxyType({"aws": "aws:region", "gcp": "gcp:region", "azure": "azure-native:location"})
_EXAMPLES: Mapping[Cloud, str] = MappingProxyType({"aws": "us-east-1", "gcp": "us-central1", "azure": "eastus"})


def unread_keys(cloud: Cloud, keys: Iterable[str]) -> tuple[str, ...]:
    """Config keys of the clouds' providers that nothing reads: a stack makes a provider of its own."""
    spaces = {key.split(":")[0] for key in REGION_KEYS.values()}
    return tuple(sorted(key for key in keys if key.split(":")[0] in spaces and key != REGION_KEYS[cloud]))


def region_problem(cloud: Cloud, region: str | None, *, beside: str, keys: Iterable[str] = ()) -> SpecError | None:
    """What is wrong with `region`, the text that the config holds (JSON for a list or a mapping). `keys` are those of the whole config:
    a misspelt one is named where the region is missing. `beside` is the key of the cluster.
    """
    key, example = REGION_KEYS[cloud], _EXAMPLES[cloud]
    if not region:
        near = nearest(key, (other for other in keys if other.startswith(f"{key.split(':')[0]}:")))
        written = f"; {near} is no key that is read" if near else ""
        return SpecError(path=key, message=f"is missing: give the region beside {beside}, such as {example}{written}")
    known = all_regions(cloud)
    if region in known:
        return None
    if kind := _shape(region):
        return SpecError(
            path=key, message=f"is {kind}: one region is expected, as text such as {example}. A cluster of each region has a file"
        )
    message = f"is no region of {cloud} that the catalogue knows: no machine or price of it could be checked"
    near = _near(region, known)
    return SpecError(path=key, value=shown(region), message=message, nearest=near, allowed=() if near else known)


def _shape(region: str) -> str | None:
    try:
        value = json.loads(region)
    except (ValueError, RecursionError):
        return None
    return "a list" if isinstance(value, list) else "a mapping" if isinstance(value, Mapping) else None


def _near(region: str, known: tuple[str, ...]) -> str | None:
    """Also what is written as a zone (`us-east-1c`, `us-central1-a`) or by its display name (`East US`)."""
    word = re.sub(r"[\s_]+", "-", region.strip().casefold())
    inside = max((name for name in known if word.startswith(name)), key=len, default=None)
    joined = word.replace("-", "")
    return inside or next((name for name in known if name.replace("-", "") == joined), None) or nearest(word, known)
