"""A program as people write them; what is to be said of it stands in test_programs_of_others."""

import base64

import pulumi
import pulumi_azure_native as az
import pulumi_kubernetes as k8s

rg = az.resources.ResourceGroup("ml")
aks = az.containerservice.ManagedCluster(
    "aks",
    resource_group_name=rg.name,
    dns_prefix="ml",
    kubernetes_version="1.34",
    enable_rbac=True,
    identity={"type": az.containerservice.ResourceIdentityType.SYSTEM_ASSIGNED},
    agent_pool_profiles=[{"name": "system", "mode": "System", "count": 1, "vm_size": "Standard_D4s_v5", "os_type": "Linux"}],
)
gpu = az.containerservice.AgentPool(
    "gpu",
    resource_group_name=rg.name,
    resource_name_=aks.name,
    agent_pool_name="gpu",
    mode="User",
    count=1,
    vm_size="Standard_NC24ads_A100_v4",
    os_type="Linux",
    node_taints=["sku=gpu:NoSchedule"],
    node_labels={"owner": "ml"},
)
creds = az.containerservice.list_managed_cluster_user_credentials_output(resource_group_name=rg.name, resource_name=aks.name)
kubeconfig = creds.kubeconfigs[0].value.apply(lambda e: base64.b64decode(e).decode())
p = k8s.Provider("aks", kubeconfig=kubeconfig)
k8s.helm.v3.Release(
    "device-plugin",
    chart="nvidia-device-plugin",
    version="0.17.0",
    namespace="kube-system",
    repository_opts={"repo": "https://nvidia.github.io/k8s-device-plugin"},
    values={"tolerations": [{"key": "sku", "operator": "Equal", "value": "gpu", "effect": "NoSchedule"}]},
    opts=pulumi.ResourceOptions(provider=p, depends_on=[gpu]),
)
pulumi.export("kubeconfig", pulumi.Output.secret(kubeconfig))
