"""What the AWS readers make of raw resources: sizes, surge, zones, markets, references."""

from __future__ import annotations

from typing import Any

import pytest

from components.inventory import GpuPool, Inventory, Market, NodePool, Owner
from components.unknown import Unknown, known
from policies import evaluate
from policies.readers import READERS, inventory, types
from tests.policies.raw import SETTINGS, Raw, interface, training


def facts(program: Raw) -> Inventory:
    return inventory(program.built())


def pool(program: Raw, name: str = "gpu") -> NodePool:
    (found,) = (p for p in facts(program).pools if p.name == name)
    return found


# --- node groups


def test_a_node_group_takes_its_machine_from_the_template_that_it_refers_to() -> None:
    gpu = pool(training())
    assert isinstance(gpu, GpuPool)
    assert gpu.machines == ("p4d.24xlarge",)
    assert gpu.interfaces is not None
    assert gpu.interfaces.urn == training().urn("p4d")
    assert gpu.cluster == training().urn("eks")
    assert gpu.driver_owners == (Owner.IMAGE,)


@pytest.mark.parametrize("reference", [{"id": "lt-1"}, {"name": "training"}])
def test_a_template_is_found_by_literal_id_or_name_too(reference: dict[str, str]) -> None:
    program = training().set("p4d", "training", "name").set("gpu", {**reference, "version": "3"}, "launchTemplate")
    program.written["p4d"].id = "lt-1"
    assert pool(program).machines == ("p4d.24xlarge",)


def test_cpu_machines_of_the_catalogue_are_no_gpu_pool() -> None:
    assert not isinstance(pool(training(), "system"), GpuPool)


@pytest.mark.parametrize("machine", ["x9.enormous", Unknown("machine")])
def test_a_machine_that_is_not_known_may_have_accelerators(machine: object) -> None:
    assert isinstance(pool(training().set("system", [machine], "instanceTypes"), "system"), GpuPool)


def test_neither_group_nor_template_naming_a_machine_means_the_default_of_eks() -> None:
    assert pool(training().set("system", None, "instanceTypes"), "system").machines == ("t3.medium",)


@pytest.mark.parametrize(
    ("update", "surge"),
    [
        ({"updateStrategy": "MINIMAL"}, 0),
        ({"updateStrategy": "DEFAULT"}, 2),
        ({"maxUnavailable": 1}, 2),
        ({"maxUnavailable": 3}, 3),
        ({"maxUnavailablePercentage": 50}, 2),
        ({"maxUnavailablePercentage": 80}, 4),
        ({"maxUnavailablePercentage": 80.0, "updateStrategy": ""}, 4),
    ],
)
def test_an_update_adds_twice_the_zones_or_what_may_be_unavailable(update: dict[str, Any], surge: int) -> None:
    assert pool(training().set("gpu", update, "updateConfig")).nodes.surge == surge


def test_without_update_settings_the_default_strategy_adds_nodes() -> None:
    assert pool(training().set("gpu", None, "updateConfig")).nodes.surge == 2


@pytest.mark.parametrize("key", ["updateStrategy", "maxUnavailable", "maxUnavailablePercentage"])
def test_an_unknown_update_setting_makes_the_surge_unknown(key: str) -> None:
    surge = pool(training().set("gpu", {key: Unknown("x")}, "updateConfig")).nodes.surge
    assert isinstance(surge, Unknown)
    assert surge.path == f"updateConfig.{key}"


def test_zones_are_those_of_the_subnets_each_counted_once() -> None:
    program = (
        training().plus(types.SUBNET, "second", availabilityZone="us-east-1d").plus(types.SUBNET, "third", availabilityZone="us-east-1f")
    )
    gpu = pool(program.set("gpu", ["@private", "@second", "@third"], "subnetIds").set("gpu", None, "updateConfig"))
    assert gpu.zones == ("us-east-1d", "us-east-1f")
    assert gpu.nodes.surge == 4


