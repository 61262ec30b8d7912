"""Values of a sound file that Azure would refuse, each with its path, before anything is made."""

from __future__ import annotations

from typing import Any

import pytest

from components.azure.assembly import refusals

from .specs import ACCOUNT, ADMINS, GROUP, INFERENCE, REGION, TRAINING, inference, spec, training

ND = "Standard_ND96isr_H100_v5"
GRID = "Standard_NV12ads_A10_v5"
NET = f"/subscriptions/{ACCOUNT}/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/shared"


def subnets(network: str, **by_zone: str) -> dict[str, Any]:
    return {"network": {"existing": {"network": network, "node_subnets": {zone.removeprefix("z"): s for zone, s in by_zone.items()}}}}


@pytest.mark.parametrize(
    ("base", "patch", "path", "said"),
    [
        (TRAINING, {"system": {"machine": "Standard_D2s_v5"}}, "system.machine", "asks for 4"),
        (TRAINING, {"tags": {"gpukit-stack": "x"}}, "tags", "gpukit's own"),
        (TRAINING, {"tags": {"a/b": "x"}}, "tags", "tag key"),
        (TRAINING, {"access": {"viewers": [ADMINS.upper()]}}, "access.viewers", "named twice"),
        (TRAINING, {"access": {"admins": []}}, "access.admins", "local accounts are off"),
        (TRAINING, {"monitoring": {"log_retention_days": 7}}, "monitoring.log_retention_days", "30 to 730"),
        (TRAINING, {"pools": {"nodes": {"min": 0, "max": 1001}}}, "pools[0].nodes.max", "1000"),
        (TRAINING, {"pools": {"image": "azurelinux"}}, "pools[0].image", "use ubuntu"),
        (TRAINING, {"pools": {"machine": "Standard_ND96isr_MI300X_v5"}}, "pools[0].machine", "AMD"),
        (TRAINING, {"pools": {"labels": {"kubernetes.azure.com/mode": "x"}}}, "pools[0].labels", "AKS's own"),
        (TRAINING, {"pools": {"capacity": {"mode": "reservation", "group": GROUP}, "updates": "surge"}}, "pools[0].updates", "in_place"),
        (
            INFERENCE,
            {"pools": {"capacity": {"mode": "spot", "max_usd_per_hour": 1.0000001}}},
            "pools[0].capacity.max_usd_per_hour",
            "5 dec",
        ),
        (INFERENCE, {"pools": {"sharing": {"mig": "1g.10gb+me"}, "nodes": {"min": 1, "max": 2}}}, "pools[0].sharing", "1g, 2g"),
        (INFERENCE, {"pools": {"machine": GRID, "sharing": {"mig": "1g.10gb"}}}, "pools[0].sharing.mig", "cannot be divided"),
        (INFERENCE, {"network": {"cidr": "10.64.0.0/22"}, "system": {"nodes": {"min": 2, "max": 400}}}, "network.cidr", "larger network"),
        (INFERENCE, {"storage": {"buckets": [{"name": "ab"}]}}, "storage.buckets[0].name", "3 characters"),
        (INFERENCE, {"storage": {"shared_filesystem": {"tib": 5}}}, "storage.shared_filesystem.tib", "use 16"),
        (
            INFERENCE,
            {"storage": {"shared_filesystem": {"tib": 16, "mb_s_per_tib": 77}}},
            "storage.shared_filesystem.mb_s_per_tib",
            "allowed",
        ),
        (INFERENCE, subnets("shared", z1=f"{NET}/subnets/a"), "network.existing.network", "virtual network"),
        (INFERENCE, subnets(NET, zeast=f"{NET}/subnets/a"), "network.existing.node_subnets.east", "no zone"),
        (INFERENCE, subnets(NET, z1=f"{NET}-2/subnets/a"), "network.existing.node_subnets.1", "another network"),
    ],
)
def test_what_azure_would_refuse_is_told_by_its_path(base: dict[str, Any], patch: dict[str, Any], path: str, said: str) -> None:
    found = refusals(spec(base, patch), REGION)
    assert path in [error.path for error in found], [str(error) for error in found]
    assert said in " ".join(map(str, found))


@pytest.mark.failure("E1")
def test_two_pools_of_one_machine_with_infiniband_are_refused_since_no_job_can_use_both() -> None:
    pools = [{"name": "a", "machine": ND}, {"name": "b", "machine": ND}]
    [refusal] = refusals(training({"pools": pools}), REGION)
    assert (refusal.path, "E1" in refusal.message) == ("pools[1].machine", True)


@pytest.mark.failure("E1")
def test_one_pool_of_them_or_one_without_its_fabric_is_taken() -> None:
    pools = [{"name": "a", "machine": ND}, {"name": "b", "machine": ND, "fabric": "none"}]
    assert refusals(training({"pools": pools}), REGION) == []


@pytest.mark.failure("E2")
@pytest.mark.failure("C3")
def test_grid_nodes_beside_nodes_that_the_operator_drives_are_refused() -> None:
    pools = [{"name": "a10", "machine": GRID}, {"name": "h100", "machine": ND}]
    [refusal] = refusals(training({"pools": pools}), REGION)
    assert "a10" in refusal.message
    assert "h100" in refusal.message


@pytest.mark.failure("E2")
def test_grid_nodes_beside_nodes_that_aks_drives_are_taken() -> None:
    pools = [{"name": "a10", "machine": GRID}, {"name": "a100", "machine": "Standard_NC24ads_A100_v4"}]
    assert refusals(inference({"pools": pools}), REGION) == []


@pytest.mark.failure("E4")
def test_a_spot_pool_that_surges_is_refused_in_the_file() -> None:
    [refusal] = refusals(inference({"pools": {"capacity": {"mode": "spot"}, "updates": "surge"}}), REGION)
    assert refusal.path == "pools[0].updates"
