"""The form of `gpukit/quota/1` files: every error names the entry and what is allowed there."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, cast

from components.inventory import CLOUDS
from components.json_file import bound, day, document, finite
from components.refusals import json_kind, nearest, shown, written

from .entries import QuotaEntry, QuotaKey, quota_key

SCHEMA = "gpukit/quota/1"
_KEYS = ("schema", "taken", "account", "source", "quotas")
_ROW_KEYS = ("cloud", "region", "code", "name", "unit", "limit", "usage", "stacks")


def recorded(value: object) -> tuple[str | None, date, dict[QuotaKey, QuotaEntry]]:
    """Account, day and quotas of a snapshot document. Raises ValueError naming the first wrong entry."""
    given = document(value, "quota snapshot", SCHEMA)
    _refuse_unknown(given, _KEYS, "quota snapshot")
    rows = given.get("quotas")
    if rows is None or not isinstance(rows, list):
        raise ValueError("quota snapshot: `quotas` must be a list")
    entries: dict[QuotaKey, QuotaEntry] = {}
    for i, row in enumerate(cast("list[object]", rows)):
        key, entry = _entry(row, f"quota snapshot: quotas[{i}]")
        if key in entries:
            raise ValueError(f"quota snapshot: quotas[{i}] repeats {' '.join(key)}: keep one of them")
        entries[key] = entry
    return _account(given), day(given.get("taken"), "quota snapshot: taken"), entries


def _account(given: Mapping[str, Any]) -> str | None:
    """A number would compare with no stack's account, and the snapshot would count for none or for all of them."""
    account = given.get("account")
    if account is None or (isinstance(account, str) and account):
        return account
    raise ValueError(
        f'quota snapshot: account is {written(given, "account")}, give the id as text, such as "123456789012", or leave it out'
    )


def _entry(value: object, where: str) -> tuple[QuotaKey, QuotaEntry]:
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
    if usage is not None and sum(own.values()) > usage and not math.isclose(sum(own.values()), usage):  # fractions add up roughly
        raise ValueError(f"{where}: stacks use {sum(own.values()):g} together, more than the usage {usage:g}")
    return quota_key(cloud, region, code), QuotaEntry(limit=_amount(row.get("limit"), f"{where}.limit"), usage=usage, stacks=own)


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
