from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scripts.engine import host_wrapper, locate, recipe
from scripts.engine.checkout import cache
from scripts.engine.locate import Origin
from scripts.errors import BadInput

Install = Callable[..., Path]


def cached(pulumi: Install, go: str = "1.26.8") -> Path:
    return pulumi(cache() / "engine" / f"{recipe.module_key()}-go{go}" / "bin", host=False)


def silent(_: str) -> None:
    """Progress that nobody reads."""


def test_nothing_is_found_on_an_empty_machine(machine: Path) -> None:
    assert locate.find() is None


def test_the_setting_wins_over_everything(machine: Path, pulumi: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pulumi(machine)
    cached(pulumi)
    chosen = pulumi(tmp_path / "chosen", version="v3.300.0")
    monkeypatch.setenv("GPUKIT_PULUMI", str(chosen))
    engine = locate.find()
    assert engine is not None
    assert (engine.command, engine.origin, engine.version) == (chosen, Origin.SETTING, "v3.300.0")


@pytest.mark.parametrize(
    ("version", "host"), [("v3.254.9", True), ("v3.300.0", False)], ids=["older than a pack as executable", "without its language host"]
)
def test_a_setting_that_cannot_serve_is_named_and_never_replaced_silently(
    machine: Path, pulumi: Install, monkeypatch: pytest.MonkeyPatch, version: str, host: bool
) -> None:
    pulumi(machine)
    monkeypatch.setenv("GPUKIT_PULUMI", str(pulumi(machine.parent / "chosen", version=version, host=host)))
    with pytest.raises(BadInput, match=r"GPUKIT_PULUMI is .*v3\.255\.0"):
        locate.find()


def test_an_official_engine_on_path_wins_over_the_cache(machine: Path, pulumi: Install) -> None:
    cached(pulumi)
    command = pulumi(machine, version="v3.280.0")
    engine = locate.find()
    assert engine is not None
    assert (engine.command, engine.origin, engine.official) == (command, Origin.OFFICIAL, True)


def test_the_host_is_looked_for_beside_the_real_file_of_a_linked_engine(machine: Path, pulumi: Install, tmp_path: Path) -> None:
    (machine / "pulumi").symlink_to(pulumi(tmp_path / "opt"))
    engine = locate.find()
    assert engine is not None
    assert engine.official


@pytest.mark.parametrize(("version", "host"), [("v3.200.0", True), ("v3.280.0", False), ("", True)])
def test_an_engine_on_path_that_cannot_serve_is_passed_over_for_the_cache(machine: Path, pulumi: Install, version: str, host: bool) -> None:
    pulumi(machine, version=version, host=host)
    command = cached(pulumi)
    engine = locate.find()
    assert engine is not None
    assert (engine.command, engine.origin) == (command, Origin.CACHE)


def test_a_cached_engine_gets_our_host_and_is_not_official(machine: Path, pulumi: Install) -> None:
    cached(pulumi)
    engine = locate.find()
    assert engine is not None
    assert not engine.official
    assert host_wrapper.is_ours(engine.host)


def test_a_link_on_path_to_a_cached_engine_does_not_make_it_official(machine: Path, pulumi: Install) -> None:
    command = cached(pulumi)
    host_wrapper.write(command.parent)
    (machine / "pulumi").symlink_to(command)
    engine = locate.find()
    assert engine is not None
    assert (engine.command, engine.origin, engine.official) == (command, Origin.CACHE, False)


def test_a_corrupt_cached_engine_is_passed_over(machine: Path, pulumi: Install) -> None:
    cached(pulumi).write_bytes(b"\x7fELF cut off")
    assert locate.find() is None


def test_a_cached_engine_of_another_module_is_not_used(machine: Path, pulumi: Install) -> None:
    pulumi(cache() / "engine" / f"{recipe.VERSION}-0000000000000000-go1.26.8" / "bin", host=False)
    assert locate.find() is None


def test_a_found_engine_is_not_built_again(machine: Path, pulumi: Install) -> None:
    command = cached(pulumi)
    assert locate.ensure(silent).command == command


def test_the_command_prints_where_the_engine_is(machine: Path, pulumi: Install, capsys: pytest.CaptureFixture[str]) -> None:
    command = cached(pulumi)
    assert locate.main() == 0
    assert capsys.readouterr().out == f"{command}\n"


def test_the_command_says_what_to_install_when_nothing_can_be_built(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert locate.main() == 3
    assert "no Go to build it" in capsys.readouterr().err
