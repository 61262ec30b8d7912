"""Where a resource of Google Cloud lies: region and zone, from the resource, its provider or the stack's settings."""

from __future__ import annotations

import re

from components.resource import Resource, Value
from components.unknown import Maybe, Unknown, known
from policies.readers.program import Program
from policies.readers.values import text

_ZONE = re.compile(r"[a-z]+-[a-z]+\d+-[a-z]")
_REGION = re.compile(r"[a-z]+-[a-z]+\d+")
_NO_REGION = "given by no resource, provider or setting of the program"


def short(value: Value, path: str) -> Maybe[str | None]:
    """A name without the path of a self link: `projects/p/zones/us-central1-a` -> `us-central1-a`."""
    found = text(value, path)
    return found.rstrip("/").rpartition("/")[2] if isinstance(found, str) else found


def is_zone(place: str) -> bool:
    return _ZONE.fullmatch(place) is not None


def is_region(place: str) -> bool:
    return _REGION.fullmatch(place) is not None


def region_of(place: Maybe[str | None], path: str) -> Maybe[str | None]:
    """The region of a zone or region."""
    if place is None or isinstance(place, Unknown):
        return place
    if is_zone(place):
        return place.rpartition("-")[0]
    return place if is_region(place) else Unknown(path, f"{place!r}, which is neither a region nor a zone")


def location(resource: Resource, program: Program, *props: str) -> Maybe[str]:
    """Zone or region of `resource`: from the first of its properties `props` that is given, else from provider and settings."""
    for prop in props:
        found = short(resource.read(prop), prop)
        if found is not None:
            return found
    return _default(resource, program, ("zone", "region") if "zone" in props or "location" in props else ("region",))


def region(resource: Resource, program: Program, *props: str) -> Maybe[str]:
    """Region of `resource`, whether it names a region or a zone."""
    place = location(resource, program, *(props or ("region",)))
    found = region_of(place, props[0] if props else "region")
    return Unknown(props[0] if props else "region", "not given") if found is None else found


def _default(resource: Resource, program: Program, keys: tuple[str, ...]) -> Maybe[str]:
    provider = program.provider(resource)
    for key in keys:
        found = short(provider.read(key), key) if provider is not None else None
        if found is not None:
            return found
    if not program.default_provider(resource):
        return Unknown(keys[0], "not given by the resource's provider")
    return next((place for key in keys if (place := program.resources.config.get(f"gcp:{key}"))), Unknown("gcp:region", _NO_REGION))


def zone_of(place: Maybe[str | None]) -> Maybe[str | None]:
    """The zone where `place` is one; None for a region."""
    return place if isinstance(place, Unknown) else place if place is not None and known(place) and is_zone(place) else None
