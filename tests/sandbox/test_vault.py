from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from scripts.sandbox import wire
from scripts.sandbox.vault import HIDDEN, Vault, unmarked

LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=10)
SECRETS = LEAVES.map(wire.secret)
VALUES = st.recursive(
    LEAVES | SECRETS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", min_size=1), inner, max_size=3),
    max_leaves=12,
)


@given(value=VALUES)
def test_a_caller_that_still_has_its_secrets_gets_them_back_wrapped(value: object):
    vault = Vault(b"key")
    assert vault.show(vault.hide(value), value) == value


def test_what_is_kept_holds_no_secret_in_plain():
    kept = Vault(b"key").hide({"a": wire.secret("hunter2"), "b": [wire.secret({"deep": "hunter2"})]})
    assert "hunter2" not in str(kept)


def test_a_changed_or_unknown_secret_reads_as_a_placeholder_that_is_still_secret():
    vault = Vault(b"key")
    kept = vault.hide({"a": wire.secret("old")})
    assert vault.show(kept, {"a": wire.secret("new")}) == {"a": wire.secret(HIDDEN)}
    assert vault.show(kept, {}) == {"a": wire.secret(HIDDEN)}


def test_other_worlds_cannot_recognise_the_value():
    value = wire.secret("x")
    assert Vault(b"one").hide(value) != Vault(b"two").hide(value)


def test_readers_at_the_doors_see_a_placeholder():
    assert unmarked(Vault(b"key").hide({"data": {"p": wire.secret("hunter2")}})) == {"data": {"p": HIDDEN}}


def test_the_key_is_made_once_and_for_its_owner_only(tmp_path: Path):
    path = tmp_path / "key"
    kept = Vault.at(path).hide(wire.secret("x"))
    assert Vault.at(path).hide(wire.secret("x")) == kept
    assert path.stat().st_mode & 0o077 == 0


def test_what_a_type_makes_of_a_secret_is_sealed_and_comes_back_as_the_secret_it_was():
    vault, given = Vault(b"key"), {"tags": {"owner": wire.secret("hunter2"), "team": "research"}}
    kept = vault.seal({"tagsAll": {"owner": "hunter2", "team": "research"}}, given)
    assert "hunter2" not in str(kept)
    assert vault.show(kept, given) == {"tagsAll": given["tags"]}
    assert vault.show(kept, {"tags": {"owner": wire.secret("changed")}})["tagsAll"]["owner"] == wire.secret(HIDDEN)
