"""A program as people write them; what is to be said of it stands in test_programs_of_others."""

import pulumi
import pulumi_gcp as gcp

REGION, ZONE, LABELS = "us-east4", "us-east4-b", {"owner": "llm"}
nodes_vpc = gcp.compute.Network("mega-net-0", auto_create_subnetworks=False, mtu=8244)
nodes_subnet = gcp.compute.Subnetwork(
    "mega-sub-0",
    network=nodes_vpc.id,
    region=REGION,
    ip_cidr_range="10.0.0.0/19",
    private_ip_google_access=True,
    secondary_ip_ranges=[
        {"range_name": "pods", "ip_cidr_range": "10.4.0.0/14"},
        {"range_name": "svcs", "ip_cidr_range": "10.0.32.0/20"},
    ],
)
gpu_nets = []
for i in range(9):
    net = gcp.compute.Network(f"mega-gpu-{i}", auto_create_subnetworks=False, mtu=1460 if i == 3 else 8244)
    subnet = gcp.compute.Subnetwork(f"mega-gpu-{i}", network=net.id, region=REGION, ip_cidr_range=f"10.{64 + i}.0.0/20")
    every_port = [{"protocol": protocol, "ports": ["0-65535"]} for protocol in ("tcp", "udp")]
    gcp.compute.Firewall(f"mega-gpu-{i}", network=net.name, allows=[*every_port, {"protocol": "icmp"}], source_ranges=["10.0.0.0/8"])
    gpu_nets.append((net, subnet))
cluster = gcp.container.Cluster(
    "mega",
    location=REGION,
    network=nodes_vpc.self_link,
    subnetwork=nodes_subnet.self_link,
    deletion_protection=False,
    datapath_provider="ADVANCED_DATAPATH",
    ip_allocation_policy={"cluster_secondary_range_name": "pods", "services_secondary_range_name": "svcs"},
    release_channel={"channel": "RAPID"},
    remove_default_node_pool=True,
    initial_node_count=1,
    resource_labels=LABELS,
)
gcp.container.NodePool(
    "sys",
    cluster=cluster.name,
    location=REGION,
    node_locations=[ZONE],
    node_count=3,
    node_config={"machine_type": "e2-medium", "resource_labels": LABELS},
)
reserved = {"consume_reservation_type": "SPECIFIC_RESERVATION", "key": "compute.googleapis.com/reservation-name"}
gcp.container.NodePool(
    "h100",
    cluster=cluster.name,
    location=REGION,
    node_locations=[ZONE],
    node_count=4,
    management={"auto_repair": True, "auto_upgrade": False},
    upgrade_settings={"max_surge": 0, "max_unavailable": 1},
    node_config={
        "machine_type": "a3-megagpu-8g",
        "gvnic": {"enabled": True},
        "disk_size_gb": 500,
        "guest_accelerators": [
            {"type": "nvidia-h100-mega-80gb", "count": 8, "gpu_driver_installation_config": {"gpu_driver_version": "LATEST"}}
        ],
        "resource_labels": LABELS,
        "reservation_affinity": {**reserved, "values": ["projects/res-owner/reservations/h100-block"]},
    },
    network_config={"additional_node_network_configs": [{"network": n.name, "subnetwork": s.name} for n, s in gpu_nets]},
    opts=pulumi.ResourceOptions(depends_on=[net for net, _ in gpu_nets]),
)
