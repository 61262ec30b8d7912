import pytest

from components.catalog import UnknownName, tpus


def test_a_tpu_host_has_the_label_and_topology_that_gke_asks_for() -> None:
    host = tpus.tpu("ct6e-standard-4t")

    assert (host.accelerator_label, host.host_topology) == ("tpu-v6e-slice", "2x2")


def test_an_unknown_host_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="unknown TPU machine 'ct6e-standard-2t'; nearest: ct6e-standard-"):
        tpus.tpu("ct6e-standard-2t")


@pytest.mark.parametrize(("name", "is_one"), [("v5litepod-8", True), ("v6e-256", True), ("V5P 2x2x2", True), ("ct6e-standard-4t", False)])
def test_slices_of_the_tpu_api_are_told_by_their_names(name: str, is_one: bool) -> None:
    assert tpus.is_slice(name) is is_one
