"""A program as people write them; what is to be said of it stands in test_programs_of_others."""

import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as k8s

cfg = pulumi.Config("gcp")
cluster = gcp.container.Cluster(
    "gke", initial_node_count=1, remove_default_node_pool=True, location=cfg.require("zone"), deletion_protection=False
)
pool = gcp.container.NodePool(
    "l4",
    cluster=cluster.name,
    location=cluster.location,
    initial_node_count=1,
    autoscaling=gcp.container.NodePoolAutoscalingArgs(min_node_count=0, max_node_count=3),
    node_config=gcp.container.NodePoolNodeConfigArgs(
        machine_type="g2-standard-8",
        guest_accelerators=[{"type": "nvidia-l4", "count": 1, "gpu_driver_installation_config": {"gpu_driver_version": "LATEST"}}],
        oauth_scopes=["https://www.googleapis.com/auth/cloud-platform"],
        preemptible=True,
        labels={"owner": "ml"},
    ),
)


def kc(a):
    _, endpoint, auth = a
    return f"apiVersion: v1\nclusters:\n- cluster: {{certificate-authority-data: {auth['cluster_ca_certificate']}, server: https://{endpoint}}}\n  name: c\ncontexts: [{{context: {{cluster: c, user: u}}, name: c}}]\ncurrent-context: c\nkind: Config\nusers: [{{name: u, user: {{exec: {{apiVersion: client.authentication.k8s.io/v1beta1, command: gke-gcloud-auth-plugin}}}}}}]\n"


kubeconfig = pulumi.Output.secret(pulumi.Output.all(cluster.name, cluster.endpoint, cluster.master_auth).apply(kc))
p = k8s.Provider("gke", kubeconfig=kubeconfig)
app = {"app": "infer"}
dep = k8s.apps.v1.Deployment(
    "infer",
    spec={
        "selector": {"match_labels": app},
        "replicas": 1,
        "template": {
            "metadata": {"labels": app},
            "spec": {"containers": [{"name": "s", "image": "vllm/vllm-openai:v0.9.0", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]},
        },
    },
    opts=pulumi.ResourceOptions(provider=p, depends_on=[pool]),
)
k8s.core.v1.Service(
    "infer",
    spec={"type": "LoadBalancer", "selector": app, "ports": [{"port": 80, "target_port": 8000}]},
    opts=pulumi.ResourceOptions(provider=p),
)
pulumi.export("kubeconfig", kubeconfig)