def test_subnets_outside_the_program_count_as_a_zone_each() -> None:
    gpu = pool(training().set("gpu", ["subnet-1", "subnet-2", "subnet-3"], "subnetIds").set("gpu", None, "updateConfig"))
    assert gpu.nodes.surge == 6


@pytest.mark.parametrize(("written", "read"), [(4, 4), (4.0, 4), ("4", 4)])
def test_sizes_are_read_in_every_spelling(written: object, read: int) -> None:
    assert pool(training().set("gpu", written, "scalingConfig", "maxSize")).nodes.maximum == read


@pytest.mark.parametrize("written", [True, -1, 4.5, "many", [4], {"n": 4}, float("inf"), float("nan"), 10**400])
def test_a_size_that_is_no_count_is_unknown(written: object) -> None:
    assert isinstance(pool(training().set("gpu", written, "scalingConfig", "maxSize")).nodes.maximum, Unknown)


@pytest.mark.parametrize(
    ("word", "market"),
    [(None, Market.ON_DEMAND), ("ON_DEMAND", Market.ON_DEMAND), ("SPOT", Market.SPOT), ("CAPACITY_BLOCK", Market.CAPACITY_BLOCK)],
)
def test_the_capacity_type_is_the_market(word: str | None, market: Market) -> None:
    assert pool(training().set("gpu", word, "capacityType")).market is market


def test_a_reservation_in_the_template_of_an_on_demand_group_is_used() -> None:
    target = {"capacityReservationTarget": {"capacityReservationId": "cr-1"}}
    gpu = pool(training().set("gpu", "ON_DEMAND", "capacityType").set("p4d", target, "capacityReservationSpecification"))
    assert (gpu.market, gpu.reservation) == (Market.RESERVATION, "cr-1")


def test_a_capacity_type_that_nobody_knows_is_unknown() -> None:
    assert isinstance(pool(training().set("gpu", "CHEAP", "capacityType")).market, Unknown)


def test_disks_of_the_template_are_added_up_and_the_default_is_20_gib() -> None:
    second = {"deviceName": "/dev/xvdb", "ebs": {"volumeSize": 100}}
    program = training().set("p4d", [*training().written["p4d"].inputs["blockDeviceMappings"], second], "blockDeviceMappings")
    assert (pool(program).root_disk_gib, pool(program).root_disk_kind) == (600, "gp3")
    assert pool(training().set("system", None, "diskSize"), "system").root_disk_gib == 20
    assert pool(training().set("p4d", None, "blockDeviceMappings")).root_disk_gib is None


