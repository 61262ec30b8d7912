"""What the Azure readers make of raw resources: every spelling, sizes, surge, markets, references, places."""

from __future__ import annotations

from typing import Any

import pytest

from components.costing import cost
from components.demand import demand
from components.inventory import AksCluster, AksPool, GpuPool, Inventory, Market, NodePool, Owner
from components.resource import Secret
from components.unknown import Unknown, known
from policies.readers import READERS, inventory, types
from policies.readers import azure_types as azure
from policies.readers.types import is_read
from tests.policies.azure_raw import CLUSTER, POOL, SPOT_KEY, inference, infiniband, system
from tests.policies.raw import NOW, Raw


def facts(program: Raw) -> Inventory:
    return inventory(program.built())


def pool(program: Raw, name: str) -> NodePool:
    (found,) = (p for p in facts(program).pools if p.name == name)
    return found


def own(program: Raw, name: str) -> AksPool:
    (found,) = (p for p in facts(program).azure.pools if p.name == name)
    return found


def cluster(program: Raw) -> AksCluster:
    (found,) = facts(program).azure.clusters
    return found


# --- spelling


@pytest.mark.parametrize(
    "token",
    [
        "azure-native:containerservice:AgentPool",
        "azure-native:containerservice/v20230401:AgentPool",
        "azure-native:containerservice/v20260101preview:AgentPool",
        "azure-native_containerservice_v20250801:containerservice:AgentPool",
    ],
)
def test_an_agent_pool_is_read_in_every_api_version(token: str) -> None:
    program = infiniband()
    program.written["h100"].type = token
    found = pool(program, "h100")
    assert (found.machines, found.region) == (("Standard_ND96isr_H100_v5",), "eastus")
    assert facts(program).lost == ()


def test_a_cluster_of_another_api_version_is_still_the_pools_cluster() -> None:
    program = infiniband()
    program.written["aks"].type = "azure-native:containerservice/v20230901:ManagedCluster"
    assert pool(program, "h100").cluster == program.urn("aks")


def test_every_type_with_a_reader_is_kept_by_the_pack() -> None:
    assert set(READERS) <= types.READ
    assert is_read(POOL)
    assert not is_read("azure-native:compute:SshPublicKey")


def test_the_classic_providers_pools_are_read_in_its_words() -> None:
    program = Raw()
    program.add(
        "azure:containerservice/kubernetesCluster:KubernetesCluster",
        "aks",
        location="West Europe",
        skuTier="Standard",
        defaultNodePool={"name": "system", "vmSize": "Standard_D4s_v5", "nodeCount": 2},
        identity={"type": "UserAssigned", "identityIds": ["/subscriptions/s/id"]},
    )
    program.add(
        "azure:containerservice/kubernetesClusterNodePool:KubernetesClusterNodePool",
        "gpu",
        kubernetesClusterId="@aks",
        vmSize="Standard_NC24ads_A100_v4",
        autoScalingEnabled=True,
        minCount=1,
        maxCount=3,
        priority="Spot",
        zones=["2"],
    )
    gpu, first = pool(program, "gpu"), pool(program, "default")
    assert (gpu.region, gpu.market, gpu.nodes.maximum, gpu.zones, gpu.cluster) == ("westeurope", Market.SPOT, 3, ("2",), program.urn("aks"))
    assert (first.machines, first.nodes.maximum) == (("Standard_D4s_v5",), 2)
    assert facts(program).control_planes[0].tier == "Standard"


# --- places


@pytest.mark.parametrize("written", ["East US", "eastus", "EastUS"])
def test_a_region_is_one_however_it_is_written(written: str) -> None:
    assert pool(infiniband().set("group", written, "location"), "h100").region == "eastus"


def test_a_region_comes_from_resource_provider_settings_or_group_in_this_order() -> None:
    program = infiniband()
    program.config["azure-native:location"] = "westus3"
    assert pool(program, "h100").region == "westus3"
    program.add("pulumi:providers:azure-native", "chosen", location="North Europe")
    program.written["aks"].provider = "chosen"
    assert pool(program, "h100").region == "northeurope"
    assert pool(program.set("aks", "Sweden Central", "location"), "h100").region == "swedencentral"


