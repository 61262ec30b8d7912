"""A world with a server process: its life, its death and what is left of it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import threading
import time
from pathlib import Path

import boto3
import pytest
from filelock import FileLock, Timeout
from hypothesis import given
from hypothesis import strategies as st

from scripts.errors import BadInput, Failed, Refused
from scripts.sandbox.client import Endpoints, World
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.provider.serving import Serving
from scripts.sandbox.server import main, speed_from
from tests.sandbox.provider.test_service import Instance


def server(world: World) -> dict[str, object]:
    return json.loads((world.home / "server.json").read_text())


def killed(world: World) -> None:
    os.kill(int(str(server(world)["pid"])), signal.SIGKILL)
    end = time.monotonic() + 10
    while time.monotonic() < end:
        try:
            FileLock(world.home / "lock", timeout=0).acquire().lock.release()
        except Timeout:
            time.sleep(0.02)
        else:
            return
    raise AssertionError("the killed server still holds its lock")


def ended(pid: int) -> bool:
    """Whether the process ends, a while that is far longer than it takes given. Our own child stays as a zombie."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


def aws(endpoints: Endpoints) -> Instance:
    return Instance(Serving(None, endpoints.providers["aws"]), region="us-east-1")  # type: ignore[arg-type]


def vpcs(endpoints: Endpoints) -> list[str]:
    client = boto3.client(
        "ec2", region_name="us-east-1", endpoint_url=endpoints.aws, aws_access_key_id="simulated", aws_secret_access_key="simulated"
    )
    return [v["VpcId"] for v in client.describe_vpcs()["Vpcs"]]


def test_what_the_engines_door_makes_the_clouds_door_shows_even_after_kill_9(live: World):
    before = live.start()
    vpc, _ = aws(before).create(t.VPC, cidrBlock="10.0.0.0/16")
    assert vpcs(before) == [vpc]
    killed(live)
    assert live.running() is None
    after = live.start()
    assert after.http == before.http, "cluster endpoints in the engine's state point at it"
    assert vpcs(after) == [vpc]
    assert aws(after).read(t.VPC, vpc)[0] == vpc


def test_a_second_start_finds_the_first(live: World):
    first = live.start()
    pid = server(live)["pid"]
    assert live.start() == first
    assert server(live)["pid"] == pid


def test_starts_at_the_same_time_make_one_server(live: World):
    found: list[Endpoints] = []
    threads = [threading.Thread(target=lambda: found.append(live.start())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len({e.http for e in found}) == 1
    assert len({tuple(e.providers.items()) for e in found}) == 1


def test_time_faults_and_quotas_survive_an_orderly_end(live: World):
    live.start()
    then = live.advance("30d")
    live.fault("capacity", machine="p5*")
    live.declare(quotas={"L-417A185B": 96})
    assert live.stop()
    assert not live.stop()
    assert live.now() >= then.replace(microsecond=0)
    status = live.status()
    assert [f["kind"] for f in status["faults"]] == ["capacity"]
    assert status["quotas"] == {"L-417A185B": 96}
    assert live.clear_faults() == 1


def test_a_torn_journal_is_continued_and_a_corrupt_one_refused_untouched(live: World):
    live.start()
    live.advance("1d")
    then = live.now()
    killed(live)
    journal = live.home / "journal.jsonl"
    with journal.open("ab") as file:
        file.write(b'{"put":[{"kind":"aws:ec2/vpc')
    assert live.now() >= then
    live.stop()
    broken = b"not json\n" + journal.read_bytes()
    journal.write_bytes(broken)
    with pytest.raises(BadInput, match=r"journal\.jsonl: line 1 cannot be read"):
        live.start()
    assert journal.read_bytes() == broken
    live.reset()
    assert live.status()["records"] == {}


SPOILT = ["", "{", "[]", "{}", '{"pid": 1}']


@pytest.mark.parametrize("content", SPOILT)
def test_a_corrupt_server_file_is_as_good_as_none_when_no_server_runs(live: World, content: str):
    live.home.mkdir(parents=True)
    (live.home / "lock").touch()
    (live.home / "server.json").write_text(content)
    assert live.running() is None
    assert not live.stop()


def test_a_running_server_mends_its_file_so_that_it_is_found_stopped_and_reset(live: World):
    before, pid = live.start(), server(live)["pid"]
    for content in SPOILT:
        (live.home / "server.json").write_text(content)
        assert live.start() == before
    assert server(live)["pid"] == pid
    (live.home / "server.json").unlink()
    live.reset()
    assert not live.home.exists()
    assert ended(int(str(pid)))


def test_a_server_that_tells_nothing_is_not_reset_under_its_feet(live: World, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("scripts.sandbox.client._MENDS_SECONDS", 0.0)
    live.home.mkdir(parents=True)
    (live.home / "server.json").write_text("{")
    with FileLock(live.home / "lock"):
        for ask in (live.stop, live.reset):
            with pytest.raises(Failed, match=r"end the process `python -m scripts\.sandbox\.server"):
                ask()
        with pytest.raises(Refused, match="end that process"):
            live.start()
    assert live.home.exists()


def test_a_server_whose_directory_was_removed_ends(live: World):
    live.start()
    pid = int(str(server(live)["pid"]))
    shutil.rmtree(live.home)
    new = live.start()
    assert int(str(server(live)["pid"])) != pid
    assert ended(pid)
    assert live.running() == new


def test_the_token_is_for_its_owner_only(live: World):
    live.start()
    assert (live.home / "server.json").stat().st_mode & 0o077 == 0
    assert str(server(live)["token"]) not in (live.home / "server.log").read_text()


def test_a_second_server_on_one_directory_ends_with_one_sentence(live: World, capsys: pytest.CaptureFixture[str]):
    live.start()
    assert main(["--dir", str(live.home)]) == 1
    assert "another server runs this simulated world" in capsys.readouterr().err


def test_a_port_that_somebody_else_took_is_named(live: World):
    live.start()
    live.stop()
    port = int((live.home / "port").read_text())
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", port))
        other.listen()
        with pytest.raises(Failed, match=f"port {port} of this simulated world is taken"):
            live.start()


def test_a_port_file_that_holds_no_port_is_named(live: World):
    live.home.mkdir(parents=True)
    (live.home / "port").write_text("eighty")
    with pytest.raises(BadInput, match="holds 'eighty', not a port"):
        live.start()


def test_load_on_an_empty_world_names_what_is_missing(live: World):
    with pytest.raises(BadInput, match="no pool 'a100' of stack 'dev'"):
        live.load("dev", "a100", nodes=1)


def test_asking_a_world_that_never_ran_is_not_starting_it(tmp_path: Path):
    world = World.at(tmp_path)
    assert world.running() is None
    assert not world.stop()
    assert not (tmp_path / ".gpukit").exists()


@given(speed=st.floats(min_value=0, max_value=1e6))
def test_any_speed_from_zero_is_taken(speed: float):
    assert speed_from(str(speed)) == speed


@pytest.mark.parametrize("text", ["fast", "-1", "nan minutes"])
def test_a_speed_that_is_none_is_refused(text: str):
    with pytest.raises(Failed, match="GPUKIT_SANDBOX_SPEED"):
        speed_from(text)
