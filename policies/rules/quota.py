"""GPU-QUOTA: demand at maximum with surge against a recorded snapshot, on every cloud.

What several quotas cap (a family and all of a region, a GPU model and all GPUs of a project) has to fit into each of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from components.demand import QuotaDemand, QuotaEntry, QuotaSnapshot, asked
from components.unknown import Unknown
from policies.finding import Status

from .rule import Case, Rule, Scope, Verdict, cannot_tell


def _quota(case: Case) -> Iterator[Verdict]:
    snapshot = case.settings.snapshot
    if snapshot is None:
        yield from _unchecked(case)
        return
    useless = snapshot.unusable(case.settings.now.date())
    if useless is not None:
        yield from _too_old(case, snapshot, useless)
        return
    yield from _aged(case, snapshot)
    for wanted in case.demand:
        for part in wanted.unknown:
            yield cannot_tell(part.urn, part.missing, subject=part.name, so="its quota demand cannot be told")
        if wanted.code and not isinstance(wanted.region, Unknown) and wanted.need + wanted.contested > 0:
            yield from _against(wanted, wanted.region, snapshot, case.inventory.stack)


def _wanted(case: Case) -> str:
    """All demands in one line; "" for none. Without a region a demand is as real as with one."""
    return ", ".join(f"{d.code} {_amount(d)} ({d.region})" if d.code else f"{', '.join(d.pools)} ({_missing(d)})" for d in case.demand)


def _missing(demand: QuotaDemand) -> str:
    return "; ".join(str(part.missing) for part in demand.unknown)


def _unchecked(case: Case) -> Iterator[Verdict]:
    if needs := _wanted(case):
        text = f"quota: no snapshot was given, so nothing says whether the account has room for {needs}. "
        text += "Give one with --quota-snapshot FILE, or as `quota` in pulumi's --policy-pack-config: policies/README.md shows how to record it."
        yield Verdict(status=Status.UNCHECKED, urn="", path="", message=text)


def _too_old(case: Case, snapshot: QuotaSnapshot, why: str) -> Iterator[Verdict]:
    """A snapshot from another time is as good as none, but was given as if it held: that is no pass."""
    if needs := _wanted(case):
        text = f"quota: the snapshot of {snapshot.taken} is {why}, so it is not known whether {needs} fits. Record a new snapshot."
        yield Verdict(status=Status.UNKNOWN, urn="", path="", message=text)


def _aged(case: Case, snapshot: QuotaSnapshot) -> Iterator[Verdict]:
    """What follows from an older snapshot stands, with its age in sight."""
    days = snapshot.age_days(case.settings.now.date())
    if days > case.settings.limits.quota_stale_days and case.demand:
        text = f"quota: the snapshot of {snapshot.taken} is {days} days old, so limits and usage may have changed since. Record a new snapshot."
        yield Verdict(status=Status.UNCHECKED, urn="", path="", message=text)


def _against(wanted: QuotaDemand, region: str, snapshot: QuotaSnapshot, stack: str) -> Iterator[Verdict]:
    entry = snapshot.find(wanted)
    where = f"quota {wanted.code} ({wanted.name}) in {region}"
    if entry is None:
        text = f"{where}: not in the snapshot of {snapshot.taken}, so it is not known whether {_needs(wanted)} fits. Record a new snapshot."
        yield Verdict(status=Status.UNKNOWN, urn="", path=wanted.code, message=text)
        return
    room = entry.room((stack,))
    most = entry.limit if isinstance(room, Unknown) else room
    if wanted.need > most:
        text = f"{where}: {_short(wanted, entry, snapshot, stack)}"
        yield Verdict(status=Status.VIOLATED, urn="", path=wanted.code, message=text)
    elif wanted.need + wanted.contested > most:
        text = f"{where}: {_needs(wanted)} may draw on it, and {most:g} are free; whether these machines draw on it is not established. "
        yield Verdict(status=Status.UNKNOWN, urn="", path=wanted.code, message=text + "Look it up by name in the account.")
    elif isinstance(room, Unknown):
        text = f"{where}: the snapshot of {snapshot.taken} has no usage, so it is not known whether {_needs(wanted)} fits. Record a new snapshot."
        yield Verdict(status=Status.UNKNOWN, urn="", path=wanted.code, message=text)


def _amount(wanted: QuotaDemand) -> str:
    """Unknown is never zero."""
    certain = wanted.need + wanted.contested
    return (
        f"{'at least ' if certain else 'unknown '}{f'{certain:g} ' if certain else ''}{wanted.unit}"
        if wanted.unknown
        else f"{certain:g} {wanted.unit}"
    )


def _needs(wanted: QuotaDemand) -> str:
    return f"{wanted.need + wanted.contested:g} {wanted.unit} for {', '.join(wanted.pools)}"


def _short(wanted: QuotaDemand, entry: QuotaEntry, snapshot: QuotaSnapshot, stack: str) -> str:
    usage = "not recorded" if entry.usage is None else f"{entry.usage:g}, {entry.own((stack,)):g} of it by this stack"
    text = f"needs {_needs(wanted)} at maximum with surge, the limit is {entry.limit:g}, usage {usage} (snapshot of {snapshot.taken}). "
    text += "Nodes beyond it stay away, and their pods stay Pending without a message in the cluster. "
    return text + f"Lower the maximum{_request(wanted, entry, snapshot, stack)}."


def _request(wanted: QuotaDemand, entry: QuotaEntry, snapshot: QuotaSnapshot, stack: str) -> str:
    """The exact request, where the cloud has one."""
    ask = asked(wanted, entry, (stack,))
    return "" if ask is None else f" or request {ask.value:g} {ask.unit}: `{ask.command(snapshot.account)}`"


RULES = (
    Rule(
        id="GPU-QUOTA-01",
        title="The account's quotas have room for the maximum with surge",
        failures=("J1", "J2", "E8"),
        scope=Scope.STACK,
        check=_quota,
        fix="limit - (usage - usage of this stack) of at least (maximum + surge) x vCPUs or GPUs, per family, market and region, and in every cap over them",
        parameters=("quota snapshot", "quota_stale_days"),
    ),
)
