from __future__ import annotations

from dataclasses import fields, replace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components import catalog
from components.catalog.names import Cloud
from components.inventory import Owner
from components.ownership import (
    NO_GPU,
    OPERATOR_SWITCHES,
    Circumstances,
    FabricPlugin,
    OwnersConflict,
    Ownership,
    OwnerUnknown,
    decide,
    operator_values,
)

P4D = catalog.machine("aws", "p4d.24xlarge")


def owners(kind: str, machine: catalog.Machine = P4D, *, fabric: bool = True) -> Ownership:
    image = catalog.image("aws", kind)
    assert image is not None
    return decide("aws", image, machine, fabric=fabric)


@pytest.mark.failure("C1")
def test_an_image_with_a_driver_owns_it_and_the_operator_keeps_out() -> None:
    values = operator_values({"a100": owners("AL2023_x86_64_NVIDIA")})
    assert (values["driver"], values["toolkit"]) == ({"enabled": False}, {"enabled": False})
    assert values["devicePlugin"] == {"enabled": True}


@pytest.mark.failure("C13")
def test_bottlerocket_brings_plugin_and_mig_manager_too() -> None:
    values = operator_values({"a100": owners("BOTTLEROCKET_x86_64_NVIDIA")})
    off = ("driver", "toolkit", "devicePlugin", "migManager")
    assert {section: values[section]["enabled"] for section in off} == dict.fromkeys(off, False)
    assert values["gfd"] == {"enabled": True}


@pytest.mark.failure("C3")
def test_pools_that_need_different_operator_values_are_refused_by_name() -> None:
    mixed = {"al": owners("AL2023_x86_64_NVIDIA"), "br": owners("BOTTLEROCKET_x86_64_NVIDIA")}
    with pytest.raises(OwnersConflict, match=r"pools al need the GPU Operator's device plugin, pools br bring their own"):
        operator_values(mixed)


@pytest.mark.failure("C3")
def test_pools_with_one_kind_of_image_agree() -> None:
    one = owners("AL2023_x86_64_NVIDIA")
    assert operator_values({"a": one, "b": replace(one, fabric_plugin=FabricPlugin.NOBODY)}) == operator_values({"a": one})


@pytest.mark.failure("C3")
def test_the_owner_is_never_guessed_for_an_image_that_says_nothing() -> None:
    with pytest.raises(OwnerUnknown, match="CUSTOM does not say whether it ships the driver"):
        owners("CUSTOM")


def test_a_cpu_image_on_a_gpu_machine_leaves_the_driver_to_the_operator() -> None:
    assert owners("AL2023_x86_64_STANDARD").driver is Owner.GPU_OPERATOR


def test_nodes_without_gpu_have_no_owners_and_do_not_sway_the_operator() -> None:
    cpu = owners("AL2023_x86_64_STANDARD", catalog.machine("aws", "m7i.large"), fabric=False)
    assert cpu == NO_GPU
    gpu = {"a100": owners("BOTTLEROCKET_x86_64_NVIDIA")}
    assert operator_values({**gpu, "cpu": cpu}) == operator_values(gpu)


def test_the_fabric_has_a_plugin_where_there_is_a_fabric() -> None:
    assert owners("AL2023_x86_64_NVIDIA").fabric_plugin is FabricPlugin.CHART
    assert owners("AL2023_x86_64_NVIDIA", fabric=False).fabric_plugin is FabricPlugin.NOBODY


@pytest.mark.parametrize("cloud", get_args(Cloud))
def test_every_cloud_has_a_table_of_owners(cloud: Cloud) -> None:
    gpus = [m for m in catalog.machines() if m.cloud == cloud and m.gpu_count]
    image = catalog.image(cloud, {"aws": "AL2023_x86_64_NVIDIA", "gcp": "UBUNTU_CONTAINERD", "azure": "Ubuntu"}[cloud])
    assert image is not None
    assert gpus
    assert decide(cloud, image, gpus[0], fabric=False) != NO_GPU


