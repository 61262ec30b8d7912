"""What a change does to a resource, where its source tells: a preview of the engine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Replacement:
    """A resource that the update makes anew, taking the old one away."""

    urn: str
    name: str
    type: str
    because: tuple[str, ...]
    """Properties whose change forces it, as the provider names them; () where it names none."""
