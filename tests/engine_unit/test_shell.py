from __future__ import annotations

from pathlib import Path

import pytest

from scripts.engine import shell
from scripts.engine.checkout import Checkout
from scripts.engine.environment import environment
from scripts.engine.locate import Engine, Origin
from scripts.engine.workspace import Workspace
from tests.engine_unit.test_environment import Endpoints


@pytest.fixture
def workspace(checkout: Checkout) -> Workspace:
    return Workspace(
        checkout=checkout,
        engine=Engine(Path("pulumi"), "v3.274.1", Origin.CACHE),
        directory=checkout.sandbox_project,
        environment=environment(checkout, Endpoints(), base={"PATH": "/usr/bin", "HOME": "/home/me"}),
        world="sandbox",
        project="toy",
    )


def stack(checkout: Checkout, name: str, text: str) -> None:
    checkout.stack_file(name).write_text(text)


def test_the_shell_enters_the_simulated_world_even_where_this_process_has_entered_it_already(workspace: Workspace) -> None:
    assert "export GPUKIT_WORLD=sandbox" in shell.lines(workspace, {"GPUKIT_WORLD": "sandbox"})


def test_the_shell_forgets_what_is_real_keeps_what_is_its_own_and_goes_to_the_copy(workspace: Workspace) -> None:
    lines = shell.lines(workspace, {"AWS_PROFILE": "production", "HOME": "/home/me", "odd-name(x)": "y"})
    assert lines[0] == "unset AWS_PROFILE"
    assert not any("HOME=" in line and "PULUMI" not in line for line in lines)
    assert lines[-1] == f"cd {workspace.directory}"


def test_clients_get_the_region_that_most_stacks_name(checkout: Checkout, workspace: Workspace) -> None:
    stack(checkout, "dev", "config:\n  aws:region: eu-west-1\n")
    stack(checkout, "other", "config:\n  aws:region: us-west-2\n")
    stack(checkout, "third", "config:\n  aws:region: us-west-2\n")
    stack(checkout, "broken", "config: [\n")
    assert {"export AWS_REGION=us-west-2", "export AWS_DEFAULT_REGION=us-west-2"} <= set(shell.lines(workspace, {}))


def test_without_a_stack_that_names_one_there_is_still_a_region(checkout: Checkout) -> None:
    stack(checkout, "dev", "config: {}\n")
    assert shell.region_of_most_stacks(checkout) == shell.FALLBACK_REGION


def test_runs_of_the_engine_get_no_region_from_outside(workspace: Workspace) -> None:
    assert not {"AWS_REGION", "AWS_DEFAULT_REGION"} & workspace.environment.keys()
