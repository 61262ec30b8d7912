"""`gpukit teardown` of the shipped Azure training stack: the real engine on the simulated Azure."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scripts.errors import Exit, Refused
from tests.engine.clouds import Clouds
from tests.engine.tearing_down import lose_the_state, teardown

pytestmark = [pytest.mark.engine, pytest.mark.long, pytest.mark.xdist_group("teardown-engine-azure")]
STACK, REGION = "azure-training-dev", "eastus2"
BY_NAME = {"stack": None, "cluster": STACK, "cloud": "azure", "region": REGION}


@pytest.fixture
def clouds(clouds: Clouds) -> Clouds:
    up = clouds.act("up", STACK)
    assert up.exit is Exit.FINE, up.message
    return clouds


def left(clouds: Clouds) -> set[str]:
    """Types of everything in the subscription: nothing else is in it."""
    from azure.mgmt.resource.resources import ResourceManagementClient

    client = clouds.azure(ResourceManagementClient)
    return {str(each.type) for each in client.resources.list()}


@pytest.mark.failure("K11")
def test_the_stack_of_azure_is_refused_while_pods_run_and_then_leaves_only_its_data(
    clouds: Clouds, capsys: pytest.CaptureFixture[str]
) -> None:
    clouds.world.load(STACK, "a100", nodes=1)
    with pytest.raises(Refused, match="--force-running"):
        teardown(clouds, STACK)
    capsys.readouterr()
    assert teardown(clouds, STACK, force_running=True) == Exit.FINE
    ending = json.loads(capsys.readouterr().out)
    assert ending["residue"] == []
    assert {thing["kind"] for thing in ending["kept"]} == {"bucket", "resource group"}
    assert [each["id"] for each in ending["steps"] if each["touched"]] == ["gpu-pools", "destroy"], "its system pool is no step of its own"
    assert left(clouds) == {"Microsoft.Storage/storageAccounts"}

    assert teardown(clouds, STACK) == Exit.FINE, "a second run finds nothing to do"
    assert not any(each["touched"] for each in json.loads(capsys.readouterr().out)["steps"])


@pytest.mark.failure("H12")
@pytest.mark.parametrize("target", [{}, BY_NAME], ids=["by its stack file", "by the cluster's name"])
def test_a_stack_of_azure_whose_state_was_lost_ends_by_its_tags(
    clouds: Clouds, capsys: pytest.CaptureFixture[str], target: dict[str, Any]
) -> None:
    with pytest.raises(Refused, match=f"run `gpukit teardown {STACK}`"):
        teardown(clouds, STACK, **BY_NAME)
    lose_the_state(clouds, STACK)
    capsys.readouterr()
    assert teardown(clouds, STACK, **target) == Exit.FINE
    ending = json.loads(capsys.readouterr().out)
    assert [thing["id"] for thing in ending["residue"]] == []
    assert {thing["kind"] for thing in ending["kept"]} == {"bucket", "resource group"}
    assert left(clouds) == {"Microsoft.Storage/storageAccounts"}
