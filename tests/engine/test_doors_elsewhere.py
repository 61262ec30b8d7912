"""Raw GKE and AKS programs of other teams through the doors of test_three_doors: the same findings in the same words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.engine.checkout import Checkout
from scripts.engine.locate import Engine
from scripts.sandbox.client import World
from tests.engine.raw_program import InTheEngine, project_of, through_the_program

pytestmark = [pytest.mark.engine, pytest.mark.long]

GKE = """
import json, pulumi, pulumi_kubernetes as kubernetes
from pulumi_gcp import compute, container

broken = pulumi.Config().require_bool("broken")
net = compute.Network("net", auto_create_subnetworks=False)
nodes = compute.Subnetwork("nodes", network=net.id, ip_cidr_range="10.0.0.0/20", region="us-central1", private_ip_google_access=True)
router = compute.Router("router", network=net.id, region="us-central1")
compute.RouterNat("nat", router=router.name, region="us-central1", nat_ip_allocate_option="AUTO_ONLY",
    source_subnetwork_ip_ranges_to_nat="ALL_SUBNETWORKS_ALL_IP_RANGES")
owned = {"owner": "research"}
cluster = container.Cluster("train", location="us-central1", network=net.id, subnetwork=nodes.id, ip_allocation_policy={"stack_type": "IPV4"},
    datapath_provider="ADVANCED_DATAPATH", enable_multi_networking=True, private_cluster_config={"enable_private_nodes": True},
    master_authorized_networks_config={"cidr_blocks": [{"cidr_block": "203.0.113.0/24"}]},
    remove_default_node_pool=True, initial_node_count=1, deletion_protection=False, release_channel={"channel": "REGULAR"},
    resource_labels={"owner": "research", "expires": "2099-12-31"}, secret_manager_config={"enabled": True},
    workload_identity_config={"workload_pool": "research.svc.id.goog"},
    maintenance_policy={"maintenance_exclusions": [{"exclusion_name": "runs", "start_time": "2026-11-01T00:00:00Z",
        "end_time": "2027-04-01T00:00:00Z", "exclusion_options": {"scope": "NO_MINOR_OR_NODE_UPGRADES"}}]})
here = ["us-central1-a"]
the_autoscalers = pulumi.ResourceOptions(ignore_changes=["initialNodeCount", "nodeCount"])
container.NodePool("system", cluster=cluster.id, location="us-central1", node_locations=here, opts=the_autoscalers,
    autoscaling={"total_min_node_count": 2, "total_max_node_count": 4},
    node_config={"machine_type": "e2-standard-4", "disk_size_gb": 100, "resource_labels": owned})
extra = []
for i in range(3 if broken else 8):
    own = compute.Network(f"gpu-{i}", auto_create_subnetworks=False, mtu=1460 if broken else 8244)
    part = compute.Subnetwork(f"gpu-{i}", network=own.id, ip_cidr_range=f"10.{64 + i}.0.0/20", region="us-central1")
    compute.Firewall(f"gpu-{i}", network=own.id, source_ranges=["10.0.0.0/8"], allows=[{"protocol": "all"}])
    extra.append({"network": own.name, "subnetwork": part.name})
