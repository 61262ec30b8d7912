from __future__ import annotations

import pytest

from components.aws.outline import ACCELERATOR_LABEL, PoolOutline, accelerator, address_plan, pool_outlines, system_outline
from components.aws.scaling_tags import scaling_tags
from components.catalog import Machine, UnsuitableImage, ami_type, image, machine, machines
from components.inventory import Owner
from components.naming import FABRIC_LABEL
from components.ownership import FabricPlugin, operator_values
from components.spec import Pool

from .specs import inference, training


def outline(patch: dict[str, object] | None = None) -> PoolOutline:
    return pool_outlines(training({"pools": patch or {}}))[0]


def test_p4d_gets_four_efa_interfaces_beside_its_primary_one() -> None:
    made = outline()
    assert [(s.card, s.device, s.kind) for s in made.slots] == [
        (0, 0, "interface"), (0, 1, "efa-only"), (1, 0, "efa-only"), (2, 0, "efa-only"), (3, 0, "efa-only"),
    ]  # fmt: skip
    assert (made.interfaces, made.efa_interfaces, made.addresses) == (5, 4, 1)


@pytest.mark.failure("A2")
@pytest.mark.failure("A3")
@pytest.mark.parametrize("name", ["p4d.24xlarge", "p5.48xlarge", "p5en.48xlarge", "p6-b200.48xlarge", "p6-b300.48xlarge", "g6e.48xlarge"])
def test_no_device_index_runs_past_what_its_card_takes_and_no_place_is_taken_twice(name: str) -> None:
    slots = outline({"machine": name, "capacity": {"mode": "on_demand"}}).slots
    bounds = {card.index: card.max_interfaces for card in machine("aws", name).cards}
    assert all(slot.device < (bounds[slot.card] or 99) for slot in slots)
    assert len({(slot.card, slot.device) for slot in slots}) == len(slots)


def has_image(made: Machine) -> bool:
    try:
        return bool(ami_type(made, "auto"))
    except UnsuitableImage:
        return False


@pytest.mark.failure("A6")
@pytest.mark.parametrize("name", [m.name for m in machines("aws") if m.fabric == "efa" and m.vendor == "NVIDIA" and has_image(m)])
def test_the_fabric_takes_no_subnet_address(name: str) -> None:
    made = outline({"machine": name, "capacity": {"mode": "on_demand"}})
    assert made.addresses == 1
    assert made.efa_interfaces == machine("aws", name).rdma_interfaces


def test_fabric_none_leaves_one_plain_interface_and_no_label_or_plugin() -> None:
    made = outline({"fabric": "none"})
    assert made.interfaces == 1
    assert FABRIC_LABEL not in made.labels
    assert made.ownership.fabric_plugin is FabricPlugin.NOBODY
    assert made.placement == "none"


def test_an_inference_pool_has_no_fabric_and_no_placement_group_even_where_the_machine_could() -> None:
    made = pool_outlines(inference({"pools": {"machine": "g5.48xlarge"}}))[0]
    assert (made.interfaces, made.placement) == (1, "none")


def test_an_inference_pool_that_asks_for_its_fabric_gets_it_with_a_placement_group() -> None:
    made = pool_outlines(inference({"pools": {"machine": "g6e.48xlarge", "fabric": "auto"}}))[0]
    assert (made.efa_interfaces, made.placement) == (4, "own")


@pytest.mark.parametrize(("word", "placed"), [("auto", "own"), ("own", "own"), ("none", "none"), ({"group": "made-before"}, "made-before")])
def test_a_training_pool_is_placed_as_its_file_says(word: object, placed: str) -> None:
    assert outline({"placement": word}).placement == placed


@pytest.mark.failure("A9")
def test_reserved_capacity_gets_no_placement_group_of_ours() -> None:
    assert outline({"capacity": {"mode": "reservation", "id": "cr-0123456789abcdef0"}}).placement == "none"


@pytest.mark.failure("B6")
@pytest.mark.parametrize(("word", "kind"), [("auto", "AL2023_x86_64_NVIDIA"), ("bottlerocket", "BOTTLEROCKET_x86_64_NVIDIA")])
def test_a_gpu_machine_starts_from_an_image_with_a_driver(word: str, kind: str) -> None:
    assert outline({"image": word}).image_kind == kind


@pytest.mark.failure("B6")
def test_a_cpu_machine_starts_from_the_plain_image() -> None:
    assert system_outline(training()).image_kind == "AL2023_x86_64_STANDARD"


@pytest.mark.failure("B9")
def test_machines_of_two_architectures_are_refused_in_one_pool() -> None:
    mixed = {"machine": None, "machines": ["g5.2xlarge", "g5g.2xlarge"]}
    with pytest.raises(ValueError, match="need different images"):
        pool_outlines(training({"pools": mixed}))


@pytest.mark.failure("B9")
def test_machines_of_one_architecture_share_an_image() -> None:
    made = outline({"machine": None, "machines": ["g5.2xlarge", "g5.4xlarge"]})
    assert made.image_kind == "AL2023_x86_64_NVIDIA"
    assert [m.name for m in made.machines] == ["g5.2xlarge", "g5.4xlarge"]


def test_a_machine_that_no_image_supports_is_refused() -> None:
    with pytest.raises(UnsuitableImage):
        outline({"machine": "g7.8xlarge", "capacity": {"mode": "on_demand"}})


