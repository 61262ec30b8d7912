from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from scripts.engine import build, host_wrapper, recipe
from scripts.engine.checkout import cache
from scripts.errors import Failed
from tests.engine_unit.conftest import Script

GoodGo = Callable[..., Path]

INSTALLS = (
    f'mkdir -p "$GOBIN"; printf "#!/bin/sh\\necho {recipe.VERSION}\\n" >"$GOBIN/pulumi"; chmod +x "$GOBIN/pulumi"; echo some/package >&2'
)


def place() -> Path:
    return cache() / "engine"


def silent(_: str) -> None:
    """Progress that nobody reads."""


def test_a_build_follows_the_recipe_and_lands_in_its_own_directory(go: GoodGo, machine: Path) -> None:
    go(install=INSTALLS)
    built = build.build(place(), silent)
    assert built == place() / f"{recipe.module_key()}-go1.26.8" / "bin" / "pulumi"
    arguments, environment = (machine / "go.log").read_text().splitlines()
    assert arguments.startswith("install ")
    assert arguments.endswith(" tool")
    assert f"version.Version={recipe.VERSION}" in arguments
    assert "-trimpath" in arguments
    assert environment == "CGO_ENABLED=0 GOFLAGS=-mod=readonly GOTOOLCHAIN=local"


def test_our_host_is_put_beside_a_built_engine(go: GoodGo, machine: Path) -> None:
    go(install=INSTALLS)
    assert host_wrapper.is_ours(build.build(place(), silent).parent / host_wrapper.NAME)


def test_a_built_engine_is_not_built_twice(go: GoodGo, machine: Path) -> None:
    go(install=INSTALLS)
    build.build(place(), silent)
    build.build(place(), silent)
    assert (machine / "go.log").read_text().count("install ") == 1


def test_a_corrupt_build_in_the_cache_is_replaced(go: GoodGo, machine: Path) -> None:
    go(install=INSTALLS)
    build.build(place(), silent).write_bytes(b"cut off")
    assert build.works(build.build(place(), silent))


def test_without_go_the_error_says_what_to_install(machine: Path) -> None:
    with pytest.raises(Failed, match=r"`go` is not on PATH. Install Go 1\.26\.6 or newer.*docs/install"):
        build.build(place(), silent)


def test_an_old_go_is_named_with_the_version_that_is_needed(go: GoodGo, machine: Path) -> None:
    go(version="go1.22.1", install=INSTALLS)
    with pytest.raises(Failed, match=r"Go 1\.22\.1 at .* is too old .* Go 1\.26\.6 or newer"):
        build.build(place(), silent)
    assert not (machine / "go.log").exists()


def test_a_failed_build_shows_the_compiler_and_leaves_nothing_behind(go: GoodGo, machine: Path) -> None:
    go(install='echo "some.go:1: no space left on device" >&2; exit 1')
    with pytest.raises(Failed, match="no space left on device"):
        build.build(place(), silent)
    assert [path.name for path in place().iterdir()] == [".build.lock"]


def test_a_build_of_another_version_is_refused_and_not_kept(go: GoodGo, machine: Path) -> None:
    go(install=INSTALLS.replace(recipe.VERSION, "v0.0.1"))
    with pytest.raises(Failed, match=f"does not print {recipe.VERSION}"):
        build.build(place(), silent)
    assert [path.name for path in place().iterdir()] == [".build.lock"]


def test_a_second_build_waits_for_the_first_and_says_so(go: GoodGo, machine: Path) -> None:
    go(install=INSTALLS)
    place().mkdir(parents=True)
    waiting = threading.Event()
    told: list[str] = []

    def progress(line: str) -> None:
        told.append(line)
        waiting.set()

    other = FileLock(place() / ".build.lock", thread_local=False)
    other.acquire()
    result: list[Path] = []
    second = threading.Thread(target=lambda: result.append(build.build(place(), progress)))
    second.start()
    assert waiting.wait(10)
    assert not result
    other.release()
    second.join(20)
    assert told[0].startswith("another process is building")
    assert build.works(result[0])


@pytest.mark.parametrize(("text", "version"), [("go1.26.8", (1, 26, 8)), ("v3.274.1", (3, 274, 1)), ("1.27", (1, 27, 0))])
def test_versions_are_read_as_numbers(text: str, version: tuple[int, int, int]) -> None:
    assert recipe.parse_version(text) == version


def test_a_text_without_version_is_no_version() -> None:
    with pytest.raises(ValueError, match="holds no version"):
        recipe.parse_version("devel")


def test_the_module_is_pinned_to_the_version_that_the_recipe_names() -> None:
    assert f"github.com/pulumi/pulumi/pkg/v3 {recipe.VERSION}" in (recipe.MODULE / "go.mod").read_text()


def test_asking_an_engine_for_its_version_leaves_no_log_behind(script: Script, machine: Path, tmp_path: Path) -> None:
    command = script(
        tmp_path / "pulumi", f'mkdir -p "$PULUMI_HOME/logs"; echo "$PULUMI_HOME" >{tmp_path}/home; touch "$PULUMI_HOME/logs/x"; echo v1.2.3'
    )
    assert build.version_of(command) == "v1.2.3"
    assert not Path((tmp_path / "home").read_text().strip()).exists()
    assert not (tmp_path / "cache" / "gpukit" / "pulumi-home").exists()
