"""Inventory -> what it costs: now, at maximum, and with the nodes that an update adds (J8).

Money is US dollars before tax. A month has 730 hours. Lines are floors wherever something is unknown: `unpriced` and `unknown` say
what is missing, so that no total passes for the whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import TYPE_CHECKING

from . import attached_gpus, catalog
from .catalog import Figure
from .inventory import Bucket, Cloud, ControlPlane, Disk, FileSystem, GpuPool, InterfaceEndpoint, Inventory, Market, NodePool
from .pricing import STALE_DAYS, PriceOverlay, Rate, Terms, machine_rate
from .unknown import Maybe, Unknown, known

if TYPE_CHECKING:
    from .spec import Commitment

HOURS_PER_MONTH = 730
DEFAULT_DISK_KIND = "gp3"
_DISCOUNTED = (Market.ON_DEMAND, Market.RESERVATION)


@dataclass(frozen=True, kw_only=True)
class Amount:
    """A sum of lines. `partial`: something that belongs to it has no price or no size."""

    hourly_usd: float
    monthly_usd: float
    partial: bool

    def as_json(self) -> dict[str, object]:
        return {"hourly_usd": round(self.hourly_usd, 4), "monthly_usd": round(self.monthly_usd, 2), "partial": self.partial}


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

    @property
    def priced(self) -> str:
        """Price with source and date, for messages."""
        day = f"of {self.as_of}" if self.as_of else "undated"
        return f"{self.usd_per_hour:.4g} USD/h each, {self.source}, {day}{', old' if self.stale and self.as_of else ''}"


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

    @property
    def now(self) -> Amount:
        return self._amount([(line, line.now) for line in self.lines])

    @property
    def max(self) -> Amount:
        return self._amount([(line, line.maximum) for line in self.lines])

    @property
    def surge(self) -> Amount:
        """At maximum with an update under way."""
        return self._amount([(line, line.surge) for line in self.lines])

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

    def _amount(self, counted: Sequence[tuple[Line, Maybe[int]]]) -> Amount:
        hourly = sum(line.usd_per_hour * count for line, count in counted if known(count))
        gaps = not self.bounded or bool(self.missing) or any(isinstance(count, Unknown) for _, count in counted)
        return Amount(hourly_usd=hourly, monthly_usd=hourly * HOURS_PER_MONTH, partial=gaps)


def cost(
    inventory: Inventory,
    *,
    now: datetime,
    overlay: PriceOverlay | None = None,
    commitments: Sequence[Commitment] = (),
    stale_days: int = STALE_DAYS,
) -> Cost:
    """What `inventory` costs by the catalogue's figures, with negotiated rates and commitments first."""
    terms = Terms(now=now, overlay=overlay or PriceOverlay(), stale_days=stale_days)
    entries = [*_pools(inventory, commitments, terms), *_services(inventory, terms), *_lost(inventory)]
    return Cost(
        lines=tuple(e for e in entries if isinstance(e, Line)),
        unpriced=tuple(e for e in entries if isinstance(e, Unpriced)),
        unknown=tuple(e for e in entries if isinstance(e, Unbounded)),
        missing=tuple(e for e in entries if isinstance(e, Missing)),
    )


def _pools(inventory: Inventory, commitments: Sequence[Commitment], terms: Terms) -> Iterator[Entry]:
    for pool in inventory.pools:
        yield from _sizes(pool)
        yield from _nodes(pool, commitments, terms)
        yield from _attached(pool, terms)
        yield from _root_disks(pool, terms)


def _sizes(pool: NodePool) -> Iterator[Unbounded]:
    """H10: a size that the plan does not know bounds nothing. An unknown desired size leaves the bound and makes `now` partial."""
    missing = [count for count in (pool.nodes.maximum, pool.nodes.with_surge) if isinstance(count, Unknown)]
    for unknown in dict.fromkeys(missing):
        yield Unbounded(urn=pool.urn, name=pool.name, missing=unknown)


def _nodes(pool: NodePool, commitments: Sequence[Commitment], terms: Terms) -> Iterator[Entry]:
    facts = (pool.region, pool.market, pool.machines)
    missing = [fact for fact in facts if isinstance(fact, Unknown)]
    if missing or isinstance(pool.region, Unknown) or isinstance(pool.market, Unknown) or isinstance(pool.machines, Unknown):
        yield from (Unbounded(urn=pool.urn, name=pool.name, missing=fact) for fact in missing)
        return
    rates: list[tuple[str, Rate]] = []
    for machine in pool.machines:
        if isinstance(machine, Unknown):
            yield Unbounded(urn=pool.urn, name=pool.name, missing=machine)
        elif rate := machine_rate(pool.cloud, pool.region, machine, pool.market, terms):
            rates.append((machine, rate))
        else:
            yield _without_price(pool, machine, pool.region, pool.market)
    if rates:
        machine, rate = max(rates, key=lambda entry: entry[1].figure.usd)
        yield _node_line(pool, machine, rate, _discount(pool, pool.market, commitments), terms)


