"""What runs remember: whole on the disk or not at all, one run at a time, and never forgotten for a broken file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from scripts.errors import BadInput, Refused
from scripts.idle.act.state import Remembered, Scaled, Store

from .traces import NOW

SCALED = Scaled(group="g", minimum=1, desired=2, maximum=4, at=NOW)


def test_what_was_written_is_read_back_beside_other_stacks(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.write("one", Remembered(pools={"a100": SCALED}))
    store.write("two", Remembered(warned_at=NOW))
    assert Store(tmp_path).of_stack("one").pools["a100"] == SCALED
    assert Store(tmp_path).of_stack("two").warned_at == NOW


def test_a_second_run_is_refused_while_one_works(tmp_path: Path) -> None:
    with Store(tmp_path).locked(), pytest.raises(Refused, match="Another run"), Store(tmp_path).locked():
        pass


def test_the_lock_of_a_killed_run_is_free(tmp_path: Path) -> None:
    code = f"import os, pathlib; from scripts.idle.act.state import Store\nwith Store(pathlib.Path({str(tmp_path)!r})).locked(): os.kill(os.getpid(), 9)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
    with Store(tmp_path).locked():
        pass


def test_a_run_killed_while_it_writes_leaves_the_old_state(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.write("one", Remembered(pools={"a100": SCALED}))
    code = (
        "import os, pathlib\nfrom scripts.idle.act.state import Remembered, Store\n"
        "os.fsync = lambda *_: os.kill(os.getpid(), 9)\n"
        f"Store(pathlib.Path({str(tmp_path)!r})).write('one', Remembered())"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
    assert store.of_stack("one").pools["a100"] == SCALED


@pytest.mark.parametrize("text", ["", "{", '{"schema": "other/1"}', '{"schema": "gpukit/idle-state/1", "stacks": {"a": {"pools": 3}}}'])
def test_a_broken_file_is_refused_and_kept(tmp_path: Path, text: str) -> None:
    store = Store(tmp_path)
    store.path.write_text(text)
    with pytest.raises(BadInput, match="sizes of pools"):
        store.read()
    assert store.path.read_text() == text


def test_worlds_do_not_share_a_state(tmp_path: Path) -> None:
    assert Store.of(tmp_path, "sandbox").path != Store.of(tmp_path, "real").path
