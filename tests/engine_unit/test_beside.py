from __future__ import annotations

from pathlib import Path

import pytest

from scripts.engine.beside import Beside
from scripts.errors import Failed


@pytest.fixture
def beside(tmp_path: Path) -> Beside:
    return Beside(tmp_path / "beside" / "sandbox-dev.json")


def test_names_are_kept_until_others_take_their_place(beside: Beside) -> None:
    assert beside.names() == frozenset()
    beside.remember(["arn:aws:s3:::two", "arn:aws:s3:::one"])
    assert beside.names() == {"arn:aws:s3:::one", "arn:aws:s3:::two"}
    beside.remember(["arn:aws:s3:::three"])
    assert beside.names() == {"arn:aws:s3:::three"}


@pytest.mark.parametrize("text", ["", "{", "3"])
def test_a_spoilt_note_tells_nothing(beside: Beside, text: str) -> None:
    beside.path.parent.mkdir()
    beside.path.write_text(text)
    assert beside.names() == frozenset()


def test_a_note_that_cannot_be_written_ends_the_run_before_anything_is_made(beside: Beside) -> None:
    beside.path.parent.write_text("a file in the directory's place")
    with pytest.raises(Failed, match=r"cannot be written.*Nothing was changed"):
        beside.remember(["arn:aws:s3:::one"])
