from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components import catalog, ownership
from components.inventory import Owner
from components.ownership import Ownership
from components.sharing import CannotShare, plugin_config_name, plugin_configs, sharing
from components.spec import Mig, TimeSlices


def owners(kind: str = "AL2023_x86_64_NVIDIA", machine: str = "g5.2xlarge") -> Ownership:
    image = catalog.image("aws", kind)
    assert image is not None
    return ownership.decide("aws", image, catalog.machine("aws", machine), fabric=False)


A10G, A100 = catalog.machine("aws", "g5.2xlarge"), catalog.machine("aws", "p4d.24xlarge")


def test_whole_gpus_are_offered_by_their_number() -> None:
    made = sharing("none", A100, owners(), grows_from_zero=True)
    assert (dict(made.offers), dict(made.labels)) == ({"nvidia.com/gpu": 8}, {})


@pytest.mark.failure("I6")
def test_slices_have_a_name_of_their_own() -> None:
    made = sharing(TimeSlices(time_slices=4), A10G, owners(), grows_from_zero=True)
    assert dict(made.offers) == {"nvidia.com/gpu.shared": 4}
    assert dict(made.labels) == {"nvidia.com/device-plugin.config": "slices-4"}


@given(st.lists(st.integers(1, 48)))
def test_every_label_that_a_pool_can_carry_names_a_configuration(slices: list[int]) -> None:
    configs = plugin_configs(slices)
    assert {plugin_config_name(n) for n in slices} <= set(configs)
    assert all(json.loads(text)["version"] == "v1" for text in configs.values())


@pytest.mark.failure("I6")
def test_a_request_for_two_slices_is_refused_by_the_plugin() -> None:
    slicing = json.loads(plugin_configs([4])["slices-4"])["sharing"]["timeSlicing"]
    assert (slicing["renameByDefault"], slicing["failRequestsGreaterThanOne"]) == (True, True)
    assert slicing["resources"] == [{"name": "nvidia.com/gpu", "replicas": 4}]


def test_an_image_with_a_plugin_of_its_own_takes_no_slices() -> None:
    with pytest.raises(CannotShare, match="al2023"):
        sharing(TimeSlices(time_slices=2), A10G, owners("BOTTLEROCKET_x86_64_NVIDIA"), grows_from_zero=True)


def test_the_smallest_profile_offers_its_devices_by_name() -> None:
    made = sharing(Mig(mig="1g.5gb"), A100, owners(machine="p4d.24xlarge"), grows_from_zero=True)
    assert dict(made.offers) == {"nvidia.com/mig-1g.5gb": 56}
    assert dict(made.labels) == {"nvidia.com/mig.config": "all-1g.5gb"}


def test_a_layout_keeps_its_name() -> None:
    made = sharing(Mig(mig="all-balanced"), A100, owners(machine="p4d.24xlarge"), grows_from_zero=False)
    assert dict(made.labels) == {"nvidia.com/mig.config": "all-balanced"}


@pytest.mark.failure("F1")
def test_a_layout_whose_devices_are_not_known_cannot_grow_from_zero() -> None:
    with pytest.raises(CannotShare, match=r"1g\.5gb"):
        sharing(Mig(mig="3g.20gb"), A100, owners(machine="p4d.24xlarge"), grows_from_zero=True)
    assert not sharing(Mig(mig="3g.20gb"), A100, owners(machine="p4d.24xlarge"), grows_from_zero=False).offers


def test_gpus_that_do_not_divide_are_refused() -> None:
    with pytest.raises(CannotShare, match="A10G"):
        sharing(Mig(mig="1g.5gb"), A10G, owners(), grows_from_zero=True)


def test_without_a_manager_of_the_operator_nothing_divides() -> None:
    with pytest.raises(CannotShare, match="MIG manager"):
        sharing(Mig(mig="1g.5gb"), A100, replace(owners(), mig_manager=Owner.IMAGE), grows_from_zero=True)
