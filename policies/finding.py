"""What a rule says: one finding, the same through every door."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum


class Status(StrEnum):
    """Outcome of a rule on one thing. Only `NOT_APPLICABLE` is silence."""

    VIOLATED = "violated"
    UNKNOWN = "unknown"
    """Rests on a value that the plan does not know: counts at the rule's own level, never a pass."""
    UNCHECKED = "unchecked"
    """An input such as a quota snapshot is absent: shown, never fails."""
    UNPRICED = "unpriced"
    """No price for a GPU machine: fails the cost gate."""
    NOT_APPLICABLE = "not_applicable"


class Level(StrEnum):
    MANDATORY = "mandatory"
    ADVISORY = "advisory"
    DISABLED = "disabled"


@dataclass(frozen=True)
class Suppressed:
    """That the owners of the limits accept a finding, why, and up to which day."""

    reason: str
    expires: date


@dataclass(frozen=True, kw_only=True)
class Finding:
    """`{rule, status, level, urn, path, message, failures}` of the plan's JSON, with `suppressed` where it is.

    `urn` is the resource to change ("" for the whole stack), `path` its property path, `failures` the known-failure ids covered.
    """

    rule: str
    status: Status
    level: Level
    urn: str
    path: str
    message: str
    failures: tuple[str, ...] = ()
    suppressed: Suppressed | None = None
    """The message says it too, for every output that shows nothing else."""

    @property
    def fails(self) -> bool:
        """Whether it makes the answer no."""
        return self.level is Level.MANDATORY and self.status in (Status.VIOLATED, Status.UNKNOWN, Status.UNPRICED)

    def as_json(self) -> dict[str, object]:
        return {
            "rule": self.rule,
            "status": str(self.status),
            "level": str(self.level),
            "urn": self.urn,
            "path": self.path,
            "message": self.message,
            "failures": list(self.failures),
            **({"suppressed": {"reason": self.suppressed.reason, "expires": str(self.suppressed.expires)}} if self.suppressed else {}),
        }
