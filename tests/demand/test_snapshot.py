"""Quota snapshots: what a file may say, and what is left for a stack."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.demand import QuotaEntry, QuotaSnapshot, demand
from components.unknown import Unknown
from tests.costing.pools import pool, stack

ROW: dict[str, Any] = {"cloud": "aws", "region": "us-east-1", "code": "L-417A185B", "limit": 384, "usage": 96, "stacks": {"dev": 96}}
FILE: dict[str, Any] = {"schema": "gpukit/quota/1", "taken": "2026-11-29", "account": "123456789012", "quotas": [ROW]}


def test_a_snapshot_is_read_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "quota.json"
    path.write_text(json.dumps(FILE))
    snapshot = QuotaSnapshot.load(path)
    (wanted,) = demand(stack(pool()))
    assert (snapshot.taken, snapshot.account) == (date(2026, 11, 29), "123456789012")
    assert snapshot.find(wanted) == QuotaEntry(limit=384, usage=96, stacks={"dev": 96})


def test_codes_are_compared_without_case_and_spaces() -> None:
    """Azure's own listings differ in both."""
    row = {**ROW, "code": "l-417a 185B"}
    (wanted,) = demand(stack(pool()))
    assert QuotaSnapshot.from_json({**FILE, "quotas": [row]}).find(wanted) is not None


def test_a_quota_that_is_not_there_is_none() -> None:
    (wanted,) = demand(stack(pool(region="us-west-2")))
    assert QuotaSnapshot.from_json(FILE).find(wanted) is None


def test_a_stacks_own_usage_does_not_stand_in_its_way() -> None:
    entry = QuotaEntry(limit=384, usage=200, stacks={"dev": 96, "prod": 4})
    assert entry.room(()) == 184
    assert entry.room(("dev",)) == 280
    assert entry.room(("dev", "prod", "elsewhere")) == 284


def test_usage_that_was_not_recorded_leaves_the_room_unknown() -> None:
    assert isinstance(QuotaEntry(limit=384, usage=None).room(()), Unknown)


@given(st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0, 1))
def test_room_is_never_more_than_the_limit(limit: float, usage: float, share: float) -> None:
    room = QuotaEntry(limit=limit, usage=usage, stacks={"dev": usage * share}).room(("dev",))
    assert not isinstance(room, Unknown)
    assert room <= limit + 1e-6


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"schema": "gpukit/quota/2"}, "schema is 'gpukit/quota/2', give 'gpukit/quota/1'"),
        ({"quotas": {}}, "`quotas` must be a list"),
        ({"taken": None}, "taken is missing, give the day such as 2026-11-30"),
        ({"quotas": [ROW, ROW]}, r"quotas\[1\] repeats aws us-east-1 l-417a185b"),
        ({"quotas": [{**ROW, "code": ""}]}, r"quotas\[0\] needs cloud \(aws, gcp, azure\), region and code"),
        ({"quotas": [{**ROW, "limit": None}]}, r"quotas\[0\]\.limit is missing, give a number of at least 0"),
        ({"quotas": [{**ROW, "limit": -1}]}, r"limit is -1"),
        ({"quotas": [{**ROW, "usage": "96"}]}, r"quotas\[0\]\.usage is '96'"),
        ({"quotas": [{**ROW, "stacks": []}]}, r"quotas\[0\]\.stacks must map stack names"),
        ({"quotas": [{**ROW, "stacks": {"dev": 97}}]}, r"stacks use 97 together, more than the usage 96"),
        ({"quotas": [7]}, r"quotas\[0\] is a single value, give an object with cloud"),
    ],
)
def test_a_wrong_snapshot_says_where_and_what_to_give(change: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        QuotaSnapshot.from_json({**FILE, **change})


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[]", b"null"])
def test_a_corrupt_file_is_a_value_error(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "quota.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="quota snapshot"):
        QuotaSnapshot.load(path)


@pytest.mark.parametrize("account", [123456789012, "", True, ["123456789012"]])
def test_an_account_that_is_no_text_is_refused(account: Any) -> None:
    with pytest.raises(ValueError, match=r"quota snapshot: account is .*, give the id as text"):
        QuotaSnapshot.from_json({**FILE, "account": account})
