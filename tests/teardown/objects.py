"""Objects of a cluster as people make them."""

from __future__ import annotations

from typing import Any


def service(name: str = "web", **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"type": "LoadBalancer", "ports": [{"port": 80}], **spec},
    }


def ingress(name: str = "front") -> dict[str, Any]:
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"ingressClassName": "alb", "rules": []},
    }


def storage_class(name: str = "gp3", policy: str = "Delete") -> dict[str, Any]:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name},
        "provisioner": "ebs.csi.aws.com",
        "parameters": {"type": "gp3"},
        "reclaimPolicy": policy,
    }


def stateful_set(name: str = "store", storage: str = "gp3", replicas: int = 2) -> dict[str, Any]:
    claim = {"storageClassName": storage, "resources": {"requests": {"storage": "100Gi"}}, "accessModes": ["ReadWriteOnce"]}
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "replicas": replicas,
            "selector": {},
            "template": {},
            "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": claim}],
        },
    }


def node_claim(name: str = "extra", machine: str = "g5.xlarge") -> dict[str, Any]:
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodeClaim",
        "metadata": {"name": name, "labels": {"karpenter.sh/nodepool": "gpus"}},
        "spec": {"requirements": [{"key": "node.kubernetes.io/instance-type", "operator": "In", "values": [machine]}]},
    }


def node_pool(name: str = "gpus") -> dict[str, Any]:
    return {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": name}, "spec": {}}


def budget(name: str = "never") -> dict[str, Any]:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"maxUnavailable": 0, "selector": {"matchLabels": {"app": "serving"}}},
    }


def pod(name: str = "serving-0", node: str = "", *, gpus: int = 0, phase: str = "Running") -> dict[str, Any]:
    limits = {"nvidia.com/gpu": str(gpus)} if gpus else {"cpu": "1"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "labels": {"app": "serving"}},
        "spec": {
            "containers": [{"name": "work", "image": "simulated.invalid/work", "resources": {"limits": limits}}],
            **({"nodeName": node} if node else {}),
        },
        "status": {"phase": phase},
    }


def custom(api_version: str, kind: str, name: str, *, finalizers: tuple[str, ...] = (), namespace: str | None = None) -> dict[str, Any]:
    metadata = {"name": name, **({"finalizers": list(finalizers)} if finalizers else {}), **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": {}}