workers = container.NodePool("h100", cluster=cluster.id, location="us-central1", node_locations=here, opts=the_autoscalers,
    autoscaling={"total_min_node_count": 0, "total_max_node_count": 40 if broken else 2, "location_policy": "ANY"},
    management={"auto_repair": True, "auto_upgrade": True}, network_config={"additional_node_network_configs": extra},
    upgrade_settings={"max_surge": 0, "max_unavailable": 1},
    node_config={"machine_type": "a3-megagpu-8g", "spot": True, "disk_size_gb": 500, "gvnic": {"enabled": not broken}, "resource_labels": owned,
        "workload_metadata_config": {"mode": "GKE_METADATA"},
        "guest_accelerators": [{"type": "nvidia-h100-80gb" if broken else "nvidia-h100-mega-80gb", "count": 8,
            "gpu_driver_installation_config": {"gpu_driver_version": "LATEST"}}],
        "taints": [{"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}]})
def config(endpoint):
    server = endpoint if "://" in endpoint else f"https://{endpoint}"
    return json.dumps({"apiVersion": "v1", "kind": "Config", "current-context": "c", "users": [{"name": "u", "user": {}}],
        "clusters": [{"name": "c", "cluster": {"server": server}}], "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]})
inside = kubernetes.Provider("inside", kubeconfig=pulumi.Output.secret(cluster.endpoint.apply(config)), cluster_identifier=cluster.endpoint)
def thing(kind, name, spec):
    kubernetes.apiextensions.CustomResource(f"{kind}-{name}".lower(), api_version="networking.gke.io/v1", kind=kind, metadata={"name": name},
        spec=spec, opts=pulumi.ResourceOptions(provider=inside, depends_on=[workers], deleted_with=cluster))
for i, entry in enumerate(extra):
    thing("GKENetworkParamSet", f"nic-{i}", {"vpc": entry["network"], "vpcSubnet": entry["subnetwork"], "deviceMode": "NetDevice"})
    reference = {"group": "networking.gke.io", "kind": "GKENetworkParamSet", "name": f"nic-{i}"}
    thing("Network", f"nic-{i}", {"type": "Device", "parametersRef": reference})
pulumi.export("endpoint", cluster.endpoint)
"""

AKS = """
import pulumi
from pulumi_azure_native import authorization, containerservice, managedidentity, network, resources

broken = pulumi.Config().require_bool("broken")
owned = {"owner": "research"}
group = resources.ResourceGroup("train", location="eastus", tags={"owner": "research", "expires": "2099-12-31"})
where = {"resource_group_name": group.name, "location": group.location}
address = network.PublicIPAddress("out", sku={"name": "Standard"}, public_ip_allocation_method="Static", **where)
nat = network.NatGateway("nat", sku={"name": "Standard"}, public_ip_addresses=[{"id": address.id}], **where)
net = network.VirtualNetwork("net", address_space={"address_prefixes": ["10.64.0.0/16"]}, **where)
nodes = network.Subnet("nodes", resource_group_name=group.name, virtual_network_name=net.name, address_prefix="10.64.0.0/20",
    nat_gateway={"id": nat.id}, service_endpoints=[{"service": "Microsoft.Storage"}])
identity = managedidentity.UserAssignedIdentity("aks", **where)
given = authorization.RoleAssignment("contributor", scope=group.id, principal_id=identity.principal_id, principal_type="ServicePrincipal",
    role_definition_id="/providers/Microsoft.Authorization/roleDefinitions/b24988ac-6180-42a0-ab88-20f7382dd24c")
cluster = containerservice.ManagedCluster("train", kubernetes_version="1.34", sku={"name": "Base", "tier": "Free" if broken else "Standard"},
    identity={"type": "UserAssigned", "user_assigned_identities": [identity.id]}, disable_local_accounts=True, enable_rbac=True,
    aad_profile={"managed": True, "enable_azure_rbac": True}, dns_prefix="train",
    api_server_access_profile={} if broken else {"authorized_ip_ranges": ["203.0.113.0/24"]},
    node_resource_group_profile={"restriction_level": "ReadOnly"}, tags={"owner": "research", "expires": "2099-12-31"},
    network_profile={"network_plugin": "azure", "network_plugin_mode": "overlay", "outbound_type": "userAssignedNATGateway"},
    agent_pool_profiles=[{"name": "system", "mode": "System", "vm_size": "Standard_D4s_v5", "count": 2, "os_disk_size_gb": 128,
        "os_type": "Linux", "vnet_subnet_id": nodes.id, "type": "VirtualMachineScaleSets", "tags": owned}],
    opts=pulumi.ResourceOptions(depends_on=[given], ignore_changes=["agentPoolProfiles"]), **where)
containerservice.AgentPool("a100", agent_pool_name="gpu-pool" if broken else "a100", resource_group_name=group.name, resource_name_=cluster.name,
    vm_size="Standard_NC24ads_A100_v4", mode="User", enable_auto_scaling=True, min_count=0, max_count=90 if broken else 2, count=0,
    scale_set_priority="Spot", scale_set_eviction_policy="Delete", spot_max_price=-1, os_disk_size_gb=256, os_disk_type="Managed",
    vnet_subnet_id=nodes.id, tags=owned, opts=pulumi.ResourceOptions(ignore_changes=["count"]),
    **({"node_taints": ["nvidia.com/gpu=present:NoSchedule"], "upgrade_settings": {"max_surge": "1"}} if broken
       else {"node_taints": ["nvidia.com/gpu=present:NoSchedule", "kubernetes.azure.com/scalesetpriority=spot:NoSchedule"]}))
pulumi.export("id", cluster.id)
"""
CONFIG = {"gke": "gcp:project: research\ngcp:region: us-central1", "aks": "azure-native:location: eastus"}

WRONG = (
    {"GPU-COST-01", "GPU-GKE-01", "GPU-GKE-04", "GPU-GKE-05", "GPU-GKE-31"},
    {"GPU-AKS-03", "GPU-AKS-17", "GPU-AKS-41"},
)
"""What is broken in each, and all that is to be said of it."""


@pytest.fixture(params=["gke", "aks"])
def project(request: pytest.FixtureRequest, tmp_path: Path, engine: Engine) -> Iterator[Checkout]:
    program = {"gke": GKE, "aks": AKS}[request.param]
    config = {stack: f"{CONFIG[request.param]}\ntheirs:broken: {broken}" for stack, broken in (("bad", "true"), ("good", "false"))}
    made = project_of(tmp_path / "theirs", program, config)
    try:
        yield made
    finally:
        World.at(made.root).stop()


def test_what_is_wrong_is_said_in_the_same_words_through_all_three_doors(project: Checkout) -> None:
    offline = through_the_program(project, "bad")
    assert {rule for rule, _ in offline} - {"GPU-QUOTA-01"} in WRONG
    engine = InTheEngine(project, "bad")
    assert engine.by_the_pack() == offline
    assert engine.from_its_preview() == offline


def test_a_deployed_twin_is_silent_but_for_the_quota_that_nobody_gave(project: Checkout) -> None:
    offline = through_the_program(project, "good")
    assert {rule for rule, _ in offline} == {"GPU-QUOTA-01"}
    engine = InTheEngine(project, "good")
    assert engine.by_the_pack() == engine.from_its_preview() == offline
    engine.make()
    assert engine.by_the_pack() == engine.from_its_preview() == engine.from_its_state() == offline