def test_labels_and_taints_are_read() -> None:
    taint = {"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}
    gpu = pool(training().set("gpu", {"tier": "gpu"}, "labels").set("gpu", [taint], "taints"))
    assert (gpu.labels, gpu.taints) == ({"tier": "gpu"}, ("nvidia.com/gpu=present:NO_SCHEDULE",))


def test_a_placement_group_is_named_by_reference_or_literally() -> None:
    planned = training().plus(types.PLACEMENT_GROUP, "close", strategy="cluster").set("p4d", {"groupName": "@close"}, "placement")
    assert pool(planned).placement_group == planned.urn("close")
    assert pool(training().set("p4d", {"groupName": "there"}, "placement")).placement_group == "there"
    assert pool(training()).placement_group is None


# --- regions


def test_the_region_is_the_resources_the_providers_or_the_stacks_in_this_order() -> None:
    program = training().plus("pulumi:providers:aws", "west", region="us-west-2")
    assert pool(program).region == "us-east-1"
    program.written["gpu"].provider = "west"
    assert pool(program).region == "us-west-2"
    assert pool(program.set("gpu", "eu-west-1", "region")).region == "eu-west-1"


def test_an_explicit_provider_without_a_region_leaves_it_unknown() -> None:
    program = training().plus("pulumi:providers:aws", "bare")
    program.written["gpu"].provider = "bare"
    assert isinstance(pool(program).region, Unknown)


def test_the_engines_own_default_provider_takes_the_stacks_region() -> None:
    program = training().plus("pulumi:providers:aws", "default_7_51_1")
    program.written["gpu"].provider = "default_7_51_1"
    assert pool(program).region == "us-east-1"


# --- instances and scaling groups


def scaling_group(**inputs: Any) -> Raw:
    group = {
        "minSize": 0,
        "maxSize": 10,
        "desiredCapacity": 2,
        "vpcZoneIdentifiers": ["@private"],
        "mixedInstancesPolicy": {
            "launchTemplate": {
                "launchTemplateSpecification": {"launchTemplateId": "@p4d", "version": "$Latest"},
                "overrides": [{"instanceType": "g5.2xlarge"}, {"instanceType": "g5.4xlarge"}],
            }
        },
    }
    return training().plus(types.SCALING_GROUP, "workers", **{**group, **inputs})


def test_overrides_of_a_mixed_group_win_over_the_template() -> None:
    assert pool(scaling_group(), "workers").machines == ("g5.2xlarge", "g5.4xlarge")


def test_a_group_without_overrides_takes_the_templates_machine() -> None:
    program = scaling_group(mixedInstancesPolicy=None, launchTemplate={"id": "@p4d"})
    workers = pool(program, "workers")
    assert (workers.machines, workers.market, workers.nodes.maximum) == (("p4d.24xlarge",), Market.ON_DEMAND, 10)


@pytest.mark.parametrize(
    ("distribution", "parts"),
    [
        ({}, {Market.ON_DEMAND: 10}),
        ({"onDemandBaseCapacity": 0, "onDemandPercentageAboveBaseCapacity": 0}, {Market.SPOT: 10}),
        ({"onDemandBaseCapacity": 2, "onDemandPercentageAboveBaseCapacity": 0}, {Market.ON_DEMAND: 2, Market.SPOT: 8}),
        ({"onDemandBaseCapacity": 2, "onDemandPercentageAboveBaseCapacity": 25}, {Market.ON_DEMAND: 4, Market.SPOT: 6}),
    ],
)
def test_a_mixed_group_is_split_by_market(distribution: dict[str, int], parts: dict[Market, int]) -> None:
    program = scaling_group().set("workers", distribution, "mixedInstancesPolicy", "instancesDistribution")
    assert {p.market: p.nodes.maximum for p in facts(program).pools if p.name == "workers"} == parts


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("desiredCapacityType",), "vcpu"),
        (("instanceMaintenancePolicy",), {"maxHealthyPercentage": 150}),
        (("warmPool",), {"minSize": 1}),
    ],
)
def test_settings_that_count_otherwise_leave_the_bound_unknown(path: tuple[str, ...], value: object) -> None:
    assert isinstance(pool(scaling_group().set("workers", value, *path), "workers").nodes.with_surge, Unknown)


def test_a_choice_of_machines_by_attributes_is_unknown() -> None:
    by_attributes = [{"instanceRequirements": {"acceleratorCount": {"min": 1}}}]
    machines = pool(
        scaling_group().set("workers", by_attributes, "mixedInstancesPolicy", "launchTemplate", "overrides"), "workers"
    ).machines
    assert known(machines)
    assert [type(m) for m in machines] == [Unknown]


def test_an_instance_is_a_pool_of_one() -> None:
    program = training().plus(types.INSTANCE, "box", instanceType="g5.2xlarge", instanceMarketOptions={"marketType": "spot"})
    box = pool(program, "box")
    assert (box.machines, box.market, box.nodes.with_surge, box.cluster) == (("g5.2xlarge",), Market.SPOT, 1, None)


def test_an_instance_may_take_its_machine_from_a_template() -> None:
    assert pool(training().plus(types.INSTANCE, "box", launchTemplate={"id": "@p4d"}), "box").machines == ("p4d.24xlarge",)


