"""The catalogue against the enums of Azure's SDKs. Every disagreement is listed here with its reason."""

from collections.abc import Iterable
from enum import Enum

import pytest

from components import catalog
from components.catalog import gpus

compute = pytest.importorskip("azure.mgmt.compute.models", reason="azure-mgmt-compute, whose enums are compared, is not there")
aks = pytest.importorskip(
    "azure.mgmt.containerservice.models", reason="azure-mgmt-containerservice, whose enums are compared, is not there"
)

RETIRED_BEFORE_THE_CATALOGUE = {
    "Standard_NC6", "Standard_NC12", "Standard_NC24", "Standard_NC24r",  # K80
    "Standard_NC6s_v2", "Standard_NC12s_v2", "Standard_NC24s_v2", "Standard_NC24rs_v2",  # P100
    "Standard_ND6s", "Standard_ND12s", "Standard_ND24s", "Standard_ND24rs",  # P40
    "Standard_NV6", "Standard_NV12", "Standard_NV24",  # M60
}  # fmt: skip
"""Series that Azure retired; the size enum of the API stopped growing in 2018 and still has them."""

KNOWN_SINCE = "Standard_NC6s_v3"
"""The newest GPU series that the enum has: whatever came later is in no enum, so absence there says nothing."""

FREE_TIER = {"free"}
"""AKS's free tier costs nothing and has no price row."""


def values(enum: Iterable[Enum]) -> set[str]:
    return {str(member.value) for member in enum}


def test_every_gpu_size_of_the_enum_is_a_machine_or_retired() -> None:
    theirs = {name for name in values(compute.VirtualMachineSizeTypes) if name.startswith(("Standard_NC", "Standard_ND", "Standard_NV"))}
    ours = {machine.name for machine in catalog.machines("azure")}

    assert theirs - ours == RETIRED_BEFORE_THE_CATALOGUE


def test_sizes_of_series_that_the_enum_knows_are_spelt_as_in_the_enum() -> None:
    family = catalog.machine("azure", KNOWN_SINCE).family
    ours = {machine.name for machine in catalog.machines("azure") if machine.family == family}

    assert ours <= values(compute.VirtualMachineSizeTypes)


def test_aks_tiers_have_the_api_names_and_all_but_the_free_one_a_price() -> None:
    priced = {sku for service, sku in catalog.service_names("azure") if service == "aks_control_plane"}

    assert priced | FREE_TIER == {tier.casefold() for tier in values(aks.ManagedClusterSKUTier)}


def test_mig_machines_carry_gpus_that_split_into_as_many_parts_as_aks_offers() -> None:
    """AKS names profiles by slices, up to 7. RTX PRO 6000 splits into 4; AKS does not list the series as a node size."""
    slices = {int(profile.removeprefix("MIG").removesuffix("g")) for profile in values(aks.GPUInstanceProfile)}
    parts = {gpus.gpu(m.gpu_model or "").mig_instances for m in catalog.machines("azure") if m.mig and "RTX" not in (m.gpu_model or "")}

    assert parts == {max(slices)}


def test_node_images_are_os_skus_of_the_api() -> None:
    assert {image.kind for image in catalog.images("azure")} <= values(aks.OSSKU)
