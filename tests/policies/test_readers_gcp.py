"""What else pulumi-gcp programs hold: instances, groups, TPUs, networks, storage."""

from __future__ import annotations

from typing import Any

import pytest

from components.inventory import CloudNat, FirewallRule, GpuPool, MachineReservation, Market, NodePool, Subnetwork
from components.unknown import Unknown, known
from policies import Status, evaluate
from policies.readers import gcp_types as gcp
from tests.policies.gcp_raw import ZONE, facts, network
from tests.policies.raw import SETTINGS, Raw, said

T4 = [{"type": f"projects/p/zones/{ZONE}/acceleratorTypes/nvidia-tesla-t4", "count": 1}]


def alone(program: Raw) -> NodePool:
    (found,) = facts(program).pools
    return found


def instance(**inputs: Any) -> Raw:
    written = {"machineType": "g2-standard-8", "zone": ZONE, "bootDisk": {"initializeParams": {"size": 200, "type": "pd-ssd"}}}
    return network().add(gcp.INSTANCE, "vm", **(written | inputs))


def test_an_instance_is_a_pool_of_one() -> None:
    found = alone(instance())
    assert (found.machines, found.nodes.maximum, found.zones, found.region, found.market) == (
        ("g2-standard-8",),
        1,
        (ZONE,),
        "us-central1",
        Market.ON_DEMAND,
    )
    assert (found.root_disk_gib, found.root_disk_kind, isinstance(found, GpuPool)) == (200, "pd-ssd", True)


@pytest.mark.parametrize(
    ("inputs", "market"),
    [
        ({"scheduling": {"provisioningModel": "SPOT"}}, Market.SPOT),
        ({"scheduling": {"preemptible": True}}, Market.SPOT),
        ({"scheduling": {"provisioningModel": "FLEX_START"}}, Market.FLEX_START),
        ({"scheduling": {"provisioningModel": "RESERVATION_BOUND"}}, Market.RESERVATION),
        ({"reservationAffinity": {"type": "SPECIFIC_RESERVATION"}}, Market.RESERVATION),
        ({"reservationAffinity": {"type": "ANY_RESERVATION"}}, Market.ON_DEMAND),
    ],
)
def test_an_instance_says_how_it_is_bought(inputs: dict[str, Any], market: Market) -> None:
    assert alone(instance(**inputs)).market is market


@pytest.mark.parametrize(
    "inputs",
    [
        {"scheduling": {"provisioningModel": "BARGAIN"}},
        {"scheduling": {"provisioningModel": Unknown("x")}},
        {"scheduling": {"preemptible": Unknown("x")}},
        {"reservationAffinity": Unknown("x")},
    ],
)
def test_a_way_of_buying_that_is_none_is_unknown(inputs: dict[str, Any]) -> None:
    assert isinstance(alone(instance(**inputs)).market, Unknown)


def test_attached_gpus_cost_and_draw_on_quota_beside_the_machine() -> None:
    program = instance(machineType="n1-standard-8", guestAccelerators=T4)
    found = alone(program)
    assert isinstance(found, GpuPool)
    assert "NVIDIA_T4_GPUS 1 GPU" in said(evaluate(program.built(), SETTINGS), "GPU-QUOTA-01")[0].message
    assert said(evaluate(program.built(), SETTINGS), "GPU-COST-02") == []
    unheard = instance(machineType="n1-standard-8", guestAccelerators=[{"type": "nvidia-future", "count": 1}])
    (finding,) = said(evaluate(unheard.built(), SETTINGS), "GPU-COST-02")
    assert (finding.status, "no price is known for 1 x nvidia-future" in finding.message) == (Status.UNPRICED, True)


@pytest.mark.parametrize("value", [Unknown("x"), [{"type": Unknown("x"), "count": 1}]])
def test_attached_gpus_that_are_not_known_bound_nothing(value: object) -> None:
    program = instance(machineType="n1-standard-8", guestAccelerators=value)
    assert said(evaluate(program.built(), SETTINGS), "GPU-COST-03")


