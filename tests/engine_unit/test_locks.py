from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.engine import engine_lock
from scripts.engine.stack_lock import stack_lock
from scripts.errors import BadInput, Refused


def test_a_second_run_on_a_stack_is_refused_with_who_and_since_when(tmp_path: Path) -> None:
    hold = "import sys,pathlib; from scripts.engine.stack_lock import stack_lock\n"
    hold += (
        "with stack_lock(pathlib.Path(sys.argv[1]), world='sandbox', stack='dev', action='up'): print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", hold, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with (
            pytest.raises(Refused, match=rf"stack dev: `gpukit up` in process {other.pid}, since "),
            stack_lock(tmp_path, world="sandbox", stack="dev", action="destroy"),
        ):
            pytest.fail("two runs at once")
        other.kill()
    with stack_lock(tmp_path, world="sandbox", stack="dev", action="destroy"):
        pass  # the kernel freed the lock of the killed run


def test_other_stacks_and_the_other_world_are_not_held_up(tmp_path: Path) -> None:
    with (
        stack_lock(tmp_path, world="sandbox", stack="dev", action="up"),
        stack_lock(tmp_path, world="sandbox", stack="prod", action="up"),
        stack_lock(tmp_path, world="real", stack="dev", action="up"),
    ):
        pass


def lock_file(state: Path, *, pid: int, host: str | None = None) -> Path:
    directory = state / ".pulumi" / "locks" / "organization" / "gpukit" / "dev"
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{pid}.json"
    path.write_text(
        json.dumps({"pid": pid, "username": "u", "hostname": host or socket.gethostname(), "timestamp": "2026-11-30T12:00:00Z"})
    )
    path.with_name(path.name + ".attrs").write_text("{}")
    return path


def dead_process() -> int:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def test_the_lock_of_a_killed_engine_is_removed_with_its_attributes(tmp_path: Path) -> None:
    path = lock_file(tmp_path, pid=dead_process())
    assert [lock.path for lock in engine_lock.remove_stale(tmp_path, project="gpukit", stack="dev")] == [path]
    assert list(path.parent.iterdir()) == []


def test_the_lock_of_a_living_engine_stays(tmp_path: Path) -> None:
    path = lock_file(tmp_path, pid=os.getpid())
    with pytest.raises(Refused, match=rf"process {os.getpid()}, since 2026-11-30T12:00:00Z\) is working on stack dev"):
        engine_lock.remove_stale(tmp_path, project="gpukit", stack="dev")
    assert path.exists()


def test_no_lock_is_removed_while_one_owner_lives(tmp_path: Path) -> None:
    dead = lock_file(tmp_path, pid=dead_process())
    lock_file(tmp_path, pid=os.getpid())
    with pytest.raises(Refused):
        engine_lock.remove_stale(tmp_path, project="gpukit", stack="dev")
    assert dead.exists()


def test_a_lock_from_another_host_is_not_judged_from_here(tmp_path: Path) -> None:
    lock_file(tmp_path, pid=dead_process(), host="another-host")
    with pytest.raises(Refused, match="on host another-host"):
        engine_lock.remove_stale(tmp_path, project="gpukit", stack="dev")


def test_an_unreadable_lock_file_is_named(tmp_path: Path) -> None:
    lock_file(tmp_path, pid=1).write_text("{")
    with pytest.raises(BadInput, match=r"lock file .*1\.json cannot be read"):
        engine_lock.remove_stale(tmp_path, project="gpukit", stack="dev")


def test_a_stack_without_locks_is_free(tmp_path: Path) -> None:
    assert engine_lock.remove_stale(tmp_path, project="gpukit", stack="dev") == ()


def test_half_written_attributes_of_this_stack_alone_are_removed(tmp_path: Path) -> None:
    stacks = tmp_path / ".pulumi" / "stacks" / "gpukit"
    stacks.mkdir(parents=True)
    texts = {"dev.json.attrs": "", "dev.json.bak.attrs": '{"user.content_type": "app', "other.json.attrs": "", "dev.json": "{}"}
    for name, text in texts.items():
        (stacks / name).write_text(text)
    assert engine_lock.drop_broken_attributes(tmp_path, project="gpukit", stack="dev")
    assert sorted(path.name for path in stacks.iterdir()) == ["dev.json", "other.json.attrs"]
    (stacks / "dev.json.attrs").write_text('{"user.content_type": "application/json"}')
    assert not engine_lock.drop_broken_attributes(tmp_path, project="gpukit", stack="dev")
    assert (stacks / "dev.json.attrs").exists()
