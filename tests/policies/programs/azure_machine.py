"""A program as people write them; what is to be said of it stands in test_programs_of_others."""

import pulumi_azure_native as az

rg = az.resources.ResourceGroup("vm")
net = az.network.VirtualNetwork(
    "net",
    resource_group_name=rg.name,
    address_space={"address_prefixes": ["10.0.0.0/16"]},
    subnets=[{"name": "default", "address_prefix": "10.0.1.0/24"}],
)
ip = az.network.PublicIPAddress("ip", resource_group_name=rg.name, public_ip_allocation_method="Static", sku={"name": "Standard"})
nic = az.network.NetworkInterface(
    "nic",
    resource_group_name=rg.name,
    ip_configurations=[
        {"name": "c", "subnet": {"id": net.subnets[0].id}, "private_ip_allocation_method": "Dynamic", "public_ip_address": {"id": ip.id}}
    ],
)
az.compute.VirtualMachine(
    "gpu",
    resource_group_name=rg.name,
    hardware_profile={"vm_size": "Standard_NC4as_T4_v3"},
    network_profile={"network_interfaces": [{"id": nic.id, "primary": True}]},
    os_profile={
        "computer_name": "gpu",
        "admin_username": "me",
        "linux_configuration": {
            "disable_password_authentication": True,
            "ssh": {"public_keys": [{"key_data": "ssh-rsa AAAA"}]},
        },
    },
    storage_profile={
        "image_reference": {"publisher": "microsoft-dsvm", "offer": "ubuntu-hpc", "sku": "2204", "version": "latest"},
        "os_disk": {"create_option": "FromImage", "disk_size_gb": 128, "managed_disk": {"storage_account_type": "Premium_LRS"}},
    },
    priority="Spot",
    eviction_policy="Deallocate",
    billing_profile={"max_price": -1},
)