@pytest.mark.parametrize(
    ("changes", "market"),
    [
        ({}, Market.ON_DEMAND),
        ({"instanceMarketOptions": {"marketType": "spot"}}, Market.SPOT),
        ({"instanceMarketOptions": {"marketType": "capacity-block"}}, Market.CAPACITY_BLOCK),
        ({"capacityReservationSpecification": {"capacityReservationTarget": {"capacityReservationId": "cr-1"}}}, Market.RESERVATION),
    ],
)
def test_a_plain_group_is_bought_as_its_template_says(changes: dict[str, Any], market: Market) -> None:
    program = scaling_group(mixedInstancesPolicy=None, launchTemplate={"id": "@p4d"})
    for prop, value in changes.items():
        program = program.set("p4d", value, prop)
    assert pool(program, "workers").market is market


def test_a_group_without_a_template_hides_its_machine() -> None:
    workers = pool(scaling_group(mixedInstancesPolicy=None, launchConfiguration="old"), "workers")
    assert all("launch configuration outside" in str(fact) for fact in (workers.machines, workers.market, workers.root_disk_gib))


def test_a_launch_configuration_of_the_program_tells_machine_price_and_disk() -> None:
    program = scaling_group(mixedInstancesPolicy=None, launchConfiguration="@old")
    told = {"instanceType": "g5.xlarge", "spotPrice": "0.5", "rootBlockDevice": {"volumeSize": 300, "volumeType": "gp3"}}
    workers = pool(program.plus(types.LAUNCH_CONFIGURATION, "old", **told), "workers")
    assert workers.machines == ("g5.xlarge",)
    assert (workers.market, workers.root_disk_gib, workers.root_disk_kind) == (Market.SPOT, 300, "gp3")


@pytest.mark.parametrize(
    "path",
    [
        ("mixedInstancesPolicy",),
        ("mixedInstancesPolicy", "launchTemplate", "overrides"),
        ("mixedInstancesPolicy", "launchTemplate", "overrides", 0),
        ("mixedInstancesPolicy", "launchTemplate", "overrides", 0, "instanceType"),
        ("mixedInstancesPolicy", "instancesDistribution"),
        ("maxSize",),
    ],
)
def test_an_unknown_of_a_group_stays_unknown(path: tuple[str | int, ...]) -> None:
    program = scaling_group().set("workers", {"onDemandBaseCapacity": 1}, "mixedInstancesPolicy", "instancesDistribution")
    assert [f for f in evaluate(program.hide("workers", *path).built(), SETTINGS) if f.rule == "GPU-COST-03"]


@pytest.mark.parametrize("key", ["onDemandBaseCapacity", "onDemandPercentageAboveBaseCapacity"])
def test_an_unknown_split_leaves_the_market_unknown(key: str) -> None:
    program = scaling_group().set("workers", {key: Unknown("x")}, "mixedInstancesPolicy", "instancesDistribution")
    assert isinstance(pool(program, "workers").market, Unknown)


@pytest.mark.parametrize(("prop", "value"), [("labels", ["x"]), ("taints", "x"), ("labels", Unknown("x")), ("taints", Unknown("x"))])
def test_labels_and_taints_of_another_type_are_unknown(prop: str, value: object) -> None:
    assert isinstance(getattr(pool(training().set("gpu", value, prop)), prop), Unknown)


def test_a_taint_with_an_unknown_part_is_unknown() -> None:
    assert isinstance(pool(training().set("gpu", [{"key": Unknown("x")}], "taints")).taints, Unknown)


def test_a_market_type_that_nobody_knows_is_unknown() -> None:
    program = training().plus(types.INSTANCE, "box", instanceType="g5.2xlarge", instanceMarketOptions={"marketType": "cheap"})
    assert isinstance(pool(program, "box").market, Unknown)