def _attached(pool: NodePool, terms: Terms) -> Iterator[Entry]:
    """GPUs beside the machine, on every node."""
    for rate in attached_gpus.rates(pool):
        if isinstance(rate, Unknown):
            yield Unbounded(urn=pool.urn, name=pool.name, missing=rate)
        elif rate.figure is None:
            path = pool.paths.get("machines", "")
            market = pool.market if known(pool.market) else Market.ON_DEMAND
            yield Unpriced(urn=pool.urn, name=pool.name, machine=rate.what, region=str(pool.region), market=market, path=path)
        else:
            yield _line(pool, rate.what, rate.figure.usd * rate.count, rate.figure, terms)


def _without_price(pool: NodePool, machine: str, region: str, market: Market) -> Unpriced | Missing:
    if isinstance(pool, GpuPool):
        path = pool.paths.get("machines", "")
        return Unpriced(urn=pool.urn, name=pool.name, machine=machine, region=region, market=market, path=path)
    return Missing(urn=pool.urn, what=f"nodes of {pool.name}", reason=f"no price for {machine} ({market}) in {region}")


def _discount(pool: NodePool, market: Market, commitments: Sequence[Commitment]) -> float:
    """Percent off the on-demand rate; the best of several commitments, as they do not add up."""
    if market not in _DISCOUNTED:
        return 0.0
    return max((c.discount_percent for c in commitments if _covers(c.pool, pool)), default=0.0)


def _covers(wanted: str, pool: NodePool) -> bool:
    labelled = pool.labels.get("gpukit/pool") if known(pool.labels) else None
    return wanted in (pool.name, labelled) or pool.name.endswith(f"-{wanted}")


def _node_line(pool: NodePool, machine: str, rate: Rate, percent_off: float, terms: Terms) -> Line:
    less = f", {percent_off:g} % commitment taken off" if percent_off else ""
    line = _line(pool, f"{machine}, {rate.basis}{less}", rate.figure.usd, rate.figure, terms)
    return replace(line, usd_per_hour=rate.figure.usd * (1 - percent_off / 100))


def _line(pool: NodePool, what: str, usd: float, figure: Figure, terms: Terms) -> Line:
    """A line that follows the pool's nodes."""
    nodes = pool.nodes
    return Line(
        urn=pool.urn,
        name=pool.name,
        what=what,
        now=nodes.now,
        maximum=nodes.maximum,
        surge=nodes.with_surge,
        usd_per_hour=usd,
        list_usd_per_hour=usd,
        source=figure.source,
        as_of=figure.as_of,
        stale=terms.stale(figure),
    )


def _root_disks(pool: NodePool, terms: Terms) -> Iterator[Entry]:
    what = f"root disks of {pool.name}"
    if pool.root_disk_gib is None:
        yield Missing(urn=pool.urn, what=what, reason="the image decides their size")
    elif isinstance(pool.root_disk_gib, Unknown):
        yield Missing(urn=pool.urn, what=what, reason=str(pool.root_disk_gib))
    else:
        figure = _disk_figure(pool.cloud, pool.region, pool.root_disk_kind or DEFAULT_DISK_KIND if known(pool.root_disk_kind) else None)
        if figure is None:
            yield Missing(urn=pool.urn, what=what, reason="no price for this kind in this region")
        else:
            usd = pool.root_disk_gib * figure.usd / HOURS_PER_MONTH
            yield _line(pool, f"root disk, {pool.root_disk_gib} GiB", usd, figure, terms)


def _services(inventory: Inventory, terms: Terms) -> Iterator[Entry]:
    for plane in inventory.control_planes:
        sku = _support(plane, terms.now)
        figure = _figure(plane.cloud, plane.region, "eks_control_plane", sku)
        yield _single(plane.urn, f"control plane, {sku} support", figure, terms)
    for nat in inventory.nats:
        yield _single(nat.urn, "NAT gateway, without traffic", _figure(nat.cloud, nat.region, "nat_gateway", "hour"), terms)
    for endpoint in inventory.endpoints:
        yield _endpoint(endpoint, terms)
    for address in inventory.addresses:
        yield _single(address.urn, "public IPv4 address", _figure(address.cloud, address.region, "public_ipv4", "hour"), terms)
    for disk in inventory.disks:
        yield _disk(disk, terms)
    for system in inventory.file_systems:
        yield _file_system(system, terms)
    for bucket in inventory.buckets:
        yield _bucket(bucket)


