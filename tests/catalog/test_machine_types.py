import pytest

from components import catalog


def test_a_machine_is_found_by_its_clouds_own_name() -> None:
    p4d = catalog.machine("aws", "p4d.24xlarge")

    assert (p4d.gpu_model, p4d.gpu_count, p4d.vcpus, p4d.fabric, p4d.rdma_interfaces) == ("A100 40GB", 8, 96, "efa", 4)
    assert p4d.accelerated


def test_a_machine_keeps_its_identity_between_look_ups() -> None:
    assert catalog.machine("aws", "p4d.24xlarge") is catalog.find_machine("aws", "p4d.24xlarge")


@pytest.mark.parametrize(("cloud", "name"), [("aws", "m7i.large"), ("gcp", "e2-standard-4"), ("azure", "Standard_D4s_v6")])
def test_a_cpu_machine_has_no_accelerator(cloud: str, name: str) -> None:
    cpu = catalog.machine(cloud, name)

    assert not cpu.accelerated
    assert (cpu.gpu_count, cpu.gpu_model, cpu.vendor) == (0, None, None)
    assert cpu.vcpus > 0


def test_a_share_of_a_gpu_is_a_fraction() -> None:
    assert catalog.machine("aws", "g6f.large").gpu_count == 0.125
    assert catalog.machine("azure", "Standard_NV6ads_A10_v5").gpu_count == pytest.approx(1 / 6, rel=1e-3)


def test_an_unknown_machine_is_none_where_absence_is_an_answer() -> None:
    assert catalog.find_machine("aws", "p9.48xlarge") is None


def test_an_unknown_machine_names_the_nearest_ones() -> None:
    with pytest.raises(catalog.UnknownName, match=r"unknown aws machine 'p4d\.24xlarg'; nearest: p4d\.24xlarge") as error:
        catalog.machine("aws", "p4d.24xlarg")

    assert error.value.nearest[0] == "p4d.24xlarge"


def test_a_machine_of_one_cloud_is_unknown_on_another() -> None:
    assert catalog.find_machine("gcp", "p4d.24xlarge") is None


def test_a_name_in_the_wrong_letter_case_is_unknown_but_near() -> None:
    with pytest.raises(catalog.UnknownName) as error:
        catalog.machine("azure", "standard_nd96isr_h100_v5")

    assert error.value.nearest[0] == "Standard_ND96isr_H100_v5"


def test_an_unknown_cloud_is_named() -> None:
    with pytest.raises(catalog.UnknownName, match="unknown cloud 'awz'; nearest: aws"):
        catalog.find_machine("awz", "p4d.24xlarge")


def test_machines_of_all_clouds_are_those_of_each() -> None:
    assert len(catalog.machines()) == sum(len(catalog.machines(cloud)) for cloud in ("aws", "gcp", "azure"))


def test_cards_say_which_of_them_take_efa_and_how_many_interfaces() -> None:
    b300 = catalog.machine("aws", "p6-b300.48xlarge")

    assert len(b300.cards) == 17
    assert [card.index for card in b300.cards] == list(range(17))
    assert {card.max_interfaces for card in b300.cards} == {4}


def test_a_bound_that_no_source_gives_is_none() -> None:
    assert {card.max_interfaces for card in catalog.machine("aws", "p6e-gb200.36xlarge").cards} == {None}


def test_regions_list_where_a_machine_is_offered() -> None:
    assert "us-east-1" in catalog.regions("aws", "p4d.24xlarge")
    assert "us-central1" in catalog.regions("gcp", "a3-megagpu-8g")
    assert "us-east-1" in catalog.regions("aws", "m7i.large")


def test_regions_that_nobody_lists_are_not_known() -> None:
    assert catalog.regions("aws", "p6e-gb200.36xlarge") == ()


def test_capacity_blocks_are_offered_on_the_machines_that_the_api_names() -> None:
    offered = {m.family for m in catalog.machines("aws") if m.capacity_block}

    assert {"p4d", "p4de", "p5", "p5e", "p5en", "p6-b200", "p6-b300"} <= offered
    assert not offered & {"g5", "g6", "g6e", "trn1n"}


def test_a_tpu_host_is_a_machine_with_chips() -> None:
    v6e = catalog.machine("gcp", "ct6e-standard-4t")

    assert (v6e.vendor, v6e.gpu_count, v6e.gpu_memory_gib) == ("Google", 4, 32)


def test_unknown_is_not_no() -> None:
    assert catalog.machine("azure", "Standard_ND96isr_H100_v5").spot is None
    assert catalog.machine("aws", "p6e-gb200.36xlarge").spot is False


def test_only_efa_counts_as_efa() -> None:
    assert catalog.machine("aws", "p5.48xlarge").efa_interfaces == 32
    assert catalog.machine("gcp", "a3-megagpu-8g").efa_interfaces == 0
    assert catalog.machine("azure", "Standard_ND40rs_v2").rdma_interfaces is None
