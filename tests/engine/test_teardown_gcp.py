"""`gpukit teardown` of the shipped training stack: the real engine on the simulated GCP."""

from __future__ import annotations

import json
from typing import Any

import pytest
from google.cloud import compute_v1, container_v1

from scripts.engine.environment import GCP_ENDPOINT
from scripts.engine.gcp_session import Google
from scripts.engine.stack_settings import settings_of
from scripts.errors import Exit, Refused
from tests.engine.clouds import Clouds
from tests.engine.tearing_down import lose_the_state, teardown

pytestmark = [pytest.mark.engine, pytest.mark.long]
STACK, REGION = "gcp-training-dev", "us-central1"


@pytest.fixture
def clouds(clouds: Clouds) -> Clouds:
    up = clouds.act("up", STACK)
    assert up.exit is Exit.FINE, up.message
    return clouds


def project(clouds: Clouds) -> str:
    return settings_of(clouds.checkout, STACK).spec.account


def left(clouds: Clouds) -> dict[str, list[str]]:
    """Names of what the project still holds, asked apart from the teardown's own lists."""
    of = project(clouds)
    gke = clouds.google(container_v1.ClusterManagerClient, transport="rest")
    found = {"clusters": [each.name for each in gke.list_clusters(parent=f"projects/{of}/locations/-").clusters]}
    for client, name in (
        (compute_v1.InstancesClient, "instances"),
        (compute_v1.DisksClient, "disks"),
        (compute_v1.RoutersClient, "routers"),
        (compute_v1.SubnetworksClient, "subnetworks"),
    ):
        found[name] = [each.name for _, scope in clouds.google(client).aggregated_list(project=of) for each in getattr(scope, name)]
    for client, name in ((compute_v1.NetworksClient, "networks"), (compute_v1.FirewallsClient, "firewalls")):
        found[name] = [each.name for each in clouds.google(client).list(project=of)]
    accounts = Google({GCP_ENDPOINT: f"{clouds.endpoints.http}/gcp"}).get("iam", f"/v1/projects/{of}/serviceAccounts") or {}
    found["accounts"] = [each["email"] for each in accounts.get("accounts", ())]
    return {name: names for name, names in found.items() if names}


def test_the_stack_of_up_is_refused_while_it_works_and_then_leaves_only_its_data(
    clouds: Clouds, capsys: pytest.CaptureFixture[str]
) -> None:
    clouds.world.load(STACK, "a100", nodes=1)
    before = left(clouds)
    with pytest.raises(Refused, match="--force-running"):
        teardown(clouds, STACK)
    assert left(clouds) == before
    capsys.readouterr()

    assert teardown(clouds, STACK, force_running=True) == Exit.FINE
    ending = json.loads(capsys.readouterr().out)
    assert (ending["residue"], [thing["kind"] for thing in ending["kept"]]) == ([], ["bucket"])
    assert next(each["id"] for each in ending["steps"] if each["touched"]) == "gpu-pools"
    assert left(clouds) == {}

    assert teardown(clouds, STACK) == Exit.FINE, "a second run finds nothing to do"
    assert not any(each["touched"] for each in json.loads(capsys.readouterr().out)["steps"])


BY_NAME = {"stack": None, "cluster": STACK, "cloud": "gcp", "region": REGION}


@pytest.mark.failure("H12")
@pytest.mark.parametrize("target", [{}, BY_NAME], ids=["by its stack file", "by the cluster's name"])
def test_a_stack_whose_state_was_lost_ends_by_its_labels(
    clouds: Clouds, capsys: pytest.CaptureFixture[str], target: dict[str, Any]
) -> None:
    account = {"account": project(clouds)} if target else {}
    with pytest.raises(Refused, match=f"run `gpukit teardown {STACK}`"):
        teardown(clouds, STACK, **BY_NAME, account=project(clouds))
    lose_the_state(clouds, STACK)
    capsys.readouterr()
    assert teardown(clouds, STACK, **target, **account) == Exit.FINE
    ending = json.loads(capsys.readouterr().out)
    assert ([thing["id"] for thing in ending["residue"]], [thing["kind"] for thing in ending["kept"]]) == ([], ["bucket"])
    assert left(clouds) == {}
