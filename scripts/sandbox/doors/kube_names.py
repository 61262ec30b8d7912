"""Kubernetes resource names: plural in paths, kind in bodies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.sandbox.objects import CLUSTER_SCOPED, kind_of
from scripts.sandbox.simulation import Simulation

BUILT_IN: Mapping[str, tuple[str, ...]] = {
    "v1": (
        "Namespace", "Node", "Pod", "Service", "ConfigMap", "Secret", "ServiceAccount", "Event", "Endpoints", "PersistentVolume",
        "PersistentVolumeClaim", "ResourceQuota", "LimitRange", "ReplicationController",
    ),
    "apps/v1": ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"),
    "batch/v1": ("Job", "CronJob"),
    "policy/v1": ("PodDisruptionBudget",),
    "autoscaling/v2": ("HorizontalPodAutoscaler",),
    "networking.k8s.io/v1": ("Ingress", "IngressClass", "NetworkPolicy"),
    "storage.k8s.io/v1": ("StorageClass", "CSIDriver", "CSINode", "VolumeAttachment"),
    "scheduling.k8s.io/v1": ("PriorityClass",),
    "node.k8s.io/v1": ("RuntimeClass",),
    "coordination.k8s.io/v1": ("Lease",),
    "rbac.authorization.k8s.io/v1": ("Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"),
    "apiextensions.k8s.io/v1": ("CustomResourceDefinition",),
    "admissionregistration.k8s.io/v1": ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"),
    "resource.k8s.io/v1": ("ResourceClaim", "ResourceClaimTemplate", "ResourceSlice", "DeviceClass"),
}  # fmt: skip
_CRD = "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition"


def plural(kind: str) -> str:
    lower = kind.lower()
    if lower == "endpoints":
        return lower
    if lower.endswith("y") and lower[-2] not in "aeiou":
        return f"{lower[:-1]}ies"
    return f"{lower}es" if lower.endswith(("s", "x", "ch", "sh")) else f"{lower}s"


def kinds_in(world: Simulation, key: str) -> dict[str, set[str]]:
    """Kinds by API version: built in, defined by a CRD, or simply there (the simulated world asks for no CRD)."""
    found = {version: set(kinds) for version, kinds in BUILT_IN.items()}
    for record in world.store.in_place(key):
        if record.kind.startswith("kubernetes:helm.sh/"):
            continue
        api_version, kind = kind_of(record.kind)
        found.setdefault(api_version, set()).add(kind)
    for crd in world.store.of_kind(_CRD, key):
        spec: Mapping[str, Any] = crd.state.get("spec") or {}
        for version in spec.get("versions") or ():
            found.setdefault(f"{spec.get('group')}/{version.get('name')}", set()).add(str((spec.get("names") or {}).get("kind")))
    return found


def kind_named(world: Simulation, key: str, api_version: str, name: str) -> str | None:
    """The kind whose plural is `name`, or None."""
    return next((kind for kind in sorted(kinds_in(world, key).get(api_version, ())) if plural(kind) == name), None)


def resources(world: Simulation, key: str, api_version: str) -> list[dict[str, Any]]:
    """Discovery entries of one API version."""
    verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
    return [
        {"name": plural(kind), "singularName": kind.lower(), "namespaced": kind not in CLUSTER_SCOPED, "kind": kind, "verbs": verbs}
        for kind in sorted(kinds_in(world, key).get(api_version, ()))
    ]