def test_the_region_of_a_cluster_that_is_made_elsewhere_is_unknown() -> None:
    region = pool(infiniband().set("h100", "their-cluster", "resourceName"), "h100").region
    assert isinstance(region, Unknown)
    assert region.reason == "that of the cluster their-cluster, outside this program"


# --- who is meant


def test_a_cluster_is_found_by_its_name_too() -> None:
    program = infiniband().set("aks", "Research", "resourceName").set("h100", "research", "resourceName")
    assert pool(program, "h100").cluster == program.urn("aks")


def test_a_planned_reservation_group_is_found_by_its_arm_id_in_any_case() -> None:
    arm = "/subscriptions/s/resourcegroups/G/providers/Microsoft.Compute/capacityReservationGroups/CRG-1"
    program = infiniband().set("crg", "crg-1", "capacityReservationGroupName").set("h100", arm, "capacityReservationGroupID")
    assert own(program, "h100").capacity_group == program.urn("crg")


def test_an_existing_group_keeps_its_id() -> None:
    arm = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/capacityReservationGroups/theirs"
    found = pool(infiniband().set("h100", arm, "capacityReservationGroupID"), "h100")
    assert (found.reservation, found.market) == (arm, Market.RESERVATION)


def test_a_group_that_is_a_secret_leaves_the_market_unknown() -> None:
    found = pool(infiniband().set("h100", Secret("id"), "capacityReservationGroupID"), "h100")
    assert isinstance(found.market, Unknown)


# --- inline pools


def test_pools_inside_the_cluster_are_told_apart_by_their_names_and_paths() -> None:
    gpu = {"name": "gpu", "mode": "User", "vmSize": "standard_nc24ads_a100_v4", "count": 3}
    program = inference().set("aks", [system(), gpu], "agentPoolProfiles")
    found = pool(program, "gpu")
    assert isinstance(found, GpuPool)
    assert (found.machines, found.nodes.maximum) == (("Standard_NC24ads_A100_v4",), 3)
    assert found.paths["machines"] == "agentPoolProfiles[1].vmSize"
    assert own(program, "gpu").inline


def test_a_list_of_pools_that_is_not_known_may_hold_anything() -> None:
    found = pool(inference().hide("aks", "agentPoolProfiles"), "agentPoolProfiles")
    assert isinstance(found, GpuPool)
    assert isinstance(found.nodes.maximum, Unknown)


# --- sizes


@pytest.mark.parametrize(
    ("settings", "minimum", "desired", "maximum"),
    [
        ({"count": 3}, 3, 3, 3),
        ({}, 1, 1, 1),
        ({"count": 2.0, "enableAutoScaling": False, "minCount": 7, "maxCount": 9}, 2, 2, 2),
        ({"enableAutoScaling": True, "minCount": 0, "maxCount": 4, "count": 0}, 0, 0, 4),
        ({"enableAutoScaling": True, "minCount": 2, "maxCount": 4}, 2, 2, 4),
        ({"enableAutoScaling": True, "minCount": 0, "maxCount": 4}, 0, 1, 4),
    ],
)
def test_nodes_are_counted_by_the_autoscaler_or_by_the_program(settings: dict[str, Any], minimum: int, desired: int, maximum: int) -> None:
    program = inference()
    for key in ("enableAutoScaling", "minCount", "maxCount", "count"):
        program = program.set("a10", settings.get(key), key)
    nodes = pool(program, "a10").nodes
    assert (nodes.minimum, nodes.desired, nodes.maximum) == (minimum, desired, maximum)


@pytest.mark.parametrize(("written", "surge"), [(None, 1), ("1", 1), (2, 2), ("33%", 2), ("100%", 4), ("0", 0), ("0%", 0)])
def test_an_upgrade_adds_a_number_or_a_share_rounded_up_and_a_tenth_by_default(written: str | int | None, surge: int) -> None:
    assert pool(infiniband().set("h100", {} if written is None else {"maxSurge": written}, "upgradeSettings"), "h100").nodes.surge == surge


