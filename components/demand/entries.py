"""One recorded quota: its limit, what is used, and whose the usage is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from components.unknown import Maybe, Unknown

QuotaKey = tuple[str, str, str]
"""Cloud, region and code as `quota_key` spells them."""


def quota_key(cloud: str, region: str, code: str) -> QuotaKey:
    """Azure spells its family names with varying case and spaces."""
    return cloud, region, code.replace(" ", "").casefold()


@dataclass(frozen=True, kw_only=True)
class QuotaEntry:
    """One quota as recorded. `usage` None: not recorded."""

    limit: float
    usage: float | None
    stacks: Mapping[str, float] = field(default_factory=dict[str, float])
    """Part of the usage that is a stack's own, by stack name: it does not stand in that stack's way."""

    def room(self, stacks: Sequence[str]) -> Maybe[float]:
        """What is left for `stacks`: limit - (usage - their own usage)."""
        if self.usage is None:
            return Unknown("usage", "not recorded in the snapshot")
        return self.limit - (self.usage - self.own(stacks))

    def own(self, stacks: Sequence[str]) -> float:
        return sum(self.stacks.get(stack, 0.0) for stack in stacks)
