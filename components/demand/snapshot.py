"""Quotas of an account as recorded on one day: file format `gpukit/quota/1`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Self

from components.json_file import read_json

from .amounts import QuotaDemand
from .entries import QuotaEntry, QuotaKey, quota_key
from .snapshot_file import recorded

USABLE_DAYS = 90
"""A snapshot that is older says nothing: limits are raised and lowered, usage comes and goes."""


@dataclass(frozen=True)
class QuotaSnapshot:
    """Quotas of an account on one day: file format `gpukit/quota/1`."""

    taken: date
    entries: Mapping[QuotaKey, QuotaEntry]
    account: str | None = None

    @classmethod
    def load(cls, path: Path) -> Self:
        """Raises ValueError with what is wrong in the file, OSError when it cannot be read."""
        return cls.from_json(read_json(path, "quota snapshot"))

    @classmethod
    def from_json(cls, value: object) -> Self:
        """Raises ValueError naming the first wrong entry."""
        account, taken, entries = recorded(value)
        return cls(taken=taken, entries=entries, account=account)

    def age_days(self, today: date) -> int:
        return (today - self.taken).days

    def unusable(self, today: date) -> str | None:
        """Why nothing follows from the snapshot on that day; None when something does. Clocks of other zones may be a day ahead."""
        if self.age_days(today) < -1:
            return "taken on a day that is still to come"
        return f"{self.age_days(today)} days old, more than {USABLE_DAYS}" if self.age_days(today) > USABLE_DAYS else None

    def find(self, wanted: QuotaDemand) -> QuotaEntry | None:
        return self.entries.get(quota_key(wanted.cloud, str(wanted.region), wanted.code))