def test_spot_pools_add_no_node() -> None:
    assert pool(inference(), "a10").nodes.surge == 0


@pytest.mark.parametrize("written", ["many", "-1", "33 percent", {"nodes": 1}])
def test_a_surge_that_says_nothing_is_unknown(written: object) -> None:
    surge = pool(infiniband().set("h100", {"maxSurge": written}, "upgradeSettings"), "h100").nodes.surge
    assert isinstance(surge, Unknown)
    assert surge.path == "upgradeSettings.maxSurge"


@pytest.mark.parametrize("key", ["vmSize", "maxCount", "scaleSetPriority", "enableAutoScaling"])
def test_what_is_not_known_stays_unknown_with_its_path(key: str) -> None:
    found = pool(inference().hide("a10", key), "a10")
    told = [found.machines, found.market, found.nodes.maximum, *(found.machines if known(found.machines) else ())]
    assert key in {fact.path for fact in told if isinstance(fact, Unknown)}


def test_a_pool_of_mixed_sizes_counts_each() -> None:
    program = inference().set("a10", None, "vmSize")
    manual = [{"size": "Standard_NC4as_T4_v3", "count": 2}, {"size": "Standard_NC8as_T4_v3", "count": 3}]
    found = pool(program.set("a10", {"scale": {"manual": manual}}, "virtualMachinesProfile"), "a10")
    assert found.machines == ("Standard_NC4as_T4_v3", "Standard_NC8as_T4_v3")
    assert found.nodes.maximum == 5


# --- who drives the GPUs


@pytest.mark.parametrize(
    ("profile", "owners"),
    [
        (None, (Owner.CLOUD,)),
        ({"driver": "Install"}, (Owner.CLOUD,)),
        ({"driver": "None"}, ()),
        ({"driver": "None", "nvidia": {"managementMode": "Managed"}}, (Owner.CLOUD,)),
    ],
)
def test_aks_drives_the_gpus_unless_it_is_told_not_to(profile: dict[str, Any] | None, owners: tuple[Owner, ...]) -> None:
    found = pool(inference().set("a10", profile, "gpuProfile"), "a10")
    assert (found.driver_owners, found.toolkit_owners) == (owners, owners)


def test_a_driver_setting_that_is_not_known_leaves_the_owner_unknown() -> None:
    assert isinstance(pool(inference().set("a10", {"driver": Unknown("d")}, "gpuProfile"), "a10").driver_owners, Unknown)


def test_spot_nodes_carry_the_taint_of_aks_beside_their_own() -> None:
    found = pool(inference().set("a10", ["sku=gpu:NoSchedule"], "nodeTaints"), "a10")
    assert found.taints == ("sku=gpu:NoSchedule", f"{SPOT_KEY}=spot:NoSchedule")


# --- machines and scale sets


def machine(**inputs: Any) -> Raw:
    return Raw().add("azure-native:compute/v20240301:VirtualMachine", "box", location="eastus", **inputs)


def test_a_virtual_machine_is_a_pool_of_one() -> None:
    found = pool(machine(hardwareProfile={"vmSize": "Standard_NC4as_T4_v3"}, priority="Spot", zones=["1"]), "box")
    assert (found.machines, found.market, found.nodes.maximum, found.zones) == (("Standard_NC4as_T4_v3",), Market.SPOT, 1, ("1",))


def scale_set(**inputs: Any) -> Raw:
    profile = {
        "priority": "Regular",
        "storageProfile": {"osDisk": {"diskSizeGB": 128, "managedDisk": {"storageAccountType": "Premium_LRS"}}},
    }
    written = {"sku": {"name": "Standard_NC24ads_A100_v4", "capacity": 3}, "virtualMachineProfile": profile, **inputs}
    return Raw().add("azure-native:compute:VirtualMachineScaleSet", "set", location="East US 2", **written)


