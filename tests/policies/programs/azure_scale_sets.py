"""A program as people write them; what is to be said of it stands in test_programs_of_others."""

import pulumi_azure_native as an

rg = an.resources.ResourceGroup("hpc", location="eastus")
group = {"resource_group_name": rg.name}
ssh = {
    "name": "ssh",
    "priority": 100,
    "direction": "Inbound",
    "access": "Allow",
    "protocol": "Tcp",
    "source_address_prefix": "203.0.113.0/24",
    "source_port_range": "*",
    "destination_address_prefix": "*",
    "destination_port_range": "22",
}
nsg = an.network.NetworkSecurityGroup("nsg", **group, security_rules=[ssh])
vnet = an.network.VirtualNetwork(
    "vnet",
    **group,
    address_space={"address_prefixes": ["10.0.0.0/16"]},
    subnets=[{"name": "hpc", "address_prefix": "10.0.0.0/20", "network_security_group": {"id": nsg.id}}],
)
near = an.compute.ProximityPlacementGroup("near", **group, proximity_placement_group_type="Standard")
image = {"publisher": "microsoft-dsvm", "offer": "ubuntu-hpc", "sku": "2204", "version": "latest"}
disk = {"create_option": "FromImage", "disk_size_gb": 256, "managed_disk": {"storage_account_type": "Premium_LRS"}}
fast = {"name": "nic", "primary": True, "enable_accelerated_networking": True}
vmss = an.compute.VirtualMachineScaleSet(
    "nd",
    **group,
    sku={"name": "Standard_ND96asr_v4", "tier": "Standard", "capacity": 2},
    overprovision=False,
    upgrade_policy={"mode": "Manual"},
    proximity_placement_group={"id": near.id},
    zones=["1", "2"],
    tags={"owner": "hpc"},
    virtual_machine_profile={
        "priority": "Spot",
        "eviction_policy": "Delete",
        "billing_profile": {"max_price": -1},
        "storage_profile": {"image_reference": image, "os_disk": disk},
        "network_profile": {
            "network_interface_configurations": [
                {**fast, "ip_configurations": [{"name": "ip", "subnet": {"id": vnet.subnets[0].id}}]},
            ]
        },
    },
)
capacity = {"minimum": "0", "maximum": "4", "default": "0"}
an.monitor.AutoscaleSetting(
    "as", **group, target_resource_uri=vmss.id, enabled=True, profiles=[{"name": "p", "capacity": capacity, "rules": []}]
)
an.compute.VirtualMachineScaleSet("flex", **group, orchestration_mode="Flexible", platform_fault_domain_count=1)
crg = an.compute.CapacityReservationGroup("crg", **group, zones=["1"])
a100 = "Standard_NC24ads_A100_v4"
an.compute.CapacityReservation("cr", **group, capacity_reservation_group_name=crg.name, zones=["1"], sku={"name": a100, "capacity": 1})
nic = an.network.NetworkInterface("nic", **group, ip_configurations=[{"name": "c", "subnet": {"id": vnet.subnets[0].id}}])
an.compute.VirtualMachine(
    "dev",
    **group,
    hardware_profile={"vm_size": a100},
    zones=["1"],
    additional_capabilities={"ultra_ssd_enabled": True},
    capacity_reservation={"capacity_reservation_group": {"id": crg.id}},
    tags={"owner": "hpc"},
    network_profile={"network_interfaces": [{"id": nic.id}]},
    storage_profile={"image_reference": image, "os_disk": {**disk, "disk_size_gb": 512}},
)
an.compute.VirtualMachine("jump", **group, hardware_profile={"vm_size": "Standard_B2s"}, network_profile={"network_interfaces": []})
