from __future__ import annotations

from typing import Any

import pytest

from components import catalog, ownership
from components.gcp.gpu_sharing import WHOLE, GpuSharing, gpu_sharing
from components.sharing import CannotShare, Sharing
from components.spec import Mig, TimeSlices


def shared(wanted: Mig | TimeSlices | str, machine: str, image: str = "COS_CONTAINERD") -> tuple[GpuSharing, Sharing]:
    kind, found = catalog.image("gcp", image), catalog.machine("gcp", machine)
    assert kind is not None
    owners = ownership.decide("gcp", kind, found, fabric=False)
    return gpu_sharing(wanted, found, owners, grows_from_zero=True)


def test_whole_gpus_are_offered_as_they_are() -> None:
    said, offered = shared("none", "a3-highgpu-8g")
    assert (said, dict(offered.offers)) == (WHOLE, {"nvidia.com/gpu": 8})


def test_gkes_plugin_counts_the_clients_of_each_gpu() -> None:
    said, offered = shared(TimeSlices(time_slices=4), "g2-standard-24")
    assert (said.clients_per_gpu, dict(offered.offers)) == (4, {"nvidia.com/gpu": 8})


@pytest.mark.parametrize("word", ["1g.10gb", "all-1g.10gb"])
def test_a_profile_divides_all_gpus_of_the_pool(word: str) -> None:
    said, offered = shared(Mig(mig=word), "a3-highgpu-8g")
    assert (said.partition_size, dict(offered.offers), offered.mig) == ("1g.10gb", {"nvidia.com/gpu": 56}, True)


def test_a_profile_whose_count_is_not_held_is_built_and_its_offer_left_unknown() -> None:
    said, offered = shared(Mig(mig="2g.20gb"), "a3-highgpu-8g")
    assert (said.partition_size, dict(offered.offers)) == ("2g.20gb", {})


@pytest.mark.failure("I6")
def test_under_the_operator_slices_have_a_name_of_their_own() -> None:
    said, offered = shared(TimeSlices(time_slices=4), "g2-standard-8", "UBUNTU_CONTAINERD")
    assert (said, dict(offered.offers)) == (WHOLE, {"nvidia.com/gpu.shared": 4})


def test_tpu_chips_are_offered_under_their_own_name() -> None:
    assert dict(shared("none", "ct6e-standard-4t")[1].offers) == {"google.com/tpu": 4}


@pytest.mark.parametrize(
    ("wanted", "machine", "why"),
    [
        (Mig(mig="1g.10gb"), "g2-standard-8", "not known to divide"),
        (Mig(mig="balanced"), "a3-highgpu-8g", "by one profile"),
        (TimeSlices(time_slices=2), "ct6e-standard-4t", "are not shared"),
    ],
)
def test_what_cannot_be_shared_so_is_refused(wanted: Any, machine: str, why: str) -> None:
    with pytest.raises(CannotShare, match=why):
        shared(wanted, machine)