def test_ephemeral_addresses_count_and_reserved_ones_only_where_they_are_made() -> None:
    interface = {"network": "default", "accessConfigs": [{}, {"natIp": "@ip"}]}
    program = instance(networkInterfaces=[interface]).add(gcp.ADDRESSES[0], "ip").add(gcp.ADDRESSES[1], "global")
    program.add(gcp.ADDRESSES[0], "inside", addressType="INTERNAL")
    assert sorted(a.urn for a in facts(program).addresses) == sorted(program.urn(name) for name in ("vm", "ip", "global"))


def template(**inputs: Any) -> Raw:
    written = {
        "machineType": "g2-standard-8",
        "region": "us-central1",
        "disks": [{"boot": True, "diskSizeGb": 100, "diskType": "pd-ssd"}, {"type": "SCRATCH", "diskSizeGb": 375}, {"diskSizeGb": 50}],
        "scheduling": {"provisioningModel": "SPOT"},
    }
    return network().add(gcp.INSTANCE_TEMPLATE, "template", **(written | inputs))


def test_a_template_alone_starts_nothing_but_names_a_machine() -> None:
    found = facts(template())
    assert (found.pools, [choice.machine for choice in found.machine_choices]) == ((), ["g2-standard-8"])


def test_an_instance_from_a_template_takes_what_it_does_not_say_itself() -> None:
    program = template().add(gcp.INSTANCE_FROM_TEMPLATE, "vm", sourceInstanceTemplate="@template", zone=ZONE)
    found = alone(program)
    assert (found.machines, found.market, found.root_disk_gib, found.root_disk_kind) == (("g2-standard-8",), Market.SPOT, 150, "pd-ssd")
    assert alone(program.set("vm", "g2-standard-24", "machineType")).machines == ("g2-standard-24",)
    assert alone(program.set("vm", {"provisioningModel": "STANDARD"}, "scheduling")).market is Market.ON_DEMAND


def test_a_template_outside_the_program_tells_nothing() -> None:
    found = alone(template().add(gcp.INSTANCE_FROM_TEMPLATE, "vm", sourceInstanceTemplate="global/instanceTemplates/golden", zone=ZONE))
    assert isinstance(found.market, Unknown)
    assert known(found.machines)
    assert isinstance(found.machines[0], Unknown)


def group(kind: str = gcp.GROUP, **inputs: Any) -> Raw:
    place = {"zone": ZONE} if kind == gcp.GROUP else {"region": "us-central1"}
    return template().add(kind, "group", **({"versions": [{"instanceTemplate": "@template"}], "targetSize": 3} | place | inputs))


@pytest.mark.parametrize("kind", gcp.GROUPS)
def test_a_group_has_its_target_size(kind: str) -> None:
    found = alone(group(kind))
    assert (found.nodes.minimum, found.nodes.desired, found.nodes.maximum, found.nodes.surge) == (3, 3, 3, 0)
    assert (found.machines, found.market, found.region) == (("g2-standard-8",), Market.SPOT, "us-central1")


def test_an_autoscaler_decides_a_groups_size() -> None:
    policy = {"minReplicas": 1, "maxReplicas": 7}
    program = group(targetSize=None).add(gcp.AUTOSCALERS[0], "scaler", target="@group", autoscalingPolicy=policy)
    nodes = alone(program).nodes
    assert (nodes.minimum, nodes.desired, nodes.maximum) == (1, 1, 7)
    assert isinstance(alone(program.hide("scaler", "autoscalingPolicy")).nodes.maximum, Unknown)
    assert alone(program.set("scaler", "another", "target")).nodes.maximum == 0


def test_resize_requests_come_on_top() -> None:
    program = group(targetSize=0).add(gcp.RESIZE_REQUEST, "more", instanceGroupManager="@group", resizeBy=4, zone=ZONE)
    assert alone(program).nodes.maximum == 4
    assert alone(program.set("more", "another", "instanceGroupManager")).nodes.maximum == 0


@pytest.mark.parametrize(
    ("kind", "policy", "surge"),
    [
        (gcp.GROUP, {"type": "PROACTIVE"}, 1),
        (gcp.GROUP, {"type": "PROACTIVE", "maxSurgeFixed": 0}, 0),
        (gcp.REGION_GROUP, {"type": "PROACTIVE"}, 3),
        (gcp.REGION_GROUP, {"type": "PROACTIVE", "maxSurgeFixed": 2}, 2),
    ],
)
def test_a_rolling_update_adds_instances(kind: str, policy: dict[str, Any], surge: int) -> None:
    assert alone(group(kind, updatePolicy=policy)).nodes.surge == surge


