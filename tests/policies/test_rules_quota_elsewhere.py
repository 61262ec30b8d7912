"""GPU-QUOTA-01 on GCP and Azure: what several quotas cap has to fit into each of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from components.demand import QuotaSnapshot
from components.inventory import Inventory, Market
from policies import Finding, Status, judge
from tests.costing.pools import nodes, pool, stack
from tests.policies.raw import SETTINGS, said

L4, ALL_GPUS = "NVIDIA_L4_GPUS", "GPUS_ALL_REGIONS"
H100, H100_PREEMPTIBLE = "GPUS-PER-GPU-FAMILY-per-project-region gpu_family=NVIDIA_H100", "PREEMPTIBLE_NVIDIA_H100_GPUS"
ND, CORES, LOW = "standardNDSH100v5Family", "cores", "lowPriorityCores"


def on_gcp(machine: str, **changes: Any) -> Inventory:
    return stack(pool(cloud="gcp", region="us-central1", machines=(machine,), **changes))


def on_azure(machine: str = "Standard_ND96isr_H100_v5", **changes: Any) -> Inventory:
    return stack(pool(cloud="azure", region="eastus", machines=(machine,), **changes))


def findings(inventory: Inventory, account: str | None = None, usage: float | None = 0, **limits: float) -> list[Finding]:
    cloud = inventory.pools[0].cloud
    region = str(inventory.pools[0].region)
    rows = [
        {"cloud": cloud, "region": "global" if code == ALL_GPUS else region, "code": code, "limit": limit, "usage": usage}
        for code, limit in limits.items()
    ]
    taken = QuotaSnapshot.from_json({"schema": "gpukit/quota/1", "taken": "2026-11-29", "account": account, "quotas": rows})
    return said(judge(inventory, replace(SETTINGS, snapshot=taken)), "GPU-QUOTA-01")


def short(found: list[Finding]) -> list[str]:
    assert all(f.status is Status.VIOLATED and f.fails for f in found)
    return [f.path for f in found]


@pytest.mark.failure("J2")
def test_a_granted_model_does_not_help_while_all_gpus_of_the_project_are_capped() -> None:
    found = findings(on_gcp("g2-standard-48"), **{L4: 16, ALL_GPUS: 0})
    assert short(found) == [ALL_GPUS]
    assert "GPUS_ALL_REGIONS (GPUs (all regions)) in global: needs 16 GPU" in found[0].message


@pytest.mark.failure("J2")
def test_room_in_the_model_and_in_the_project_passes() -> None:
    assert findings(on_gcp("g2-standard-48"), **{L4: 16, ALL_GPUS: 16}) == []


@pytest.mark.failure("J2")
def test_the_projects_cap_counts_pools_of_every_region_and_market_together() -> None:
    west = pool(name="west", cloud="gcp", region="us-west1", machines=("g2-standard-48",), market=Market.SPOT)
    inventory = on_gcp("g2-standard-48")
    both = replace(inventory, pools=(*inventory.pools, west))
    rows = [
        ("us-central1", L4, 16),
        ("us-west1", "PREEMPTIBLE_NVIDIA_L4_GPUS", 16),
        ("global", ALL_GPUS, 31),
    ]
    quotas = [{"cloud": "gcp", "region": region, "code": code, "limit": limit, "usage": 0} for region, code, limit in rows]
    taken = QuotaSnapshot.from_json({"schema": "gpukit/quota/1", "taken": "2026-11-29", "quotas": quotas})
    (finding,) = said(judge(both, replace(SETTINGS, snapshot=taken)), "GPU-QUOTA-01")
    assert "needs 32 GPU for gpu, west" in finding.message


def test_flex_start_draws_on_the_preemptible_quota() -> None:
    flex = on_gcp("a3-highgpu-8g", market=Market.FLEX_START)
    assert short(findings(flex, **{H100: 32, H100_PREEMPTIBLE: 0, ALL_GPUS: 32})) == [H100_PREEMPTIBLE]


def test_a_metric_that_the_listing_lacks_is_unknown_and_no_pass() -> None:
    (finding,) = findings(on_gcp("a3-highgpu-8g"), **{ALL_GPUS: 1000})
    assert (finding.status, finding.path, finding.fails) == (Status.UNKNOWN, H100, True)


def test_usage_that_nothing_recorded_is_unknown_and_no_pass() -> None:
    found = findings(on_gcp("g2-standard-48"), usage=None, **{L4: 16, ALL_GPUS: 16})
    assert [f.status for f in found] == [Status.UNKNOWN, Status.UNKNOWN]


def test_the_request_for_a_google_quota_names_its_id_dimensions_and_project() -> None:
    (finding,) = findings(on_gcp("a3-highgpu-8g"), "my-project", **{H100: 24, ALL_GPUS: 32})
    assert finding.message.endswith(
        "Lower the maximum or request 32 GPU: `gcloud beta quotas preferences create --service=compute.googleapis.com --project=my-project "
        "--quota-id=GPUS-PER-GPU-FAMILY-per-project-region --dimensions=gpu_family=NVIDIA_H100,region=us-central1 --preferred-value=32`."
    )


@pytest.mark.failure("E8")
@pytest.mark.parametrize(("limits", "missing"), [({ND: 383, CORES: 1000}, ND), ({ND: 384, CORES: 383}, CORES)])
def test_azure_needs_room_in_the_family_and_in_the_region(limits: dict[str, float], missing: str) -> None:
    assert short(findings(on_azure(), **limits)) == [missing]


@pytest.mark.failure("E8")
def test_azure_spot_needs_room_among_all_spot_nodes_alone() -> None:
    spot = on_azure(market=Market.SPOT)
    assert short(findings(spot, **{LOW: 383})) == [LOW]
    assert findings(spot, **{LOW: 384}) == []


@pytest.mark.failure("E8")
def test_azure_with_room_for_system_and_gpu_pools_passes() -> None:
    system = pool(name="system", cloud="azure", region="eastus", machines=("Standard_D4s_v5",), nodes=nodes(2, 3))
    inventory = on_azure()
    both = replace(inventory, pools=(*inventory.pools, system))
    assert findings(both, **{ND: 384, "standardDSv5Family": 12, CORES: 396}) == []
    assert short(findings(both, **{ND: 384, "standardDSv5Family": 12, CORES: 395})) == [CORES]


def test_azures_family_names_are_compared_without_case_and_spaces() -> None:
    t4 = on_azure("Standard_NC4as_T4_v3")
    assert findings(t4, **{"STANDARD NCASV3_T4FAMILY": 100, CORES: 100}) == []


def test_the_request_for_an_azure_quota_names_its_scope() -> None:
    (finding,) = findings(on_azure(), "00000000-0000-0000-0000-000000000000", **{ND: 0, CORES: 384})
    assert finding.message.endswith(
        "`az quota update --resource-name standardNDSH100v5Family --scope /subscriptions/00000000-0000-0000-0000-000000000000/providers/"
        "Microsoft.Compute/locations/eastus --limit-object value=384 --resource-type dedicated`."
    )
