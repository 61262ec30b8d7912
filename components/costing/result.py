"""What a cost is made of: billed lines, and what could not be counted. Money is US dollars before tax."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum

from components.inventory import Market
from components.unknown import Maybe, Unknown, known

HOURS_PER_MONTH = 730


@dataclass(frozen=True, kw_only=True)
class Amount:
    """A sum of lines. `partial`: something that belongs to it has no price or no size."""

    hourly_usd: float
    monthly_usd: float
    partial: bool

    def as_json(self) -> dict[str, object]:
        return {"hourly_usd": round(self.hourly_usd, 4), "monthly_usd": round(self.monthly_usd, 2), "partial": self.partial}


class Kind(StrEnum):
    """What a line bills."""

    NODES = "nodes"
    ROOT_DISK = "root_disk"
    CONTROL_PLANE = "control_plane"
    NAT = "nat"
    NAT_TRAFFIC = "nat_traffic"
    ENDPOINT = "endpoint"
    ADDRESS = "address"
    LOAD_BALANCER = "load_balancer"
    VOLUME = "volume"
    FILE_SYSTEM = "file_system"


@dataclass(frozen=True, kw_only=True)
class SpotPrice:
    """What a spot node is likely to cost an hour, beside the price that it is judged at."""

    usd: float
    """The dearest price that is known."""
    as_of: date | None
    stale: bool
    """Older than the limit, or undated: then the on-demand price is what is judged."""
    on_demand_usd: float
    restart_loss: float | None = None
    """Share of paid time that repeats lost work; None where no interruption rate is stated, which is not zero."""

    @property
    def expected_usd(self) -> float | None:
        """An hour of useful work = spot price x (1 + restart loss)."""
        return None if self.restart_loss is None else self.usd * (1 + self.restart_loss)


@dataclass(frozen=True, kw_only=True)
class Line:
    """One billed thing: counts at each level times `usd_per_hour` of one."""

    urn: str
    name: str
    what: str
    now: Maybe[int]
    maximum: Maybe[int]
    surge: Maybe[int]
    usd_per_hour: float
    list_usd_per_hour: float
    """Before commitments."""
    source: str
    as_of: date | None
    stale: bool
    """Older than the limit, or undated."""
    kind: Kind = Kind.NODES
    pool: str = ""
    """The pool whose nodes it follows; "" for what bills whether nodes run or not."""
    gpu_pool: bool = False
    """Whether that pool has accelerators, or may have them."""
    gpus: float | None = None
    """Accelerators of one node, of node lines; a fraction for a share of one, None where the machine is in no catalogue."""
    market: Market | None = None
    spot: SpotPrice | None = None
    """Of spot nodes whose spot and on-demand prices are both known."""
    up_front: bool = False
    """Whether the whole window is paid when it is bought."""

    @property
    def priced(self) -> str:
        """Price with source and date, for messages."""
        day = f"of {self.as_of}" if self.as_of else "undated"
        return f"{self.usd_per_hour:.4g} USD/h each, {self.source}, {day}{', old' if self.stale and self.as_of else ''}"

    def age_days(self, today: date) -> int | None:
        """Days since the price held; None where the source gives no day."""
        return None if self.as_of is None else (today - self.as_of).days


@dataclass(frozen=True, kw_only=True)
class Unpriced:
    """A pool with accelerators, or that may have them, whose machine has no known price in its region."""

    urn: str
    name: str
    machine: str
    region: str
    market: Market
    path: str


@dataclass(frozen=True, kw_only=True)
class Unbounded:
    """Something that bills and whose size, machine, market or region is unknown."""

    urn: str
    name: str
    missing: Unknown
    readable: bool = True
    """False where no plain value would help, as nothing reads this kind of resource."""


@dataclass(frozen=True, kw_only=True)
class Missing:
    """A minor line without a price or size: shown, and makes the sum partial."""

    urn: str
    what: str
    reason: str


Entry = Line | Unpriced | Unbounded | Missing


@dataclass(frozen=True, kw_only=True)
class Cost:
    """The whole, from its parts."""

    lines: tuple[Line, ...] = ()
    unpriced: tuple[Unpriced, ...] = ()
    unknown: tuple[Unbounded, ...] = ()
    missing: tuple[Missing, ...] = ()

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> Cost:
        parts = list(entries)
        return cls(
            lines=tuple(e for e in parts if isinstance(e, Line)),
            unpriced=tuple(e for e in parts if isinstance(e, Unpriced)),
            unknown=tuple(e for e in parts if isinstance(e, Unbounded)),
            missing=tuple(e for e in parts if isinstance(e, Missing)),
        )

    @property
    def now(self) -> Amount:
        return self._amount(lambda line: line.now)

    @property
    def max(self) -> Amount:
        return self._amount(lambda line: line.maximum)

    @property
    def surge(self) -> Amount:
        """At maximum with an update under way."""
        return self._amount(lambda line: line.surge)

    @property
    def idle(self) -> Amount:
        """With no node in any GPU pool, all else as it starts: what the cluster costs while nobody works.

        Reserved capacity bills at zero nodes too; no plan knows its size, so it is not in here.
        """
        return self._amount(lambda line: 0 if line.gpu_pool else line.now)

    @property
    def bounded(self) -> bool:
        """Whether the sums can be compared with a budget: every pool has a size and a price."""
        return not self.unpriced and not self.unknown

    def at_list_price(self) -> Cost:
        """The same without commitments, which the stack file claims for itself."""
        return replace(self, lines=tuple(replace(line, usd_per_hour=line.list_usd_per_hour) for line in self.lines))

    def dearest(self) -> Line | None:
        """The line that weighs most at maximum, as far as sizes are known."""
        counted = [line for line in self.lines if known(line.maximum)]
        return max(counted, key=lambda line: (line.usd_per_hour * float(str(line.maximum)), line.urn), default=None)

    def _amount(self, count: Callable[[Line], Maybe[int]]) -> Amount:
        counted = [(line, count(line)) for line in self.lines]
        hourly = sum(line.usd_per_hour * number for line, number in counted if known(number))
        gaps = not self.bounded or bool(self.missing) or any(isinstance(number, Unknown) for _, number in counted)
        return Amount(hourly_usd=hourly, monthly_usd=hourly * HOURS_PER_MONTH, partial=gaps)


def total(costs: Iterable[Cost]) -> Cost:
    """Several stacks together."""
    parts = tuple(costs)
    return Cost(
        lines=tuple(line for part in parts for line in part.lines),
        unpriced=tuple(entry for part in parts for entry in part.unpriced),
        unknown=tuple(entry for part in parts for entry in part.unknown),
        missing=tuple(entry for part in parts for entry in part.missing),
    )