@pytest.mark.parametrize("policy", [{"maxSurgePercent": 20}, Unknown("updatePolicy")])
def test_a_surge_by_share_is_unknown(policy: object) -> None:
    assert isinstance(alone(group(updatePolicy=policy)).nodes.surge, Unknown)


def test_several_versions_are_machines_of_which_the_dearest_counts() -> None:
    program = group(versions=[{"instanceTemplate": "template"}, {"instanceTemplate": "canary"}])
    program.written["template"].inputs["name"] = "template"
    program.add(gcp.REGION_INSTANCE_TEMPLATE, "canary", name="canary", machineType="n1-standard-8", guestAccelerators=T4)
    found = alone(program)
    assert found.machines == ("g2-standard-8", "n1-standard-8")
    assert isinstance(found.market, Unknown)
    assert known(found.attached)
    assert len(found.attached) == 1


@pytest.mark.parametrize("versions", [None, Unknown("versions")])
def test_a_group_without_a_template_that_can_be_read_is_unknown(versions: object) -> None:
    found = alone(group(versions=versions))
    assert isinstance(found.market, Unknown)
    assert known(found.machines)
    assert isinstance(found.machines[0], Unknown)


def test_zones_of_a_regional_group_are_listed_or_three() -> None:
    assert alone(group(gcp.REGION_GROUP, distributionPolicyZones=[ZONE])).zones == (ZONE,)
    zones = alone(group(gcp.REGION_GROUP)).zones
    assert known(zones)
    assert len(zones) == 3


@pytest.mark.parametrize(
    ("inputs", "machine", "market"),
    [
        ({"acceleratorType": "v5litepod-8"}, "v5litepod-8", Market.ON_DEMAND),
        ({"acceleratorConfig": {"type": "V5P", "topology": "2x2x2"}, "schedulingConfig": {"spot": True}}, "V5P 2x2x2", Market.SPOT),
        ({"acceleratorType": "v6e-8", "schedulingConfig": {"reserved": True}}, "v6e-8", Market.RESERVATION),
    ],
)
def test_a_tpu_vm_is_a_slice_without_a_price(inputs: dict[str, Any], machine: str, market: Market) -> None:
    program = network().add(gcp.TPU_VM, "tpu", zone=ZONE, runtimeVersion="tpu-ubuntu2204-base", **inputs)
    found = alone(program)
    assert (found.machines, found.market, found.zones) == ((machine,), market, (ZONE,))
    assert [f.status for f in said(evaluate(program.built(), SETTINGS), "GPU-COST-02")] == [Status.UNPRICED]


def test_a_queued_tpu_is_a_slice_for_each_node() -> None:
    specs = [{"parent": "p", "node": {"acceleratorType": f"v5litepod-{n}"}} for n in (4, 8)]
    program = network().add(gcp.TPU_QUEUED, "queue", zone=ZONE, tpu={"nodeSpecs": specs})
    assert [(p.name, p.machines) for p in facts(program).pools] == [("queue/0", ("v5litepod-4",)), ("queue/1", ("v5litepod-8",))]
    assert isinstance(alone(program.set("queue", None, "tpu")).market, Unknown)


def test_networks_are_told_by_reference_name_and_self_link() -> None:
    program = network().set("nodes", "projects/research/global/networks/vpc", "network")
    program.written["vpc"].inputs["name"] = "vpc"
    (subnet,) = facts(program).of_google(Subnetwork)
    (nat,) = facts(program).of_google(CloudNat)
    assert subnet.network == nat.network == program.urn("vpc")
    assert (nat.every_subnet, len(facts(program).nats), facts(program).nats[0].region) == (True, 1, "us-central1")


def test_a_nat_may_serve_single_subnets_of_a_router_made_elsewhere() -> None:
    program = network().set("nat", "shared-router", "router").set("nat", "LIST_OF_SUBNETWORKS", "sourceSubnetworkIpRangesToNat")
    (nat,) = facts(program.set("nat", [{"name": "@nodes"}], "subnetworks")).of_google(CloudNat)
    assert (nat.network, nat.every_subnet, nat.subnets) == (None, False, (program.urn("nodes"),))