@pytest.mark.failure("C3")
def test_an_image_that_the_catalogue_does_not_hold_leaves_no_owner_to_guess(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("components.catalog.image", lambda _cloud, _kind: None)
    with pytest.raises(LookupError, match="AL2023_x86_64_NVIDIA is not in the catalogue"):
        outline()


@pytest.mark.failure("B13")
@pytest.mark.parametrize(("name", "raid0"), [("p4d.24xlarge", True), ("p5.48xlarge", True), ("p3.2xlarge", False)])
def test_local_nvme_is_used_where_there_is_any(name: str, raid0: bool) -> None:
    assert outline({"machine": name, "capacity": {"mode": "on_demand"}}).raid0 is raid0


@pytest.mark.failure("B11")
def test_root_disks_are_large_by_default_and_larger_for_training() -> None:
    assert outline().disk_gib == 500
    assert pool_outlines(inference())[0].disk_gib == 200


@pytest.mark.failure("F2")
def test_gpu_nodes_carry_the_label_that_makes_the_autoscaler_wait() -> None:
    assert outline().labels[ACCELERATOR_LABEL] == "nvidia-a100-40gb"


@pytest.mark.failure("F2")
def test_nodes_without_gpu_do_not_carry_it() -> None:
    assert ACCELERATOR_LABEL not in system_outline(training()).labels


@pytest.mark.parametrize("name", [m.name for m in machines("aws") if m.gpu_count])
def test_every_gpu_has_a_name_that_kubernetes_takes_as_a_label(name: str) -> None:
    label = accelerator(machine("aws", name))
    assert 0 < len(label) <= 63
    assert label.replace("-", "").isalnum()
    assert not label.startswith("-")


@pytest.mark.failure("F10")
def test_the_system_pool_is_untainted_on_demand_and_spread_over_the_zones() -> None:
    made = system_outline(training())
    assert (made.taints, made.market, made.zones) == ((), "on_demand", ("us-east-1b", "us-east-1d"))
    assert made.nodes.min >= 1


def test_a_pool_without_a_zone_takes_the_networks_first() -> None:
    assert pool_outlines(inference({"pools": {"zone": None}}))[0].zones == ("us-east-1b",)


@pytest.mark.failure("B14")
def test_in_place_updates_add_no_node_and_surging_ones_say_how_many() -> None:
    assert outline({"updates": "in_place"}).surge == 0
    assert outline({"updates": "surge"}).surge == 2


def test_a_large_pool_needs_a_large_network() -> None:
    with pytest.raises(ValueError, match="a100 300 nodes"):
        address_plan(training({"pools": {"nodes": {"min": 0, "max": 300}}}))


@pytest.mark.failure("F1")
def test_an_empty_pool_tells_the_autoscaler_what_its_nodes_would_offer() -> None:
    tags = {tag.key: tag.value for tag in scaling_tags(outline(), "lab", {})}
    hint = "k8s.io/cluster-autoscaler/node-template"
    assert tags[f"{hint}/resources/nvidia.com/gpu"] == "8"
    assert tags[f"{hint}/resources/vpc.amazonaws.com/efa"] == "4"
    assert tags[f"{hint}/taint/nvidia.com/gpu"] == "present:NoSchedule"
    assert tags[f"{hint}/label/{FABRIC_LABEL}"] == "efa"
    assert tags["k8s.io/cluster-autoscaler/lab"] == "owned"


@pytest.mark.failure("F1")
def test_an_empty_pool_promises_nothing_that_its_nodes_lack() -> None:
    keys = {tag.key for tag in scaling_tags(system_outline(training()), "lab", {})}
    assert not any("resources" in key or "taint" in key for key in keys)


def test_only_the_users_tags_reach_instances_from_the_scaling_group() -> None:
    tags = scaling_tags(outline(), "lab", {"cost-center": "4711"})
    assert [tag.key for tag in tags if tag.reaches_instances] == ["cost-center"]


@pytest.mark.failure("C7")
@pytest.mark.failure("C13")
def test_bottlerocket_brings_its_own_device_plugin_and_the_operator_leaves_it_alone() -> None:
    owners = outline({"image": "bottlerocket"}).ownership
    assert {owners.driver, owners.toolkit, owners.device_plugin, owners.mig_manager} == {Owner.IMAGE}
    values = operator_values({"a100": owners})
    assert [values[part]["enabled"] for part in ("driver", "toolkit", "devicePlugin", "migManager")] == [False] * 4


@pytest.mark.failure("C10")
@pytest.mark.failure("C11")
@pytest.mark.parametrize("name", ["p4d.24xlarge", "p5.48xlarge", "p6-b200.48xlarge", "p6-b300.48xlarge"])
def test_driver_and_fabric_manager_of_nvswitch_machines_come_from_one_image(name: str) -> None:
    kind = image("aws", outline({"machine": name, "capacity": {"mode": "on_demand"}}).image_kind)
    assert kind is not None
    assert (kind.driver, kind.fabric_manager) == (True, True)


@pytest.mark.failure("J7")
def test_a_pool_that_says_nothing_of_its_size_costs_nothing_while_nobody_asks() -> None:
    assert Pool(name="a100", machine="p4d.24xlarge").nodes.min == 0