def test_a_scale_set_has_its_capacity_and_its_disks() -> None:
    found = pool(scale_set(), "set")
    assert (found.region, found.nodes.maximum, found.market) == ("eastus2", 3, Market.ON_DEMAND)
    assert (found.root_disk_gib, found.root_disk_kind) == (128, "Premium_LRS")


def test_an_autoscale_setting_of_the_program_bounds_a_scale_set() -> None:
    profiles = [
        {"capacity": {"minimum": "0", "maximum": "8", "default": "1"}},
        {"capacity": {"minimum": "1", "maximum": "5", "default": "1"}},
    ]
    program = scale_set().add("azure-native:insights/v20221001:AutoscaleSetting", "scaler", targetResourceUri="@set", profiles=profiles)
    nodes = pool(program, "set").nodes
    assert (nodes.minimum, nodes.desired, nodes.maximum) == (0, 3, 8)
    assert isinstance(pool(program.hide("scaler", "profiles"), "set").nodes.maximum, Unknown)


def test_a_scale_set_of_several_sizes_may_start_each() -> None:
    program = scale_set(skuProfile={"vmSizes": [{"name": "Standard_NC4as_T4_v3"}, {"name": "Standard_NC8as_T4_v3"}]})
    assert pool(program, "set").machines == ("Standard_NC4as_T4_v3", "Standard_NC8as_T4_v3")


def test_a_flexible_scale_set_that_only_gathers_machines_starts_none() -> None:
    program = Raw().add("azure-native:compute:VirtualMachineScaleSet", "set", orchestrationMode="Flexible")
    assert facts(program).pools == ()


# --- reservations


def test_reserved_machines_bill_beside_those_that_pools_run_in_them() -> None:
    unused = pool(infiniband(), "reserved")
    assert (unused.nodes.desired, unused.nodes.maximum, unused.market) == (4, 1, Market.RESERVATION)
    lines = {line.name: line for line in cost(facts(infiniband()), now=NOW).lines if "ND96isr_H100" in line.what}
    assert lines["h100"].maximum == 4
    assert lines["reserved"].maximum == 1


def test_a_reservation_that_no_pool_uses_bills_as_a_whole() -> None:
    program = infiniband().set("h100", None, "capacityReservationGroupID")
    assert pool(program, "reserved").nodes.maximum == 5


def test_a_pool_whose_size_is_not_known_leaves_the_rest_unknown() -> None:
    assert isinstance(pool(infiniband().hide("h100", "maxCount"), "reserved").nodes.maximum, Unknown)


# --- the rest


def test_services_around_the_cluster_are_counted() -> None:
    program = inference()
    program.add("azure-native:network:PublicIPAddress", "ip", resourceGroupName="@group").add(
        "azure-native:network:PublicIPAddress", "six", publicIPAddressVersion="IPv6"
    )
    program.add("azure-native:compute:Disk", "scratch", location="eastus", sku={"name": "Premium_LRS"}, diskSizeGB=256)
    program.add(azure.PRIVATE_ENDPOINT, "link", location="eastus", privateLinkServiceConnections=[{"groupIds": ["Blob"]}])
    found = facts(program)
    assert (len(found.nats), len(found.addresses), len(found.endpoints), len(found.control_planes)) == (1, 1, 1, 1)
    assert [(d.kind, d.gib, d.region) for d in found.disks] == [("Premium_LRS", 256.0, "eastus")]
    assert found.azure.links[0].services == frozenset({"blob"})


def test_a_nat_gateway_that_aks_makes_is_billed_too() -> None:
    program = inference().set("aks", "managedNATGateway", "networkProfile", "outboundType")
    assert [nat.urn for nat in facts(program).nats] == [program.urn("nat"), program.urn("aks")]