def test_a_firewall_rule_that_lets_everything_in_is_told_from_others() -> None:
    program = network().add(
        gcp.FIREWALL, "all", network="@vpc", allows=[{"protocol": "tcp"}, {"protocol": "all"}], sourceRanges=["10.0.0.0/8"]
    )
    program.add(gcp.FIREWALL, "ssh", network="@vpc", allows=[{"protocol": "tcp", "ports": ["22"]}])
    assert [(rule.allows_all, rule.sources) for rule in facts(program).of_google(FirewallRule)] == [(True, ("10.0.0.0/8",)), (False, ())]


def test_a_reservation_says_what_it_holds() -> None:
    held = {"count": 2, "instanceProperties": {"machineType": "a3-megagpu-8g", "localSsds": [{}, {}]}}
    program = network().add(gcp.RESERVATION, "ours", zone=ZONE, specificReservation=held)
    (found,) = facts(program).of_google(MachineReservation)
    assert (found.machine, found.count, found.local_ssds, found.zone, found.specific) == ("a3-megagpu-8g", 2, 2, ZONE, False)


def reserved(count: Any, pools: int = 0, **pool: Any) -> Raw:
    """A reservation of A2 machines, and pools of two nodes that name it."""
    held = {"count": count, "instanceProperties": {"machineType": "a2-highgpu-8g"}}
    program = network().add(gcp.RESERVATION, "ours", zone=ZONE, specificReservationRequired=True, specificReservation=held)
    affinity = {"consumeReservationType": "SPECIFIC_RESERVATION", "key": "compute.googleapis.com/reservation-name", "values": ["@ours"]}
    for i in range(pools):
        config = {"machineType": "a2-highgpu-8g", "reservationAffinity": affinity}
        program.add(gcp.NODE_POOL, f"pool-{i}", cluster="gke", nodeLocations=[ZONE], nodeConfig=config, **{"nodeCount": 2, **pool})
    return program


def idle(program: Raw) -> list[tuple[Any, Market]]:
    """Reserved machines that no pool runs: their number and market."""
    return [(p.nodes.maximum, p.market) for p in facts(program).pools if p.name == "ours" and known(p.market)]


@pytest.mark.failure("J8")
@pytest.mark.parametrize(("count", "pools", "left"), [(5, 0, [5]), (5, 1, [3]), (5, 2, [1]), (4, 2, []), (1, 1, [])])
def test_a_reservation_bills_the_machines_that_no_pool_runs_in_it(count: int, pools: int, left: list[int]) -> None:
    assert idle(reserved(count, pools)) == [(number, Market.RESERVATION) for number in left]
    assert facts(reserved(count, pools)).lost == ()


@pytest.mark.failure("J8")
@pytest.mark.parametrize("program", [reserved(None), reserved(Unknown("count")), reserved(4, 1, nodeCount=Unknown("nodeCount"))])
def test_a_reservation_of_which_the_rest_cannot_be_told_has_no_upper_bound(program: Raw) -> None:
    ((left, _),) = idle(program)
    assert isinstance(left, Unknown)
    assert [f.status for f in said(evaluate(program.built(), SETTINGS), "GPU-COST-03") if f.urn == program.urn("ours")] == [Status.UNKNOWN]


def test_gpus_that_are_reserved_beside_their_machine_are_counted() -> None:
    properties = {"machineType": "n1-standard-8", "guestAccelerators": [{"acceleratorType": "nvidia-tesla-t4", "acceleratorCount": 1}]}
    program = network().add(gcp.RESERVATION, "ours", zone=ZONE, specificReservation={"count": 1, "instanceProperties": properties})
    (found,) = facts(program).pools
    assert isinstance(found, GpuPool)
    assert known(found.attached)
    assert [(entry.kind, entry.count) for entry in found.attached] == [("nvidia-tesla-t4", 1)]


