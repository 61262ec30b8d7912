"""Inventory -> what it draws on each quota of its account, at maximum with surge; and the comparison with a recorded snapshot (J1).

AWS counts vCPUs by family and market, per region; pools are summed. What the cloud's listing does not hold is unknown, never room.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any, Self, cast

from . import attached_gpus, catalog
from .catalog import Machine, Quota
from .inventory import CLOUDS, Cloud, Inventory, Market, NodePool
from .json_file import bound, finite, read_json
from .refusals import json_kind, nearest, shown, written
from .unknown import Maybe, Unknown, known

SCHEMA = "gpukit/quota/1"
USABLE_DAYS = 90
"""A snapshot that is older says nothing: limits are raised and lowered, usage comes and goes."""


@dataclass(frozen=True, kw_only=True)
class Unmeasured:
    """A pool whose demand, or part of it, cannot be told."""

    urn: str
    name: str
    missing: Unknown


@dataclass(frozen=True, kw_only=True)
class QuotaDemand:
    """What pools draw on one quota. `code` is "" where it is not known which quota they draw on."""

    cloud: Cloud
    region: Maybe[str]
    code: str
    name: str
    unit: str
    market: Maybe[Market]
    need: float
    """Certain demand, in `unit`. A floor while `unknown` is not empty."""
    contested: float = 0.0
    """Further demand that may draw on this quota or on another: the sources disagree."""
    pools: tuple[str, ...] = ()
    """Names, in order."""
    unknown: tuple[Unmeasured, ...] = ()

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.cloud, str(self.region), self.code, str(self.market)

    def __add__(self, other: QuotaDemand) -> QuotaDemand:
        return replace(
            self,
            need=self.need + other.need,
            contested=self.contested + other.contested,
            pools=tuple(dict.fromkeys((*self.pools, *other.pools))),
            unknown=(*self.unknown, *other.unknown),
        )


def demand(inventory: Inventory) -> tuple[QuotaDemand, ...]:
    """Demand of one stack per quota, sorted by cloud, region and code."""
    return merged(part for pool in inventory.pools for part in _of_pool(pool))


def merged(parts: Iterable[QuotaDemand]) -> tuple[QuotaDemand, ...]:
    """Sum of demands per quota; of several stacks too, where they share an account."""
    sums: dict[tuple[str, str, str, str], QuotaDemand] = {}
    for part in parts:
        sums[part.key] = sums[part.key] + part if part.key in sums else part
    return tuple(sums[key] for key in sorted(sums))


def _of_pool(pool: NodePool) -> Iterator[QuotaDemand]:
    """A pool draws on each quota what its most demanding machine would."""
    region, market, machines = pool.region, pool.market, pool.machines
    if isinstance(region, Unknown) or isinstance(market, Unknown) or isinstance(machines, Unknown):
        yield from (_unmeasured(pool, fact) for fact in (region, market, machines) if isinstance(fact, Unknown))
        return
    largest: dict[str, QuotaDemand] = {}
    for machine in machines:
        for part in _of_machine(pool, machine, market):
            held = largest.get(part.code)
            largest[part.code] = part if held is None else _greater(held, part)
    yield from largest.values()
    yield from _attached(pool, market)


def _attached(pool: NodePool, market: Market) -> Iterator[QuotaDemand]:
    """GPUs beside the machine draw on quotas of their own."""
    for entry in attached_gpus.quotas(pool):
        if isinstance(entry, Unknown):
            yield _unmeasured(pool, entry)
        else:
            cap, each = entry
            yield _counted(pool, cap, market, float(each))


def _greater(one: QuotaDemand, other: QuotaDemand) -> QuotaDemand:
    return replace(
        one,
        need=max(one.need, other.need),
        contested=max(one.contested, other.contested),
        unknown=tuple(dict.fromkeys((*one.unknown, *other.unknown))),
    )


def _of_machine(pool: NodePool, machine: Maybe[str], market: Market) -> Iterator[QuotaDemand]:
    row = catalog.find_machine(pool.cloud, machine) if known(machine) else None
    if row is None:
        path = pool.paths.get("machines", "machine")
        yield _unmeasured(pool, machine if isinstance(machine, Unknown) else Unknown(path, f"{machine!r}, which is in no catalogue"))
        return
    if market is Market.CAPACITY_BLOCK:
        return  # no quota code: blocks are capped in instances when they are bought
    caps = catalog.quotas_for(row, market)
    if not caps:
        yield _unmeasured(pool, Unknown("quota", f"not established for {row.name} bought as {market}"))
    yield from (_drawn(pool, row, cap, market) for cap in caps)


def _drawn(pool: NodePool, machine: Machine, cap: Quota, market: Market) -> QuotaDemand:
    return _counted(pool, cap, market, _units(machine, cap.unit))


def _counted(pool: NodePool, cap: Quota, market: Market, units: Maybe[float]) -> QuotaDemand:
    nodes = pool.nodes.with_surge
    count = nodes * units if known(nodes) and known(units) else 0.0
    unknown = next((fact for fact in (nodes, units) if isinstance(fact, Unknown)), None)
    return QuotaDemand(
        cloud=pool.cloud,
        region=pool.region,
        code=cap.code,
        name=cap.name,
        unit=cap.unit,
        market=market if market is Market.SPOT else Market.ON_DEMAND,
        need=0.0 if cap.ambiguous else count,
        contested=count if cap.ambiguous else 0.0,
        pools=(pool.name,),
        unknown=() if unknown is None else (Unmeasured(urn=pool.urn, name=pool.name, missing=unknown),),
    )


def _units(machine: Machine, unit: str) -> Maybe[float]:
    """What one node counts for in a quota's unit."""
    counted = {"vCPU": float(machine.vcpus), "GPU": machine.gpu_count, "chip": machine.gpu_count, "instance": 1.0}
    return counted.get(unit, Unknown("quota", f"counted in {unit!r}, which no rule turns into nodes"))


