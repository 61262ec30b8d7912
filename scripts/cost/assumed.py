"""Assumptions given on the command line: they go before those of the stack files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from components.json_file import LARGEST
from components.spec import Interruption
from scripts.errors import BadInput

FORM = "POOL=TIMES_A_DAY/LOST_MINUTES such as a100=2/45"


@dataclass(frozen=True, kw_only=True)
class Assumed:
    interruptions: tuple[Interruption, ...] = ()
    nat_gb_per_month: float | None = None


def assumed(*, interruptions: Sequence[str] = (), nat_gb: float | None = None) -> Assumed:
    """Raises BadInput naming the option, its value and the form that it takes."""
    if nat_gb is not None and not 0 <= nat_gb <= LARGEST:
        raise BadInput(f"--nat-gb is {nat_gb:g}: give the GB a month through each NAT gateway, 0 or more.")
    return Assumed(interruptions=tuple(map(_interruption, interruptions)), nat_gb_per_month=nat_gb)


def _interruption(text: str) -> Interruption:
    pool, _, rate = text.partition("=")
    times, _, minutes = rate.partition("/")
    try:
        return Interruption(pool=pool, per_day=float(times), lost_minutes=float(minutes))
    except ValueError:
        raise BadInput(f"--interruptions is {text!r}: give {FORM}, both above 0.") from None
