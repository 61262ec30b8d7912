"""The simulated GKE as the judge of the rules: what they accept, it takes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from components import catalog
from policies import evaluate
from policies.readers import gcp_types as gcp
from scripts.sandbox.kinds.gcp import node_pool_rules
from scripts.sandbox.refusal import Refusal
from tests.policies.raw import SETTINGS, Raw
from tests.sandbox import gcp_cloud

ZONE, REGION = "us-central1-a", "us-central1"
PROJECT = "projects/simulated-project"
MACHINES = sorted(m.name for m in catalog.machines("gcp") if REGION in catalog.regions("gcp", m.name) and m.gpu_count >= 1)
KINDS = sorted({row.accelerator for name in MACHINES if (row := catalog.gke_machines.gke_machine(catalog.machine("gcp", name)))})
counts = st.integers(0, 3)
affinity = st.fixed_dictionaries(
    {},
    optional={
        "consumeReservationType": st.sampled_from(["NO_RESERVATION", "ANY_RESERVATION", "SPECIFIC_RESERVATION"]),
        "key": st.sampled_from(["compute.googleapis.com/reservation-name", "name"]),
        "values": st.lists(st.sampled_from(["ours", "theirs"]), max_size=2),
    },
)
changes = st.fixed_dictionaries(
    {},
    optional={
        "nodeLocations": st.lists(st.sampled_from([ZONE, "us-central1-b", "us-east1-b"]), min_size=1, max_size=2, unique=True),
        "autoscaling": st.fixed_dictionaries(
            {}, optional=dict.fromkeys(["minNodeCount", "maxNodeCount", "totalMinNodeCount", "totalMaxNodeCount"], counts)
        ),
        "nodeCount": counts,
        "initialNodeCount": counts,
        "management": st.fixed_dictionaries({}, optional={"autoRepair": st.booleans()}),
        "queuedProvisioning": st.fixed_dictionaries({"enabled": st.booleans()}),
        "placementPolicy": st.fixed_dictionaries({"type": st.just("COMPACT")}),
        "upgradeSettings": st.fixed_dictionaries(
            {}, optional={"strategy": st.sampled_from(["SURGE", "BLUE_GREEN"]), "maxSurge": counts, "maxUnavailable": counts}
        ),
        "networks": st.integers(0, 10),
        "managed": st.just("auto"),
    },
)
configs = st.fixed_dictionaries(
    {},
    optional={
        "spot": st.booleans(),
        "flexStart": st.booleans(),
        "diskType": st.sampled_from(["pd-ssd", "hyperdisk-balanced"]),
        "reservationAffinity": affinity,
        "guestAccelerators": st.lists(
            st.fixed_dictionaries({"type": st.sampled_from(KINDS), "count": st.sampled_from([1, 4, 8])}), max_size=2
        ),
    },
)


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    path: Path = tmp_path_factory.mktemp("gcp")
    world = gcp_cloud.Gcp(path)
    cluster = world.cluster(enableMultiNetworking=True)
    world.networks(10)
    return world, cluster


def interfaces(count: int) -> list[dict[str, str]]:
    return [
        {"network": f"{PROJECT}/global/networks/gpu-{i}", "subnetwork": f"{PROJECT}/regions/{REGION}/subnetworks/gpu-{i}"}
        for i in range(count)
    ]


def written(machine: str, config: dict[str, Any], pool: dict[str, Any]) -> dict[str, Any]:
    """Inputs of a pool; the machine's own accelerators unless others are drawn."""
    row = catalog.machine("gcp", machine)
    sold = catalog.gke_machines.gke_machine(row)
    own = [{"type": sold.accelerator, "count": int(row.gpu_count)}] if sold is not None and row.vendor == "NVIDIA" else []
    node = {"machineType": machine, "guestAccelerators": own, **config}
    network = {"additionalNodeNetworkConfigs": interfaces(pool.get("networks", 0))}
    if "managed" in pool:
        network["acceleratorNetworkProfile"] = pool["managed"]
    rest = {key: value for key, value in pool.items() if key not in ("networks", "managed")}
    base = {"autoscaling": {"totalMinNodeCount": 0, "totalMaxNodeCount": 2}, "nodeLocations": [ZONE], "networkConfig": network}
    return {"name": "pool", "cluster": "lab", "location": ZONE, **base, **rest, "nodeConfig": node}


def refused(cloud: tuple[Any, Any], inputs: dict[str, Any]) -> str:
    world, cluster = cloud
    try:
        node_pool_rules.refuse(world.order(gcp.NODE_POOL, inputs), cluster, sorted(inputs["nodeLocations"]))
    except Refusal as refusal:
        return str(refusal)
    return ""


def failing(inputs: dict[str, Any]) -> list[str]:
    program = Raw(config={"gcp:region": REGION})
    for i in range(10):
        program.add(gcp.NETWORK, f"net-{i}", name=f"gpu-{i}", mtu=8244)
    switches = {"enableMultiNetworking": True, "datapathProvider": "ADVANCED_DATAPATH"}
    program.add(gcp.CLUSTER, "lab", name="lab", location=ZONE, removeDefaultNodePool=True, deletionProtection=False, **switches)
    program.add(gcp.NODE_POOL, "pool", **inputs)
    return [f"{f.rule}: {f.message}" for f in evaluate(program.built(), SETTINGS) if f.fails or f.status == "violated"]


@given(machine=st.sampled_from(MACHINES), config=configs, pool=changes)
@settings(deadline=None, max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_pools_that_the_rules_accept_are_taken(cloud: tuple[Any, Any], machine: str, config: dict[str, Any], pool: dict[str, Any]) -> None:
    inputs = written(machine, config, pool)
    refusal = refused(cloud, inputs)
    assert not refusal or _named(failing(inputs)), refusal


def _named(messages: list[str]) -> list[str]:
    """Those about the pool itself: others would hold for every pool here, whatever it says."""
    ours = ("GPU-GKE-0", "GPU-GKE-1", "GPU-GKE-2", "GPU-GKE-31", "GPU-GKE-33", "GPU-GKE-42", "GPU-CAP", "GPU-ZONE", "GPU-COST-03")
    return [message for message in messages if message.startswith(ours)]