def on_aks(machine: str = "Standard_ND96isr_H100_v5", *, fabric: bool = False, **here: bool) -> Ownership:
    image = catalog.image("azure", "Ubuntu")
    assert image is not None
    return decide("azure", image, catalog.machine("azure", machine), fabric=fabric, here=Circumstances(**here))


@pytest.mark.failure("C2")
@pytest.mark.failure("C3")
@pytest.mark.parametrize(("by_aks", "owner"), [(True, Owner.CLOUD), (False, Owner.GPU_OPERATOR)])
def test_aks_installs_driver_and_toolkit_together_or_neither(by_aks: bool, owner: Owner) -> None:
    made = on_aks(cloud_driver=by_aks)
    assert (made.driver, made.toolkit) == (owner, owner)
    assert operator_values({"h100": made})["driver"] == {"enabled": not by_aks}


@pytest.mark.failure("C18")
def test_the_network_operator_takes_node_feature_discovery_with_it() -> None:
    assert operator_values({"h100": on_aks(fabric=True, network_operator=True)})["nfd"] == {"enabled": False}
    assert operator_values({"h100": on_aks()})["nfd"] == {"enabled": True}


def test_nodes_of_aks_without_gpu_have_no_owners() -> None:
    assert on_aks("Standard_D4s_v5", cloud_driver=True) == NO_GPU


OWNERS = st.builds(
    Ownership,
    **{f.name: st.sampled_from([Owner.IMAGE, Owner.GPU_OPERATOR]) for f in fields(Ownership) if f.name != "fabric_plugin"},
    fabric_plugin=st.sampled_from(FabricPlugin),
)


@given(st.dictionaries(st.text(min_size=1, max_size=3), OWNERS, min_size=1, max_size=4))
def test_the_operator_installs_exactly_what_every_pool_leaves_to_it_or_nothing_is_decided(pools: dict[str, Ownership]) -> None:
    def wanted(part: str) -> set[bool]:
        return {getattr(o, part) is Owner.GPU_OPERATOR for o in pools.values()}

    if any(len(wanted(part)) == 2 for part in OPERATOR_SWITCHES):
        with pytest.raises(OwnersConflict):
            operator_values(pools)
    else:
        values = operator_values(pools)
        assert all({values[section]["enabled"]} == wanted(part) for part, section in OPERATOR_SWITCHES.items())


def test_every_switch_is_a_value_of_the_pinned_chart() -> None:
    assert [s for s in OPERATOR_SWITCHES.values() if not catalog.has_value("gpu-operator", f"{s}.enabled")] == []


def test_a_tpu_pool_does_not_sway_the_operator_either() -> None:
    ubuntu, l4, tpu = (
        catalog.image("gcp", "UBUNTU_CONTAINERD"),
        catalog.machine("gcp", "g2-standard-4"),
        catalog.machine("gcp", "ct6e-standard-4t"),
    )
    assert ubuntu is not None
    pools = {"l4": decide("gcp", ubuntu, l4, fabric=False), "tpu": decide("gcp", ubuntu, tpu, fabric=False)}
    assert operator_values(pools)["driver"] == {"enabled": True}


@pytest.mark.failure("C7")
def test_gkes_own_stack_beside_the_operators_is_refused_by_name() -> None:
    kinds = {kind: catalog.image("gcp", kind) for kind in ("COS_CONTAINERD", "UBUNTU_CONTAINERD")}
    machine = catalog.machine("gcp", "g2-standard-4")
    pools = {kind: decide("gcp", image, machine, fabric=False) for kind, image in kinds.items() if image}
    with pytest.raises(
        OwnersConflict, match="pools UBUNTU_CONTAINERD need the GPU Operator's driver, pools COS_CONTAINERD bring their own"
    ):
        operator_values(pools)
