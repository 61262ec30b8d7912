"""Decisions about pools as plain values."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components import catalog
from components.azure.driver import DriverMode
from components.azure.outline import address_plan, pool_outlines, system_outline
from components.inventory import Market, Owner
from components.naming import agent_pool_name
from components.ownership import FabricPlugin

from .specs import inference, training

ND = {"machine": "Standard_ND96asr_v4"}


def test_infiniband_belongs_to_training_unless_it_is_turned_off() -> None:
    assert pool_outlines(training())[0].infiniband == 8
    assert pool_outlines(training({"pools": {"fabric": "none"}}))[0].infiniband == 0
    assert pool_outlines(training({"pools": {"machine": "Standard_NC96ads_A100_v4"}}))[0].infiniband == 0


def test_serving_gets_infiniband_only_where_its_file_asks_for_it() -> None:
    assert pool_outlines(inference({"pools": ND}))[0].infiniband == 0
    assert pool_outlines(inference({"pools": {**ND, "fabric": "auto"}}))[0].infiniband == 8


@pytest.mark.parametrize(
    ("machine", "mode"),
    [
        ("Standard_NV6ads_A10_v5", DriverMode.GRID),
        ("Standard_NV72ads_A10_v5", DriverMode.GRID),
        ("Standard_NC8as_T4_v3", DriverMode.AKS),
        ("Standard_NC8ads_A10_v4", DriverMode.AKS),
        ("Standard_NC80adis_H100_v5", DriverMode.AKS),
    ],
)
@pytest.mark.failure("E2")
def test_serving_leaves_the_driver_to_aks(machine: str, mode: DriverMode) -> None:
    pool = pool_outlines(inference({"pools": {"machine": machine}}))[0]
    assert (pool.driver, pool.ownership.driver, pool.ownership.toolkit) == (mode, Owner.CLOUD, Owner.CLOUD)


@pytest.mark.failure("C18")
def test_one_release_discovers_node_features_for_all_pools_of_a_cluster() -> None:
    pools = [{"name": "wired", **ND}, {"name": "plain", "machine": "Standard_NC96ads_A100_v4"}]
    owners = [pool.ownership for pool in pool_outlines(training({"pools": pools}))]
    assert {o.nfd for o in owners} == {Owner.NETWORK_OPERATOR}
    assert [o.fabric_plugin for o in owners] == [FabricPlugin.CHART, FabricPlugin.NOBODY]
    alone = pool_outlines(training({"pools": {"machine": "Standard_NC96ads_A100_v4"}}))[0]
    assert alone.ownership.nfd is Owner.GPU_OPERATOR


def test_a_share_of_a_gpu_is_one_device() -> None:
    pool = pool_outlines(inference({"pools": {"machine": "Standard_NV12ads_A10_v5"}}))[0]
    assert (pool.gpus_per_node, pool.sharing.offers) == (1, {"nvidia.com/gpu": 1})


def test_slices_of_a_share_are_offered_under_a_name_of_their_own() -> None:
    pool = pool_outlines(inference({"pools": {"machine": "Standard_NV12ads_A10_v5", "sharing": {"time_slices": 4}}}))[0]
    assert pool.sharing.offers == {"nvidia.com/gpu.shared": 4}


def test_the_system_pool_is_untainted_on_demand_and_over_all_zones() -> None:
    system = system_outline(training())
    assert (system.taints, system.market, system.zones, system.mode) == ((), Market.ON_DEMAND, ("1", "2"), "System")


def test_pods_take_no_addresses_of_the_nodes_network() -> None:
    small = training({"network": {"cidr": "10.64.0.0/22"}, "pools": {"nodes": {"min": 0, "max": 100}}})
    assert address_plan(small).zone("1").nodes.prefixlen == 25


@given(st.from_regex(r"[a-z]([a-z0-9-]{0,38}[a-z0-9])?", fullmatch=True), st.lists(st.text(max_size=5), max_size=3))
@settings(max_examples=30)
def test_aks_takes_the_name_of_any_pool(pool: str, fixed: list[str]) -> None:
    name = agent_pool_name(pool, *fixed)
    assert len(name) <= 12
    assert name[0].isalpha()
    assert name.isalnum()
    assert name == name.lower()


@pytest.mark.parametrize("machine", [m for m in catalog.machines("azure") if m.vendor == "NVIDIA"], ids=lambda m: m.name)
def test_every_nvidia_machine_has_an_outline_for_training_or_serving(machine: Any) -> None:
    assert pool_outlines(inference({"pools": {"machine": machine.name}}))[0].gpus_per_node >= 1
    assert pool_outlines(training({"pools": {"machine": machine.name}}))[0].driver is not None
