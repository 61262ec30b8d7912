"""A program as people write them; what is to be said of it stands in test_programs_of_others."""

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as k8s
from pulumi_kubernetes.apiextensions import CustomResource

cluster = aws.eks.Cluster(
    "apps",
    version="1.34",
    role_arn="arn:aws:iam::123456789012:role/eks",
    vpc_config={"subnet_ids": ["subnet-0a", "subnet-0b"]},
    tags={"team": "apps", "ttl": "2027-02-01"},
)
system = aws.eks.NodeGroup(
    "system",
    cluster_name=cluster.name,
    node_role_arn="arn:aws:iam::123456789012:role/nodes",
    subnet_ids=["subnet-0a", "subnet-0b"],
    instance_types=["m7g.large"],
    scaling_config={"min_size": 2, "max_size": 2, "desired_size": 2},
)
provider = k8s.Provider("apps", kubeconfig=cluster.endpoint.apply(lambda server: f"server: {server}"), cluster_identifier=cluster.arn)
karpenter = k8s.helm.v3.Release(
    "karpenter",
    chart="oci://public.ecr.aws/karpenter/karpenter",
    version="1.14.1",
    namespace="kube-system",
    values={"settings": {"clusterName": cluster.name}},
    opts=pulumi.ResourceOptions(provider=provider, depends_on=[system], deleted_with=cluster),
)
after = pulumi.ResourceOptions(provider=provider, depends_on=[karpenter])


def node_class(name, disk):
    spec = {
        "amiSelectorTerms": [{"alias": "al2023@v20261101"}],
        "role": "KarpenterNodes",
        "subnetSelectorTerms": [{"tags": {"karpenter.sh/discovery": "apps"}}],
        "securityGroupSelectorTerms": [{"tags": {"karpenter.sh/discovery": "apps"}}],
        "blockDeviceMappings": [{"deviceName": "/dev/xvda", "ebs": {"volumeSize": disk, "volumeType": "gp3"}}],
    }
    CustomResource(name, api_version="karpenter.k8s.aws/v1", kind="EC2NodeClass", metadata={"name": name}, spec=spec, opts=after)


def node_pool(name, requirements, limits, taints=None, disruption=None):
    listed = [{"key": key, "operator": operator, "values": values} for key, operator, values in requirements]
    ref = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": name}
    spec = {
        "template": {"spec": {"nodeClassRef": ref, "requirements": listed, **({"taints": taints} if taints else {})}},
        "limits": limits,
        "disruption": disruption or {"consolidationPolicy": "WhenEmptyOrUnderutilized", "consolidateAfter": "1m"},
    }
    CustomResource(f"{name}-pool", api_version="karpenter.sh/v1", kind="NodePool", metadata={"name": name}, spec=spec, opts=after)


node_class("general", "50Gi")
node_class("gpu", "300Gi")
node_pool(
    "general",
    [
        ("karpenter.k8s.aws/instance-category", "In", ["c", "m", "r"]),
        ("karpenter.k8s.aws/instance-generation", "Gt", ["6"]),
        ("kubernetes.io/arch", "In", ["amd64"]),
        ("karpenter.sh/capacity-type", "In", ["spot", "on-demand"]),
    ],
    {"cpu": "200", "memory": "800Gi"},
)
node_pool(
    "gpu",
    [
        ("karpenter.k8s.aws/instance-gpu-name", "In", ["a10g", "l4"]),
        ("karpenter.k8s.aws/instance-cpu", "Lt", ["33"]),
        ("karpenter.sh/capacity-type", "In", ["on-demand"]),
        ("topology.kubernetes.io/zone", "In", ["us-west-2a"]),
    ],
    {"nvidia.com/gpu": 8},
    taints=[{"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}],
)
