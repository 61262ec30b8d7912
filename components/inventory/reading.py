"""What reading a program could not turn into facts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Lost:
    """Something that bills or matters and could not be read at all."""

    urn: str
    type: str
    reason: str
