from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pulumi.runtime.proto import analyzer_pb2, language_pb2

from scripts.engine import host_wrapper
from scripts.engine.host.__main__ import engine_address
from scripts.engine.host.children import Children
from scripts.engine.host.interpreter import Interpreter, NoEnvironment, interpreter_of
from scripts.engine.host.pack_proxy import stack_environment
from scripts.engine.host.packages import Installed, installed, providers
from scripts.engine.host.plugins import port_of
from scripts.engine.host.programs import response_of


def info(root: Path, **options: str) -> language_pb2.ProgramInfo:
    made = language_pb2.ProgramInfo(root_directory=str(root), program_directory=str(root / "stacks"), entry_point=".")
    made.options.update(options)
    return made


def venv(directory: Path) -> Path:
    python = directory / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.touch()
    return python


def test_the_virtual_environment_is_relative_to_the_projects_root(tmp_path: Path) -> None:
    python = venv(tmp_path / ".venv")
    found = interpreter_of(info(tmp_path, virtualenv=".venv"))
    assert found.python == str(python)
    assert found.environment["VIRTUAL_ENV"] == str(tmp_path / ".venv")
    assert found.environment["PATH"].startswith(f"{tmp_path}/.venv/bin:")


def test_a_pack_may_use_the_environment_of_the_folder_above(tmp_path: Path) -> None:
    python = venv(tmp_path / ".venv")
    assert interpreter_of(info(tmp_path / "policies", virtualenv="../.venv")).python == str(python)


def test_a_uv_project_brings_its_own_environment(tmp_path: Path) -> None:
    (tmp_path / "stacks").mkdir()
    (tmp_path / "uv.lock").touch()
    assert interpreter_of_with(venv(tmp_path / ".venv"), tmp_path)


def interpreter_of_with(python: Path, root: Path) -> bool:
    return interpreter_of(info(root)).python == str(python)


def test_pip_with_no_environment_is_the_hosts_own_python(tmp_path: Path) -> None:
    (tmp_path / "uv.lock").touch()
    assert interpreter_of(info(tmp_path, toolchain="pip")).python == sys.executable


def test_a_component_plugin_defaults_to_the_venv_beside_it(tmp_path: Path) -> None:
    python = venv(tmp_path / "venv")
    assert interpreter_of(info(tmp_path), plugin=True).python == str(python)


def test_a_missing_environment_is_named_and_not_replaced(tmp_path: Path) -> None:
    with pytest.raises(NoEnvironment, match=r"\.venv is not a virtual environment"):
        interpreter_of(info(tmp_path, virtualenv=".venv"))


@pytest.mark.parametrize(
    ("code", "error", "bail"),
    [(0, "", False), (32, "", True), (7, "the program ended with exit code 7", False), (-9, "the program was ended by signal 9", False)],
)
def test_exit_codes_are_told_in_the_engines_terms(code: int, error: str, bail: bool) -> None:
    response = response_of(code)
    assert (response.error, response.bail) == (error, bail)


def test_a_pack_learns_stack_project_and_config_and_nothing_that_is_empty() -> None:
    request = analyzer_pb2.AnalyzerStackConfigureRequest(stack="dev", project="p", dry_run=True, config={"a:b": "c"})
    environment = stack_environment(request.SerializeToString())
    assert environment["PULUMI_STACK"] == "dev"
    assert environment["PULUMI_DRY_RUN"] == "true"
    assert json.loads(environment["PULUMI_CONFIG"]) == {"a:b": "c"}
    assert "PULUMI_ORGANIZATION" not in environment


@pytest.mark.parametrize(
    ("plugin", "expected"),
    [
        ({"resource": True, "name": "aws", "version": "7.51.1"}, ("aws", "v7.51.1")),
        ({"resource": True}, ("azure_native", "v3.29.0")),
        ({"resource": True, "version": "v1.0.0"}, ("azure_native", "v1.0.0")),
        ({"resource": False}, None),
        (None, None),
    ],
)
def test_the_plugins_of_packages_are_named_as_the_engine_expects(plugin: Any, expected: tuple[str, str] | None) -> None:
    found = providers((Installed("pulumi-azure-native", "3.29.0", plugin),))
    assert [(each.name, each.version) for each in found] == ([expected] if expected else [])


