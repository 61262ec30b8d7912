"""What a person declares of the simulated clouds: accounts, limits of quotas, reserved capacity. What nobody declares is plenty."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from components import catalog
from components.catalog.names import UnknownName
from components.spec.checks import ACCOUNTS
from scripts.errors import BadInput
from scripts.sandbox import clouds

if TYPE_CHECKING:
    from components.catalog.names import Cloud
    from scripts.sandbox.simulation import Simulation

PLENTY = "plenty"
"""In the place of a quota's limit: it is declared no more."""
RESERVATION: Mapping[str, tuple[str, ...]] = {
    "aws": ("id", "region", "machine", "zone", "count", "starts", "ends", "block", "placement"),
    "gcp": ("id", "zone", "machine", "count", "project", "starts", "ends"),
    "azure": ("group", "machine", "count", "location", "zone"),
}
"""Settings of a reservation by cloud; `cloud` itself is `aws` where it is left out."""


def declare(world: Simulation, given: Mapping[str, Any]) -> dict[str, Any]:
    """Note what is declared beside what was declared before; all of it or, where one part is refused, nothing.

    Returns all that is declared now, and the ids of the reservations that were made by this call. Raises BadInput.
    """
    unknown = given.keys() - {"accounts", "quotas", "reservations"}
    if unknown:
        raise BadInput(f"a world declares accounts, quotas and reservations, not {', '.join(sorted(unknown))}.")
    accounts, quotas = _accounts(given.get("accounts", {})), _quotas(given.get("quotas", {}))
    reservations = [_reservation(each) for each in cast("Sequence[object]", given.get("reservations", ()))]
    with world.store.transaction():
        if accounts:
            world.store.set_meta(accounts={**world.store.meta("accounts", {}), **accounts})
        if quotas:
            together = {**world.store.meta("quotas", {}), **quotas}
            world.store.set_meta(quotas={code: limit for code, limit in together.items() if limit is not None})
        made = [clouds.of(cloud).declare_reservation(world, each).id for cloud, each in reservations]
    return {"accounts": world.accounts, "quotas": world.store.meta("quotas", {}), "reservations": made}


def _accounts(given: Mapping[str, object]) -> dict[str, str]:
    for cloud, account in given.items():
        if cloud not in ACCOUNTS:
            raise BadInput(f"there is no cloud {cloud!r}: accounts are declared for {', '.join(ACCOUNTS)}, such as aws=123456789012.")
        form, meaning = ACCOUNTS[cloud]
        if not re.fullmatch(form, str(account)):
            raise BadInput(f"the account of {cloud} is {str(account)!r}: {meaning}.")
    return {cloud: str(account) for cloud, account in given.items()}


def _quotas(given: Mapping[str, object]) -> dict[str, float | None]:
    return {_code(code): None if limit == PLENTY else _limit(code, limit) for code, limit in given.items()}


def _code(code: str) -> str:
    """The catalogue's spelling. A misspelt code would limit nothing, and nobody would see it."""
    known = {_folded(quota.code): quota.code for cloud in clouds.NAMES for quota in catalog.quotas(cloud)}
    try:
        return known[_folded(code)]
    except KeyError:
        unknown = UnknownName("quota", code, known.values())
        raise BadInput(f"{unknown}. `gpukit catalog quotas` lists the codes of every cloud.") from None


def _folded(code: str) -> str:
    """Azure prints the same name with and without spaces and capitals."""
    return code.replace(" ", "").lower()


def _limit(code: str, given: object) -> float:
    try:
        limit = float(str(given))
    except ValueError:
        limit = math.nan
    if not 0 <= limit < math.inf:
        raise BadInput(f"the limit of {code} is {given!r}: give a number, 0 or more, in the quota's own unit, or {PLENTY} for no limit.")
    return limit


def _reservation(given: object) -> tuple[Cloud, Mapping[str, object]]:
    """A reservation's cloud and its settings, whose names and count are right; the cloud looks for what is missing."""
    if not isinstance(given, dict):
        raise BadInput(f'a reservation is {given!r}: it is an object such as {{"cloud": "aws", "id": …, "machine": …, "count": 4}}.')
    settings = cast("dict[str, object]", given)
    cloud = settings.get("cloud", "aws")
    if cloud not in RESERVATION:
        raise BadInput(f"a reservation's cloud is {cloud!r}: it is one of {', '.join(RESERVATION)}.")
    allowed = RESERVATION[cast("str", cloud)]
    strange = sorted(settings.keys() - {"cloud", *allowed})
    if strange:
        raise BadInput(f"a reservation on {cloud} has no {', '.join(strange)}: it takes {', '.join(allowed)}.")
    count = settings.get("count", 1)
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise BadInput(f"the count of a reservation is {count!r}: give a whole number of machines, 1 or more.")
    machine = settings.get("machine")
    if machine is not None and catalog.find_machine(cast("Cloud", cloud), str(machine)) is None:
        raise BadInput(f"the machine of a reservation is {machine!r}: `gpukit catalog machines --cloud {cloud}` lists those of {cloud}.")
    return cast("Cloud", cloud), settings