def test_containers_stand_for_their_account() -> None:
    program = Raw().add(azure.STORAGE_ACCOUNT, "account", location="West US 3")
    assert [bucket.region for bucket in facts(program).buckets] == ["westus3"]
    program.add("azure-native:storage/v20230101:BlobContainer", "checkpoints", accountName="@account")
    assert [(b.urn, b.region) for b in facts(program).buckets] == [(program.urn("checkpoints"), "westus3")]


def test_a_lustre_file_system_has_the_row_of_its_tier() -> None:
    program = Raw().add(azure.LUSTRE, "scratch", location="eastus", sku={"name": "AMLFS-Durable-Premium-125"}, storageCapacityTiB=16)
    (system_,) = facts(program).file_systems
    assert (system_.tier, system_.gib) == ("azure_managed_lustre/amlfs_durable_premium_125", 16384)


def test_a_cluster_tells_who_may_reach_it() -> None:
    found = cluster(inference())
    assert (found.identity, found.local_accounts, found.private, found.authorized_ranges) == (
        "UserAssigned",
        False,
        False,
        ("203.0.113.0/24",),
    )
    assert found.identities == (inference().urn("identity"),)


def test_node_auto_provisioning_has_no_bound() -> None:
    found = facts(inference().set("aks", {"mode": "Auto"}, "nodeProvisioningProfile")).lost
    assert [lost.reason for lost in found] == ["with node auto-provisioning, which starts machines without an upper bound in the program"]


def test_subnets_inside_their_network_are_read() -> None:
    program = Raw().add(
        azure.NETWORK, "net", subnets=[{"name": "nodes", "natGateway": {"id": "x"}, "serviceEndpoints": ["Microsoft.Storage"]}]
    )
    (subnet,) = facts(program).azure.subnets
    assert (subnet.name, subnet.nat, subnet.service_endpoints) == ("nodes", True, frozenset({"Microsoft.Storage"}))


@pytest.mark.failure("E8")
def test_family_region_and_spot_are_counted_apart() -> None:
    spot = {d.code: d.need for d in demand(facts(inference()))}
    assert spot["lowPriorityCores"] == 8 * 36
    assert "StandardNVADSA10v5Family" not in spot
    regular = {d.code: d.need for d in demand(facts(infiniband()))}
    assert regular["standardNDSH100v5Family"] == (4 + 1 + 1) * 96
    assert regular["cores"] == (4 + 1 + 1) * 96 + (2 + 1) * 4


def test_the_pack_reads_a_versioned_type() -> None:
    assert CLUSTER not in types.READ
    assert is_read(CLUSTER)


# --- what cannot be read


def test_labels_are_kept_and_what_is_no_object_is_unknown() -> None:
    labelled = pool(inference().set("a10", {"team": "research", "empty": ""}, "nodeLabels"), "a10").labels
    assert known(labelled)
    assert (labelled["team"], str(labelled["empty"])) == ("research", "unknown: nodeLabels.empty is empty")
    assert isinstance(pool(inference().set("a10", ["team"], "nodeLabels"), "a10").labels, Unknown)


@pytest.mark.parametrize("taints", ["all", Unknown("t"), ["a=b:NoSchedule", Unknown("t")]])
def test_taints_that_cannot_be_read_are_unknown(taints: object) -> None:
    assert isinstance(pool(inference().set("a10", taints, "nodeTaints"), "a10").taints, Unknown)


def test_taints_of_a_pool_that_may_be_spot_are_unknown() -> None:
    assert isinstance(pool(inference().hide("a10", "scaleSetPriority"), "a10").taints, Unknown)


def test_a_priority_that_azure_does_not_have_is_unknown() -> None:
    market = pool(inference().set("a10", "Cheap", "scaleSetPriority"), "a10").market
    assert str(market) == "unknown: scaleSetPriority is 'Cheap', which is neither Regular nor Spot"


def test_a_windows_pool_has_the_image_of_its_system() -> None:
    image = pool(inference().set("a10", "Windows", "osType"), "a10").image
    assert image is not None
    assert image.kind == "Windows"


