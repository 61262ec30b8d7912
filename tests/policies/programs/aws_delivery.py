"""A program as people write them; what is to be said of it stands in test_programs_of_others."""

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as k8s

cluster = aws.eks.Cluster.get("shared", "shared-prod")
provider = k8s.Provider("shared", kubeconfig="~/.kube/shared", cluster_identifier="shared-prod")
inside = pulumi.ResourceOptions(provider=provider)

template = aws.ec2.LaunchTemplate(
    "l40s",
    block_device_mappings=[{"device_name": "/dev/xvda", "ebs": {"volume_size": 400, "volume_type": "gp3"}}],
    tag_specifications=[{"resource_type": kind, "tags": {"team": "serving"}} for kind in ("instance", "volume")],
)
subnet = aws.ec2.Subnet("l40s", vpc_id="vpc-0f00", cidr_block="10.9.0.0/20", availability_zone="us-west-2a")
aws.eks.NodeGroup(
    "l40s",
    cluster_name="shared-prod",
    node_role_arn="arn:aws:iam::123456789012:role/nodes",
    subnet_ids=[subnet.id],
    instance_types=["g6e.12xlarge"],
    ami_type="AL2023_x86_64_NVIDIA",
    launch_template={"id": template.id, "version": template.latest_version},
    scaling_config={"min_size": 0, "max_size": 4, "desired_size": 0},
    taints=[{"key": "nvidia.com/gpu", "value": "true", "effect": "NO_SCHEDULE"}],
    opts=pulumi.ResourceOptions(ignore_changes=["scaling_config.desired_size"]),
)

k8s.yaml.v2.ConfigGroup(
    "operator",
    yaml="""
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: gpu-operator, namespace: argocd}
spec:
  project: platform
  destination: {server: "https://kubernetes.default.svc", namespace: gpu-operator}
  source:
    repoURL: https://helm.ngc.nvidia.com/nvidia
    chart: gpu-operator
    targetRevision: v26.7.0
    helm:
      valuesObject:
        toolkit: {enabled: false}
        driver: {enabled: true}
  syncPolicy: {automated: {prune: true}}
""",
    opts=inside,
)
pod = {
    "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}],
    "containers": [{"name": "server", "image": "example.com/serve:7", "resources": {"limits": {"nvidia.com/gpu": 4}}}],
}
k8s.apiextensions.CustomResource(
    "pair",
    api_version="leaderworkerset.x-k8s.io/v1",
    kind="LeaderWorkerSet",
    metadata={"name": "pair", "namespace": "serving"},
    spec={"replicas": 1, "leaderWorkerTemplate": {"size": 2, "workerTemplate": {"spec": pod}}},
    opts=inside,
)
