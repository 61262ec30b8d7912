from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.errors import BadInput, Exit
from scripts.sandbox.journal import FORMAT, Journal

ENTRIES = st.lists(st.dictionaries(st.text(max_size=8), st.integers() | st.text(max_size=20) | st.none(), max_size=4), max_size=6)


def written(path: Path, *entries: dict[str, object]) -> Journal:
    journal = Journal(path)
    journal.compact({})
    for entry in entries:
        journal.append(entry)
    return journal


@given(entries=ENTRIES)
def test_what_was_appended_is_read_back_in_order(tmp_path_factory: pytest.TempPathFactory, entries: list[dict[str, object]]):
    path = tmp_path_factory.mktemp("journal") / "j"
    written(path, *entries).close()
    assert list(Journal(path).read())[1:] == entries


@given(cut=st.integers(min_value=1, max_value=60))
def test_a_torn_last_line_is_dropped_and_everything_before_it_kept(tmp_path_factory: pytest.TempPathFactory, cut: int):
    path = tmp_path_factory.mktemp("journal") / "j"
    written(path, {"first": "whole"}).close()
    whole = path.read_bytes()
    torn = json.dumps({"second": "x" * 80}).encode()
    path.write_bytes(whole + torn[:cut])
    assert list(Journal(path).read())[1:] == [{"first": "whole"}]


def test_a_line_that_was_whole_and_cannot_be_read_is_an_error_that_names_it_and_loses_nothing(tmp_path: Path):
    path = tmp_path / "j"
    written(path, {"a": 1}, {"b": 2}).close()
    lines = path.read_bytes().split(b"\n")
    lines[1] = b'{"a": '
    path.write_bytes(b"\n".join(lines))
    before = path.read_bytes()
    with pytest.raises(BadInput, match="line 2 cannot be read") as caught:
        list(Journal(path).read())
    assert caught.value.exit is Exit.USAGE
    assert "sandbox reset" in str(caught.value)
    assert path.read_bytes() == before


@pytest.mark.parametrize("first", [b"[]\n", b"{}\n", b'{"format": "gpukit/world/0"}\n', b"\xff\xfe\n"])
def test_a_file_that_is_no_journal_is_refused(tmp_path: Path, first: bytes):
    path = tmp_path / "j"
    path.write_bytes(first)
    with pytest.raises(BadInput, match="line 1"):
        list(Journal(path).read())


def test_compacting_leaves_one_line_that_says_the_same(tmp_path: Path):
    path = tmp_path / "j"
    journal = written(path, {"a": 1})
    journal.compact({"put": ["everything"]})
    assert list(Journal(path).read()) == [{"format": FORMAT, "put": ["everything"]}]
    journal.append({"later": True})
    assert list(Journal(path).read())[1:] == [{"later": True}]


def test_the_journal_is_for_its_owner_only(tmp_path: Path):
    path = tmp_path / "j"
    written(path, {"a": 1}).close()
    assert path.stat().st_mode & 0o077 == 0