def _endpoint(endpoint: InterfaceEndpoint, terms: Terms) -> Entry:
    what = "interface endpoint, without traffic"
    if isinstance(endpoint.subnets, Unknown):
        return Missing(urn=endpoint.urn, what=f"{what} ({_name(endpoint.urn)})", reason=str(endpoint.subnets))
    figure = _figure(endpoint.cloud, endpoint.region, "interface_endpoint", "zone_hour")
    return _single(endpoint.urn, what, figure, terms, units=float(endpoint.subnets))


def _disk(disk: Disk, terms: Terms) -> Entry:
    if isinstance(disk.gib, Unknown):
        return Missing(urn=disk.urn, what=f"volume {_name(disk.urn)}", reason=str(disk.gib))
    figure = _disk_figure(disk.cloud, disk.region, disk.kind)
    return _single(disk.urn, f"volume, {disk.gib:g} GiB", figure, terms, units=disk.gib / HOURS_PER_MONTH)


def _file_system(system: FileSystem, terms: Terms) -> Entry:
    what = f"file system {_name(system.urn)}"
    unknown = next((fact for fact in (system.gib, system.tier) if isinstance(fact, Unknown)), None)
    if unknown is not None or isinstance(system.gib, Unknown) or isinstance(system.tier, Unknown):
        return Missing(urn=system.urn, what=what, reason=str(unknown))
    service, _, sku = system.tier.partition("/")
    figure = _figure(system.cloud, system.region, service, sku)
    return _single(system.urn, f"file system, {system.gib:g} GiB", figure, terms, units=system.gib / HOURS_PER_MONTH)


def _bucket(bucket: Bucket) -> Missing:
    """What a bucket holds decides its bill: said with the price of a unit, never counted as nothing."""
    figure = _figure(bucket.cloud, bucket.region, "s3", "standard_gb_month") if bucket.cloud == "aws" else None
    price = f"{figure.usd:g} USD per GB and month, {figure.source}, of {figure.as_of or 'no date'}" if figure else "price not known here"
    return Missing(urn=bucket.urn, what=f"bucket {_name(bucket.urn)}", reason=f"billed by what it will hold, which no plan knows ({price})")


def _single(urn: str, what: str, figure: Figure | None, terms: Terms, *, units: float = 1.0) -> Entry:
    """A line that does not follow a pool."""
    if figure is None:
        return Missing(urn=urn, what=f"{what} ({_name(urn)})", reason="no price for it in this region")
    return Line(
        urn=urn,
        name=_name(urn),
        what=what,
        now=1,
        maximum=1,
        surge=1,
        usd_per_hour=figure.usd * units,
        list_usd_per_hour=figure.usd * units,
        source=figure.source,
        as_of=figure.as_of,
        stale=terms.stale(figure),
    )


def _figure(cloud: Cloud, region: Maybe[str], service: str, sku: str) -> Figure | None:
    return catalog.service_price(cloud, region, service, sku) if known(region) else None


def _disk_figure(cloud: Cloud, region: Maybe[str], kind: Maybe[str | None]) -> Figure | None:
    return _figure(cloud, region, "ebs", f"{kind}_gb_month") if cloud == "aws" and isinstance(kind, str) else None


def _support(plane: ControlPlane, now: datetime) -> str:
    """`extended` from the day after a minor's standard support ends, and while the version is not known, as the dearer of the two."""
    if plane.version is None:
        return "standard"
    if isinstance(plane.version, Unknown):
        return "extended"
    versions = catalog.kubernetes_versions(plane.cloud)
    end = next((v.end_of_standard_support for v in versions if v.minor == plane.version), None)
    if end is not None:
        return "extended" if now.date() > end else "standard"
    oldest = min((_minor(v.minor) for v in versions), default=(0, 0))
    return "extended" if _minor(plane.version) < oldest else "standard"


def _minor(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdecimal())


def _lost(inventory: Inventory) -> Iterator[Unbounded]:
    for lost in inventory.lost:
        yield Unbounded(urn=lost.urn, name=_name(lost.urn) or lost.type, missing=Unknown(lost.type, lost.reason), readable=False)


def _name(urn: str) -> str:
    return urn.rpartition("::")[2]


def total(costs: Iterable[Cost]) -> Cost:
    """Several stacks together."""
    parts = tuple(costs)
    return Cost(
        lines=tuple(line for part in parts for line in part.lines),
        unpriced=tuple(entry for part in parts for entry in part.unpriced),
        unknown=tuple(entry for part in parts for entry in part.unknown),
        missing=tuple(entry for part in parts for entry in part.missing),
    )