@pytest.mark.parametrize("part", ["size", "count"])
def test_a_mixed_pool_with_a_hidden_part_is_unknown(part: str) -> None:
    entry = {"size": "Standard_NC4as_T4_v3", "count": 2, part: Unknown(part)}
    found = pool(inference().set("a10", {"scale": {"manual": [entry]}}, "virtualMachinesProfile"), "a10")
    told = found.nodes.maximum if part == "count" else found.machines[0] if known(found.machines) else None
    assert isinstance(told, Unknown)


def test_a_mixed_pool_whose_list_is_hidden_is_unknown() -> None:
    found = pool(inference().set("a10", {"scale": {"manual": Unknown("m")}}, "virtualMachinesProfile"), "a10")
    assert isinstance(found.machines, Unknown)
    assert isinstance(found.nodes.maximum, Unknown)


@pytest.mark.parametrize(
    ("changes", "fact"),
    [
        ({"sku": {"name": Unknown("n"), "capacity": 1}}, "machines"),
        ({"skuProfile": {"vmSizes": Unknown("v")}}, "machines"),
        ({"virtualMachineProfile": {"priority": Unknown("p")}}, "market"),
        ({"virtualMachineProfile": {"priority": "Cheap"}}, "market"),
        ({"zones": Unknown("z")}, "zones"),
    ],
)
def test_a_scale_set_with_a_hidden_part_is_unknown_there(changes: dict[str, Any], fact: str) -> None:
    found = getattr(pool(scale_set(**changes), "set"), fact)
    assert isinstance(found, Unknown) or any(isinstance(entry, Unknown) for entry in found)


def test_a_scale_set_in_reserved_capacity_is_bought_so() -> None:
    group = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/capacityReservationGroups/theirs"
    profile = {"capacityReservation": {"capacityReservationGroup": {"id": group}}}
    assert pool(scale_set(virtualMachineProfile=profile), "set").market is Market.RESERVATION


@pytest.mark.parametrize("limit", [{"minimum": "0"}, {"maximum": "4"}, {}])
def test_an_autoscale_setting_without_limits_bounds_nothing(limit: dict[str, str]) -> None:
    program = scale_set().add(azure.AUTOSCALE, "scaler", targetResourceUri="@set", profiles=[{"capacity": limit}])
    assert isinstance(pool(program, "set").nodes.maximum, Unknown)


@pytest.mark.parametrize("links", [Unknown("l"), [{"groupIds": Unknown("g")}]])
def test_an_endpoint_that_is_hidden_leads_nobody_knows_where(links: object) -> None:
    program = Raw().add(azure.PRIVATE_ENDPOINT, "link", location="eastus", privateLinkServiceConnections=links)
    assert isinstance(facts(program).azure.links[0].services, Unknown)


@pytest.mark.parametrize("ranges", [Unknown("r"), "203.0.113.0/24"])
def test_address_ranges_that_cannot_be_read_are_unknown(ranges: object) -> None:
    assert isinstance(cluster(inference().set("aks", {"authorizedIPRanges": ranges}, "apiServerAccessProfile")).authorized_ranges, Unknown)


@pytest.mark.parametrize("written", [Unknown("i"), Secret("i"), 7])
def test_identities_that_cannot_be_read_are_unknown(written: object) -> None:
    (found,) = cluster(inference().set("aks", {"type": "UserAssigned", "userAssignedIdentities": written}, "identity")).identities
    assert isinstance(found, Unknown)


def test_identities_are_the_keys_of_an_object_too() -> None:
    arm = "/subscriptions/s/resourceGroups/g/providers/Microsoft.ManagedIdentity/userAssignedIdentities/theirs"
    assert cluster(inference().set("aks", {"userAssignedIdentities": {arm: {}}}, "identity")).identities == (arm,)


def test_objects_that_nest_without_end_hold_no_container() -> None:
    node: Any = {"containers": [{"resources": {"limits": {"rdma/ib": 1}}}]}
    for _ in range(40):
        node = {"below": node}
    assert facts(Raw().add("kubernetes:core/v1:Pod", "deep", spec=node)).azure.rdma == ()
