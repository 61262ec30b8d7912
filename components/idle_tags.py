"""Tags by which the idle tools and the idle watch on AWS know what people and the other one did. Depends on nothing but Python.

Times are UTC, `2027-03-01T06:30:00Z`; sizes are `min=2 desired=4 max=8 at=<time>`: every sign of both may stand in a tag on AWS.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

KEEP_KEY = "gpukit/idle"
KEEP = "keep"
"""The value with which KEEP_KEY protects a cluster or a pool. Any other protects it too: whoever set the tag meant something by it."""
WARNED_KEY = "gpukit/idle-warned"
"""When people were warned; on a node group."""
SIZES_KEY = "gpukit/idle-sizes"
"""A node group's sizes before it went to zero."""
WRITTEN_BY_OTHERS = (KEEP_KEY, WARNED_KEY, SIZES_KEY)
"""No stack file holds them: an update that took them off would forget that people keep a pool, or what to bring back."""

_SIZES = re.compile(r"min=(?P<minimum>\d{1,6}) desired=(?P<desired>\d{1,6}) max=(?P<maximum>\d{1,6}) at=(?P<at>\S+)", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """Sizes of a node group, in nodes, and when they were written down. Raises ValueError for sizes that no group can have."""

    minimum: int
    desired: int
    maximum: int
    at: datetime

    def __post_init__(self) -> None:
        if not (0 <= self.minimum <= self.desired <= self.maximum and self.maximum >= 1):
            raise ValueError(f"sizes {self.minimum} <= {self.desired} <= {self.maximum}, with a maximum of at least 1, are expected")

    @property
    def text(self) -> str:
        """The tag's value."""
        return f"min={self.minimum} desired={self.desired} max={self.maximum} at={time_text(self.at)}"


def kept_by(tags: Mapping[str, str]) -> str | None:
    """The tag that keeps the idle tools away, as `key=value`; None without one. Clouds and people write the key in their own ways."""
    return next((f"{key}={value}" for key, value in tags.items() if _plain(key) == _plain(KEEP_KEY)), None)


def _plain(key: str) -> str:
    return "".join(sign for sign in key.casefold() if sign.isalnum())


def recorded(text: str | None) -> Recorded | None:
    """The sizes that a tag tells; None without one. Raises ValueError for a text that is none of ours: sizes are never guessed."""
    if text is None:
        return None
    match = _SIZES.fullmatch(text)
    at = time(match["at"]) if match else None
    if match is None or at is None:
        raise ValueError(f"the tag {SIZES_KEY} is {text!r}: `min=2 desired=4 max=8 at=2027-03-01T06:30:00Z` is expected")
    return Recorded(minimum=int(match["minimum"]), desired=int(match["desired"]), maximum=int(match["maximum"]), at=at)


def time_text(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def time(text: str | None) -> datetime | None:
    """None for anything but a time of ours."""
    try:
        return datetime.strptime(text or "", "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError:
        return None