def pack(code: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_a_pack_that_dies_before_it_serves_is_told_with_its_last_words() -> None:
    with (
        pack("raise SystemExit('limits.yaml is wrong')") as process,
        pytest.raises(RuntimeError, match=r"(?s)ended before it served.*limits\.yaml is wrong"),
    ):
        port_of(process, "policies")


def test_a_pack_that_prints_before_it_serves_is_told_so() -> None:
    with pack("print('hello')") as process, pytest.raises(RuntimeError, match="must not print before it serves"):
        port_of(process, "policies")


def test_the_port_is_the_packs_first_line() -> None:
    with pack("print(4711)") as process:
        assert port_of(process, "policies") == 4711


def sleeper(children: Children, peer: str) -> subprocess.Popen[bytes]:
    return children.spawn([sys.executable, "-c", "import time; time.sleep(60)"], peer=peer, cwd=None, environment={})


def test_a_cancel_reaches_the_children_of_its_own_engine_only() -> None:
    children = Children()
    first, second = sleeper(children, "a"), sleeper(children, "b")
    children.interrupt("a")
    assert first.wait(20) != 0
    assert second.poll() is None
    children.terminate_all()
    assert second.wait(20) != 0


def test_what_starts_while_the_host_ends_is_ended_too() -> None:
    children = Children()
    children.terminate_all()
    assert sleeper(children, "a").wait(20) != 0


def test_the_engines_address_is_the_last_argument_that_is_no_flag() -> None:
    assert engine_address(["--tracing=x", "127.0.0.1:1"]) == "127.0.0.1:1"
    assert engine_address([]) == ""


def test_our_host_refuses_to_run_outside_of_the_sandbox(tmp_path: Path) -> None:
    host_wrapper.write(tmp_path)
    run = subprocess.run([tmp_path / host_wrapper.NAME], env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "serves only the sandbox" in run.stderr


HOST = """
import os, sys, time
from scripts.engine.host import tethered
from scripts.engine.host.children import Children
children = Children()
command = [sys.executable, "-u", tethered.__file__, str(children.lifeline), *sys.argv[1:]]
child = children.spawn(command, peer="p", cwd=None, environment=os.environ)
time.sleep(120)
"""
PLUGIN = """
import sys, time
print(__name__, sys.argv[1:], sys.path[0], flush=True)
time.sleep(120)
"""


@pytest.mark.parametrize("form", ["module", "directory"])
def test_a_plugin_ends_when_its_host_is_killed(tmp_path: Path, form: str) -> None:
    plugin = tmp_path / "plugin"
    plugin.mkdir()
    (plugin / "__main__.py").write_text(PLUGIN)
    words = ["-m", "plugin"] if form == "module" else [str(plugin)]
    host = subprocess.Popen([sys.executable, "-P", "-c", HOST, *words, "one", "two"], stdout=subprocess.PIPE, cwd=tmp_path, text=True)
    assert host.stdout is not None
    told = host.stdout.readline()
    place = tmp_path if form == "module" else plugin
    assert told == f"__main__ ['one', 'two'] {place}\n"
    host.kill()
    host.wait()
    assert host.stdout.read() == "", "the plug-in holds the pipe for as long as it lives"


def test_a_host_that_is_there_is_not_written_again_and_a_broken_one_is_replaced_whole(tmp_path: Path) -> None:
    """Another process may be running it: a file that is open for writing cannot be run."""
    path = tmp_path / host_wrapper.NAME
    host_wrapper.write(tmp_path)
    first = path.stat()
    host_wrapper.write(tmp_path)
    again = path.stat()
    assert (again.st_ino, again.st_mtime_ns) == (first.st_ino, first.st_mtime_ns)
    path.write_text("#!/bin/sh\nhalf a scr")
    with path.open() as running:
        host_wrapper.write(tmp_path)
        assert running.read() == "#!/bin/sh\nhalf a scr"
    assert host_wrapper.is_ours(path)
    assert os.access(path, os.X_OK)
    assert [each.name for each in tmp_path.iterdir()] == [host_wrapper.NAME]


def test_what_has_a_plugin_is_told_alike_with_and_without_the_rest() -> None:
    here = Interpreter(sys.executable, dict(os.environ))
    all_of_it = [each for each in installed(here) if each.plugin]
    assert sorted(installed(here, with_plugin=True), key=lambda each: each.name) == sorted(all_of_it, key=lambda each: each.name)
    assert {"aws", "gcp", "azure-native", "kubernetes"} <= {each.name for each in providers(tuple(all_of_it))}


def test_the_host_serves_without_the_sdks_own_code() -> None:
    code = (
        "from scripts.engine.host.bare_sdk import hide_the_sdk\nhide_the_sdk()\nimport sys, scripts.engine.host.server\nprint(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "pulumi.runtime.proto.language_pb2" in loaded
    assert not {"pulumi.output", "pulumi.runtime.settings"} & set(loaded)
