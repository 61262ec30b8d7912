"""A program as people write them; what is to be said of it stands in test_programs_of_others."""

import pulumi
import pulumi_azure_native as az
import pulumi_kubernetes as k8s

WHERE = "southcentralus"
rg = az.resources.ResourceGroup("train", location=WHERE, tags={"owner": "llm"})
here = {"resource_group_name": rg.name, "location": WHERE}
crg = az.compute.CapacityReservationGroup("nd", **here)
reserved = az.compute.CapacityReservation(
    "nd-h100",
    **here,
    capacity_reservation_group_name=crg.name,
    sku=az.compute.SkuArgs(name="Standard_ND96isr_H100_v5", capacity=4),
)
vnet = az.network.VirtualNetwork("v", **here, address_space={"address_prefixes": ["10.224.0.0/12"]})
nat = az.network.NatGateway("nat", **here, sku={"name": "Standard"})
subnet = az.network.Subnet(
    "nodes",
    resource_group_name=rg.name,
    virtual_network_name=vnet.name,
    address_prefix="10.224.0.0/20",
    nat_gateway={"id": nat.id},
    service_endpoints=[{"service": "Microsoft.Storage"}],
)
aks = az.containerservice.ManagedCluster(
    "aks",
    **here,
    dns_prefix="train",
    kubernetes_version="1.34",
    identity={"type": "SystemAssigned"},
    agent_pool_profiles=[{"name": "sys", "mode": "System", "count": 2, "vm_size": "Standard_DS4_v2", "vnet_subnet_id": subnet.id}],
    network_profile=az.containerservice.ContainerServiceNetworkProfileArgs(
        network_plugin="azure", network_plugin_mode="overlay", outbound_type="userAssignedNATGateway"
    ),
    disable_local_accounts=True,
    api_server_access_profile={"enable_private_cluster": True},
)
h100 = az.containerservice.AgentPool(
    "h100",
    resource_group_name=rg.name,
    resource_name_=aks.name,
    agent_pool_name="h100",
    vm_size="Standard_ND96isr_H100_v5",
    count=4,
    mode="User",
    os_sku="Ubuntu",
    os_disk_size_gb=1024,
    vnet_subnet_id=subnet.id,
    capacity_reservation_group_id=crg.id,
    upgrade_settings={"max_surge": "0", "max_unavailable": "1"},
    scale_down_mode="Delete",
    tags={"owner": "llm"},
    node_taints=["nvidia.com/gpu=true:NoSchedule"],
    opts=pulumi.ResourceOptions(depends_on=[reserved]),
)
access = az.containerservice.list_managed_cluster_user_credentials_output(resource_group_name=rg.name, resource_name=aks.name)
cluster = k8s.Provider("k", kubeconfig=pulumi.Output.secret(access.kubeconfigs[0].value), cluster_identifier=aks.id)
on_cluster = pulumi.ResourceOptions(provider=cluster, depends_on=[h100], deleted_with=aks)
nvidia = {"repo": "https://helm.ngc.nvidia.com/nvidia"}
k8s.helm.v3.Release(
    "network-operator",
    chart="network-operator",
    version="26.4.1",
    namespace="network-operator",
    create_namespace=True,
    repository_opts=nvidia,
    timeout=1200,
    atomic=True,
    cleanup_on_fail=True,
    values={"nfd": {"enabled": True, "deployNodeFeatureRules": False}, "upgradeCRDs": True},
    opts=on_cluster,
)
k8s.helm.v4.Chart(
    "gpu-operator",
    chart="gpu-operator",
    version="v25.10.1",
    namespace="gpu-operator",
    repository_opts=nvidia,
    values={"driver": {"rdma": {"enabled": True}}, "toolkit": {"env": [{"name": "RUNTIME_CONFIG_SOURCE", "value": "file"}]}},
    opts=on_cluster,
)
