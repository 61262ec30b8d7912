"""A program as people write them; what is to be said of it stands in test_programs_of_others."""

import pulumi_gcp as gcp

net = gcp.compute.Network("net")
gcp.compute.Firewall("ssh", network=net.self_link, allows=[{"protocol": "tcp", "ports": ["22"]}], source_ranges=["0.0.0.0/0"])
gcp.compute.Instance(
    "train",
    machine_type="a2-highgpu-1g",
    boot_disk={"initialize_params": {"image": "deeplearning-platform-release/common-cu124", "size": 200}},
    network_interfaces=[{"network": net.id, "access_configs": [{}]}],
    scheduling={"on_host_maintenance": "TERMINATE", "automatic_restart": True},
    labels={"owner": "ml"},
)
gcp.compute.Instance(
    "t4",
    zone="us-central1-b",
    machine_type="n1-standard-4",
    guest_accelerators=[{"type": "nvidia-tesla-t4", "count": 1}],
    boot_disk={"initialize_params": {"image": "debian-cloud/debian-12"}},
    network_interfaces=[{"network": "default"}],
    scheduling={"preemptible": True, "automatic_restart": False, "on_host_maintenance": "TERMINATE", "provisioning_model": "SPOT"},
)
b = gcp.storage.Bucket("data", location="US")