def test_a_template_that_chooses_by_attributes_is_unknown() -> None:
    by_attributes = pool(training().set("p4d", {"acceleratorCount": {"min": 1}}, "instanceRequirements"))
    assert "a choice by attributes" in str(by_attributes.machines)
    hidden = pool(training().set("p4d", Unknown("x"), "instanceRequirements"))
    assert "instanceRequirements" in str(hidden.machines)


# --- the rest


def test_every_type_with_a_reader_is_kept_by_the_pack() -> None:
    assert set(READERS) <= types.READ


@pytest.mark.failure("H11")
def test_a_look_at_the_whole_program_that_fails_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> list[Any]:
        raise RuntimeError("a canary that must stay inside")

    monkeypatch.setattr("policies.readers.PROGRAM_READERS", (failing,))
    assert [lost.reason for lost in facts(training()).lost] == ["not readable as a whole (RuntimeError)"]


@pytest.mark.parametrize(
    ("inputs", "subnets"),
    [
        ({"vpcEndpointType": "Interface", "subnetIds": ["subnet-1", "subnet-2"]}, [2]),
        ({"vpcEndpointType": "Interface", "subnetIds": Unknown("subnetIds")}, [Unknown("subnetIds")]),
        ({"vpcEndpointType": "Gateway"}, []),
        ({}, []),
    ],
)
def test_interface_endpoints_bill_in_each_subnet_and_gateway_endpoints_never(inputs: dict[str, Any], subnets: list[Any]) -> None:
    program = training().plus(types.VPC_ENDPOINT, "s3", serviceName="com.amazonaws.us-east-1.s3", **inputs)
    assert [e.subnets for e in inventory(program.built()).endpoints] == subnets


def test_nats_addresses_volumes_and_clusters_are_counted() -> None:
    program = training().plus(types.NAT_GATEWAY, "nat", subnetId="@private").plus(types.EIP, "ip", domain="vpc")
    found = facts(program.plus(types.VOLUME, "scratch", size=100.0, type="gp3", availabilityZone="us-east-1d"))
    assert [(len(found.nats), len(found.addresses), len(found.control_planes))] == [(1, 1, 1)]
    assert [(d.kind, d.gib, d.region) for d in found.disks] == [("gp3", 100.0, "us-east-1")]


def test_an_interface_keeps_what_the_template_says() -> None:
    program = training().set("p4d", [{**interface(0, 0, "interface", "sg-1"), "deleteOnTermination": "false"}], "networkInterfaces")
    (layout,) = facts(program).interfaces
    assert known(layout.items)
    (only,) = layout.items
    assert (only.card, only.device, only.kind, only.groups, only.delete_on_termination) == (0, 0, "interface", ("sg-1",), False)


@pytest.mark.failure("H11")
def test_a_reader_that_fails_loses_its_resource_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> list[Any]:
        raise RuntimeError("a canary that must stay inside")

    monkeypatch.setattr("policies.readers.READERS", {types.NODE_GROUP: failing})
    found = facts(training())
    assert [(lost.urn, lost.reason) for lost in found.lost] == [
        (training().urn("gpu"), "not readable (RuntimeError)"),
        (training().urn("system"), "not readable (RuntimeError)"),
    ]


@pytest.mark.failure("H11")
def test_readers_that_work_lose_nothing() -> None:
    assert facts(training()).lost == ()


@pytest.mark.parametrize("written", [10**400, 1e308, 10**18, "1e300"])
def test_a_size_that_no_cloud_has_is_unknown(written: object) -> None:
    assert pool(training().set("gpu", written, "scalingConfig", "maxSize")).nodes.maximum == Unknown(
        "scalingConfig.maxSize", "not readable: no whole number from 0 to 1,000,000,000"
    )
    assert [
        f.fails for f in evaluate(training().set("gpu", written, "scalingConfig", "maxSize").built(), SETTINGS) if f.rule == "GPU-COST-03"
    ]