def _unmeasured(pool: NodePool, missing: Unknown) -> QuotaDemand:
    return QuotaDemand(
        cloud=pool.cloud,
        region=pool.region,
        code="",
        name="",
        unit="",
        market=pool.market,
        need=0.0,
        pools=(pool.name,),
        unknown=(Unmeasured(urn=pool.urn, name=pool.name, missing=missing),),
    )


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


@dataclass(frozen=True)
class QuotaSnapshot:
    """Quotas of an account on one day: file format `gpukit/quota/1`."""

    taken: date
    entries: Mapping[tuple[str, str, str], QuotaEntry]
    """By cloud, region and code as `_key` spells them."""
    account: str | None = None

    @classmethod
    def load(cls, path: Path) -> Self:
        """Raises ValueError with what is wrong in the file, OSError when it cannot be read."""
        return cls.from_json(read_json(path, "quota snapshot"))

    @classmethod
    def from_json(cls, value: object) -> Self:
        """Raises ValueError naming the first wrong entry."""
        document = cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else None
        if document is None:
            raise ValueError(f'quota snapshot: a JSON object with "schema": "{SCHEMA}" is expected, this is {json_kind(value)}')
        if document.get("schema") != SCHEMA:
            raise ValueError(f"quota snapshot: schema is {written(document, 'schema')}, give {SCHEMA!r}")
        _refuse_unknown(document, _KEYS, "quota snapshot")
        rows = document.get("quotas")
        if rows is None or not isinstance(rows, list):
            raise ValueError("quota snapshot: `quotas` must be a list")
        entries: dict[tuple[str, str, str], QuotaEntry] = {}
        for i, row in enumerate(cast("list[object]", rows)):
            key, entry = _entry(row, f"quota snapshot: quotas[{i}]")
            if key in entries:
                raise ValueError(f"quota snapshot: quotas[{i}] repeats {' '.join(key)}: keep one of them")
            entries[key] = entry
        account = document.get("account")
        return cls(taken=_day(document.get("taken")), entries=entries, account=account if isinstance(account, str) else None)

    def age_days(self, today: date) -> int:
        return (today - self.taken).days

    def unusable(self, today: date) -> str | None:
        """Why nothing follows from the snapshot on that day; None when something does. Clocks of other zones may be a day ahead."""
        if self.age_days(today) < -1:
            return "taken on a day that is still to come"
        return f"{self.age_days(today)} days old, more than {USABLE_DAYS}" if self.age_days(today) > USABLE_DAYS else None

    def find(self, wanted: QuotaDemand) -> QuotaEntry | None:
        return self.entries.get(_key(wanted.cloud, str(wanted.region), wanted.code))


_KEYS = ("schema", "taken", "account", "source", "quotas")
_ROW_KEYS = ("cloud", "region", "code", "name", "unit", "limit", "usage", "stacks")


def _key(cloud: str, region: str, code: str) -> tuple[str, str, str]:
    """Azure spells its family names with varying case and spaces."""
    return cloud, region, code.replace(" ", "").casefold()


def _day(value: object) -> date:
    try:
        return date.fromisoformat(cast("str", value))
    except (TypeError, ValueError) as error:
        said = "missing" if value is None else repr(value)
        raise ValueError(f"quota snapshot: taken is {said}, give the day such as 2026-11-30") from error


def _entry(value: object, where: str) -> tuple[tuple[str, str, str], QuotaEntry]:
    row = cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else None
    if row is None:
        raise ValueError(f"{where} is {json_kind(value)}, give an object with {', '.join(_ROW_KEYS)}")
    _refuse_unknown(row, _ROW_KEYS, where)
    cloud, region, code = row.get("cloud"), row.get("region"), row.get("code")
    if cloud not in CLOUDS or not isinstance(region, str) or not isinstance(code, str) or not code:
        raise ValueError(f"{where} needs cloud ({', '.join(CLOUDS)}), region and code")
    stacks = row.get("stacks", {})
    if stacks is None or not isinstance(stacks, Mapping):
        raise ValueError(f"{where}.stacks must map stack names to their usage")
    own = {str(name): _amount(amount, f"{where}.stacks.{name}") for name, amount in cast("Mapping[object, object]", stacks).items()}
    usage = None if row.get("usage") is None else _amount(row["usage"], f"{where}.usage")
    if usage is not None and sum(own.values()) > usage:
        raise ValueError(f"{where}: stacks use {sum(own.values()):g} together, more than the usage {usage:g}")
    return _key(cloud, region, code), QuotaEntry(limit=_amount(row.get("limit"), f"{where}.limit"), usage=usage, stacks=own)


def _refuse_unknown(given: Mapping[str, Any], known_keys: Sequence[str], where: str) -> None:
    for key in given:
        if key not in known_keys:
            near = nearest(str(key), known_keys)
            hint = f": did you mean {near!r}?" if near else ""
            raise ValueError(f"{where} has {str(key)!r}, which is none of {', '.join(known_keys)}{hint}")


def _amount(value: object, where: str) -> float:
    if value is None:
        raise ValueError(f"{where} is missing, give a number of at least 0")
    number = finite(value)
    if number is None:
        said = shown(value) if bound(value) else repr(value)
        raise ValueError(f"{where} is {said}, give a number of at least 0{bound(value)}")
    return number