def test_disks_and_file_systems_have_a_size_a_kind_and_a_place() -> None:
    program = network().add(gcp.DISK, "disk", zone=ZONE, size=500, type="zones/us-central1-a/diskTypes/hyperdisk-ml")
    program.add(gcp.REGION_DISK, "twice", region="us-central1", size=10, type="pd-ssd", replicaZones=[])
    program.add(gcp.FILESTORE, "files", location=ZONE, tier="ZONAL", fileShares={"capacityGb": 1024, "name": "share"})
    program.add(gcp.LUSTRE, "lustre", location=ZONE, capacityGib="18000", perUnitStorageThroughput="125")
    program.add(gcp.PARALLELSTORE, "daos", location=ZONE, capacityGib="12000")
    found = facts(program)
    assert [(d.kind, d.gib, d.region) for d in found.disks] == [
        ("hyperdisk-ml", 500, "us-central1"),
        ("pd-ssd-regional", 10, "us-central1"),
    ]
    assert [(s.tier, s.gib, s.region) for s in found.file_systems] == [
        ("filestore/zonal", 1024, "us-central1"),
        ("managed_lustre/125_mbps_per_tib", 18000, "us-central1"),
        ("parallelstore/capacity", 12000, "us-central1"),
    ]


def test_a_disk_without_type_or_size_is_unknown() -> None:
    (disk,) = facts(network().add(gcp.DISK, "disk", zone=ZONE, snapshot="s")).disks
    assert isinstance(disk.kind, Unknown)
    assert isinstance(disk.gib, Unknown)


def test_a_bucket_lies_where_it_says() -> None:
    assert [b.region for b in facts(network().add(gcp.BUCKET, "data", location="US-CENTRAL1")).buckets] == ["us-central1"]
    assert [isinstance(b.region, Unknown) for b in facts(network().add(gcp.BUCKET, "data")).buckets] == [True]


@pytest.mark.parametrize("path", [("allows",), ("allows", 0, "protocol"), ("allows", 0, "ports"), ("direction",)])
def test_a_firewall_rule_that_cannot_be_read_allows_nothing_for_certain(path: tuple[str | int, ...]) -> None:
    program = network().add(gcp.FIREWALL, "all", network="@vpc", allows=[{"protocol": "all", "ports": []}]).hide("all", *path)
    assert [isinstance(rule.allows_all, Unknown) for rule in facts(program).of_google(FirewallRule)] == [True]


@pytest.mark.parametrize("path", [("disks",), ("disks", 0, "diskSizeGb"), ("disks", 2)])
def test_template_disks_of_unknown_size_are_unknown(path: tuple[str | int, ...]) -> None:
    assert isinstance(alone(group().hide("template", *path)).root_disk_gib, Unknown)


@pytest.mark.parametrize("key", ["type", "topology"])
def test_a_slice_of_unknown_shape_is_unknown(key: str) -> None:
    shape = {"type": "V5P", "topology": "2x2x2"} | {key: Unknown(key)}
    found = alone(network().add(gcp.TPU_VM, "tpu", zone=ZONE, acceleratorConfig=shape))
    assert known(found.machines)
    assert isinstance(found.machines[0], Unknown)


def test_a_template_without_a_machine_names_none() -> None:
    program = template(machineType=None)
    assert facts(program).machine_choices == ()


def test_zones_of_a_group_that_are_not_known_are_unknown() -> None:
    assert isinstance(alone(group(gcp.REGION_GROUP, distributionPolicyZones=Unknown("zones"))).zones, Unknown)
    assert isinstance(alone(group(zone=Unknown("zone"))).region, Unknown)


def test_a_providers_region_counts_alone_where_the_resource_has_one() -> None:
    program = network().add(gcp.PROVIDER, "elsewhere", project="p").add(gcp.INSTANCE, "vm", machineType="g2-standard-8")
    program.written["vm"].provider = "elsewhere"
    assert isinstance(alone(program).region, Unknown)


def test_a_regional_group_of_gpu_machines_is_told_to_balance_its_zones() -> None:
    template = {"machineType": "a2-highgpu-1g", "region": "us-central1"}
    program = network().add(gcp.INSTANCE_TEMPLATE, "template", **template)
    program.add(
        gcp.REGION_GROUP,
        "group",
        region="us-central1",
        versions=[{"instanceTemplate": "@template"}],
        distributionPolicyZones=[ZONE, "us-central1-b"],
        targetSize=2,
    )
    (finding,) = said(evaluate(program.built(), SETTINGS), "GPU-ZONE-03")
    assert finding.path == "distributionPolicyZones"
    assert "instanceRedistributionType" in finding.message
