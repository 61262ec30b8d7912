"""Container images that prepare the nodes of a GPU fabric on GKE."""

from __future__ import annotations

from functools import cache

from .names import UnknownName
from .tables import rows
from .transports import TransportName, transports


@cache
def _images() -> dict[str, str]:
    return {row["part"]: row["image"] for row in rows("gke_images")}


def gke_image(part: str) -> str:
    """The image of one part, as a pod names it. Raises UnknownName."""
    held = _images()
    if part not in held:
        raise UnknownName("part of a GKE fabric", part, held)
    return held[part]


def plugin_image(transport: TransportName) -> str:
    """The image with NCCL's plugin for `transport`, at the version of the transport's row. Raises UnknownName where none is held."""
    versions = [held.plugin.split()[-1] for held in transports("gcp") if held.transport == transport and held.plugin]
    if not versions:
        raise UnknownName("transport with a plugin on GKE", transport, {held.transport for held in transports("gcp") if held.plugin})
    return f"{gke_image(transport)}:{versions[0]}"
