from __future__ import annotations

import io
import json
import stat
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from scripts.engine import commands, doctor, gate, locate, prepare
from scripts.engine.checkout import Checkout
from scripts.engine.identity import Caller
from scripts.engine.locate import Engine, Origin
from scripts.engine.outcome import Outcome
from scripts.engine.workspace import real_workspace
from scripts.errors import BadInput, Exit, Failed, GpukitError, Refused
from tests.engine_unit.conftest import Script


@pytest.fixture
def ran(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Replaces everything behind the command line; gives what it was asked for."""
    asked: dict[str, Any] = {}

    def job_of(_: Any, order: Any, **given: Any) -> Any:
        asked.update(order=order, **given)
        return order

    def act(order: Any) -> Outcome:
        outcome = Outcome(action=order.action, stack=order.stack, world=order.world, exit=Exit.FINE, changes={"create": 1})
        asked["approved"] = asked["approve"](outcome)
        return outcome

    monkeypatch.setattr(commands.checkouts, "here", lambda: checkout)
    monkeypatch.setattr(prepare, "job_of", job_of)
    monkeypatch.setattr("scripts.engine.run.act", act)
    monkeypatch.delenv("GPUKIT_WORLD", raising=False)
    return asked


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("flag", "variable", "world"), [(True, "", "sandbox"), (False, "sandbox", "sandbox"), (False, "", "real")])
def test_the_world_is_chosen_by_one_switch_and_said_first(
    ran: dict[str, Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *, flag: bool, variable: str, world: str
) -> None:
    monkeypatch.setenv("GPUKIT_WORLD", variable)
    assert commands.up(stack="dev", sandbox=flag, yes=True) == 0
    assert ran["order"].world == world
    said = capsys.readouterr()
    assert said.err.startswith(f"[{world}] {commands.SAID[world]}")
    assert said.out.startswith(f"[{world}] up dev: 1 created")


def test_json_stands_alone_on_standard_output(ran: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    commands.up(stack="dev", sandbox=True, yes=True, json_=True)
    assert json.loads(capsys.readouterr().out)["schema"] == "gpukit/run/1"


def test_an_unknown_stack_is_told_with_those_that_there_are(ran: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match=r"no stack 'dve': .*Stacks: dev\."):
        commands.up(stack="dve", sandbox=True, yes=True)


@pytest.fixture
def made(checkout: Checkout) -> None:
    """The stack has something in its simulated state."""
    stack_state(checkout, [{"urn": "urn:pulumi:dev::toy::aws:ec2/vpc:Vpc::v", "type": "aws:ec2/vpc:Vpc"}])


def stack_state(checkout: Checkout, resources: list[dict[str, str]], pending: list[Any] | None = None) -> None:
    file = checkout.sandbox_state / ".pulumi" / "stacks" / "toy" / "dev.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"checkpoint": {"latest": {"resources": resources, "pending_operations": pending or []}}}))


@pytest.mark.parametrize("command", [commands.refresh, commands.destroy])
def test_a_stack_of_which_nothing_is_left_is_told_without_starting_anything(
    ran: dict[str, Any], checkout: Checkout, capsys: pytest.CaptureFixture[str], command: Any
) -> None:
    assert command(stack="dev", sandbox=True) == 0
    assert "was never made in this world: nothing to" in capsys.readouterr().out
    stack_state(checkout, [{"urn": "urn:pulumi:dev::toy::pulumi:pulumi:Stack::toy-dev", "type": "pulumi:pulumi:Stack"}])
    assert command(stack="dev", sandbox=True) == 0
    assert "has nothing in its state: nothing to" in capsys.readouterr().out
    assert ran == {}


def test_a_stack_whose_only_create_was_cut_off_is_looked_at(ran: dict[str, Any], checkout: Checkout) -> None:
    stack_state(checkout, [], [{"type": "creating", "resource": {"urn": "urn:pulumi:dev::toy::aws:ec2/vpc:Vpc::v", "type": "t"}}])
    commands.destroy(stack="dev", sandbox=True, yes=True)
    assert ran["order"].action == "destroy"


def test_a_real_preview_says_that_it_changes_nothing(ran: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    commands.preview(stack="dev")
    assert "changes nothing" in capsys.readouterr().err


def test_on_real_clouds_a_missing_engine_is_told_before_a_missing_yes(ran: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    monkeypatch.setattr(locate, "find", lambda: None)
    with pytest.raises(GpukitError, match=r"Pulumi's own release.*--sandbox"):
        commands.up(stack="dev")


def test_on_real_clouds_missing_credentials_are_told_before_a_missing_yes(ran: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    monkeypatch.setattr(gate, "real_workspace", lambda *_: None)
    spec = SimpleNamespace(cloud="aws", account="123456789012")
    monkeypatch.setattr(gate, "settings_of", lambda *_: SimpleNamespace(spec=spec, region="us-east-1"))
    monkeypatch.setattr("scripts.engine.aws_identity.caller", lambda *_: None)
    with pytest.raises(Refused, match=r"no credentials for it here.*--sandbox"):
        commands.up(stack="dev")
    monkeypatch.setattr("scripts.engine.aws_identity.caller", lambda *_: Caller("123456789012", "arn"))
    with pytest.raises(BadInput, match="Add --yes, or --sandbox"):
        commands.up(stack="dev")


@pytest.mark.parametrize("command", [commands.up, commands.refresh, commands.destroy])
@pytest.mark.usefixtures("made")
def test_without_a_terminal_and_without_yes_nothing_starts(ran: dict[str, Any], monkeypatch: pytest.MonkeyPatch, command: Any) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("yes\n"))
    with pytest.raises(BadInput, match=r"no terminal to ask on\. Add --yes"):
        command(stack="dev", sandbox=True)
    assert ran == {}


@pytest.mark.usefixtures("made")
@pytest.mark.parametrize(
    ("command", "typed", "approved"),
    [
        (commands.up, "yes\n", True),
        (commands.up, "y\n", False),
        (commands.up, "", False),
        (commands.destroy, "yes\n", False),
        (commands.destroy, "dev\n", True),
    ],
)
def test_destroying_takes_the_stacks_name_and_changing_a_yes(
    ran: dict[str, Any], monkeypatch: pytest.MonkeyPatch, command: Any, typed: str, approved: bool
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal(typed))
    command(stack="dev", sandbox=True)
    assert ran["approved"] is approved


def test_the_real_world_takes_no_engine_but_pulumis_own(checkout: Checkout, tmp_path: Path) -> None:
    with pytest.raises(Failed, match=r"docs/install.*--sandbox.*Nothing was changed"):
        real_workspace(checkout, None)
    from scripts.engine import host_wrapper

    host_wrapper.write(tmp_path)
    ours = Engine(tmp_path / "pulumi", "v3.274.1", Origin.CACHE)
    with pytest.raises(Failed, match="Pulumi's own release"):
        real_workspace(checkout, ours)


def test_the_real_world_ignores_the_sandboxs_clock(checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPUKIT_NOW", "2020-01-01T00:00:00Z")
    (tmp_path / "pulumi-language-python").write_text("#!/bin/sh\n")
    workspace = real_workspace(checkout, Engine(tmp_path / "pulumi", "v3.274.1", Origin.OFFICIAL))
    assert "GPUKIT_NOW" not in workspace.environment
    assert workspace.directory == checkout.root


def test_env_prepares_the_simulated_clouds_only(ran: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match=r"gpukit env --sandbox"):
        commands.env()


def test_a_kubeconfig_is_written_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    path.write_text("old")
    path.chmod(0o644)
    commands.write_private(path, "secret\n")
    assert path.read_text() == "secret\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_kubeconfig_that_cannot_be_written_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be written"):
        commands.write_private(tmp_path / "missing" / "kubeconfig", "x")


@pytest.fixture
def stack_output(ran: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    def put(value: str | None) -> None:
        monkeypatch.setattr(prepare, "workspace_of", lambda *_: None)
        monkeypatch.setattr("scripts.engine.session.Session.secret_output", lambda *_: value)

    return put


def test_a_kubeconfig_is_printed_only_where_there_is_a_cluster(stack_output: Any, capsys: pytest.CaptureFixture[str]) -> None:
    stack_output("kind: Config")
    assert commands.kubeconfig(stack="dev", sandbox=True) == 0
    assert capsys.readouterr().out == "kind: Config\n"
    stack_output(None)
    with pytest.raises(Refused, match="has no kubeconfig"):
        commands.kubeconfig(stack="dev", sandbox=True)


def test_doctor_names_what_is_missing_and_how_to_get_it(checkout: Checkout, machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scripts.engine.aws_identity.caller", lambda *_: None)
    examined = doctor.examine(checkout)
    shown = doctor.text(examined)
    assert "`make up` builds it once" in shown
    assert examined.as_json()["schema"] == "gpukit/doctor/1"


def test_doctor_in_the_sandbox_asks_for_packages_and_not_for_credentials(checkout: Checkout, machine: Path) -> None:
    items = {item.name: item for item in doctor.examine(checkout, sandbox=True).items}
    assert {"pulumi engine", "python package pulumi"} <= items.keys()
    assert not [name for name in items if "credentials" in name]


def test_doctor_finds_the_uv_that_make_has_put_into_the_checkout(checkout: Checkout, machine: Path, script: Script) -> None:
    assert next(item for item in doctor.examine(checkout, sandbox=True).items if item.name == "uv").health is doctor.Health.OPTIONAL
    script(checkout.root / ".uv" / "bin" / "uv", "echo uv 0.8.0")
    found = next(item for item in doctor.examine(checkout, sandbox=True).items if item.name == "uv")
    assert (found.health, found.found) == (doctor.Health.OK, "uv 0.8.0")


def test_doctor_shows_whose_credentials_they_are_and_never_the_credentials(
    checkout: Checkout, machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scripts.engine.identity import Caller

    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "canary-secret")
    monkeypatch.setattr("scripts.engine.aws_identity.caller", lambda *_: Caller("123456789012", "arn:aws:iam::123456789012:role/platform"))
    shown = doctor.text(doctor.examine(checkout))
    assert "role/platform in account 123456789012" in shown
    assert "canary-secret" not in shown


def test_one_thing_that_cannot_be_looked_at_hides_nothing_else(checkout: Checkout, machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Any:
        raise Failed("AWS did not say whose the credentials are.")

    monkeypatch.setattr("scripts.engine.aws_identity.caller", broken)
    monkeypatch.setattr(locate, "find", lambda: None)
    items = {item.name: item for item in doctor.examine(checkout).items}
    assert items["aws credentials"].health is doctor.Health.UNKNOWN
    assert items["sandbox"].health is doctor.Health.OK
