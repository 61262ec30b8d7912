"""What a program puts into clusters: Kubernetes objects of any kind, their pods, and how the cluster is reached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from components.resource import Value, read
from components.unknown import Maybe


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """One Kubernetes object as the program writes it, whether typed, as custom resource, or in YAML text."""

    urn: str
    path: str = ""
    """Where in its resource the object stands; "" for a resource that is the object."""
    group: str
    """API group without version; "" for core."""
    kind: str
    name: Maybe[str]
    namespace: Maybe[str | None]
    body: Mapping[str, Value] = field(repr=False)
    """The object itself, with `Unknown` and `Secret` as possible leaves."""
    cluster: Maybe[str | None] = None
    """URN of the planned cluster."""
    deleted_with: Maybe[str | None] = None
    """URN of what it goes away with, without being deleted itself; unknown where the source does not tell options."""

    def read(self, *path: str | int) -> Value:
        """The value at `path` of the object: None when absent, `Unknown` when it cannot be known."""
        return read(self.body, *path)

    def at(self, path: str) -> str:
        """`path` as a property path of the resource."""
        return f"{self.path}.{path}" if self.path and path else self.path or path


@dataclass(frozen=True, kw_only=True)
class Container:
    """One container of a pod. Quantities are texts such as `8` and `5Gi`."""

    name: str
    image: Maybe[str | None] = None
    limits: Maybe[Mapping[str, Maybe[str | None]]] = field(default_factory=lambda: MappingProxyType({}))
    requests: Maybe[Mapping[str, Maybe[str | None]]] = field(default_factory=lambda: MappingProxyType({}))
    env: Maybe[Mapping[str, Maybe[str | None]]] = field(default_factory=lambda: MappingProxyType({}))
    """Variables by name; None where the value comes from elsewhere in the cluster."""
    arguments: Maybe[str | None] = None
    """Command and arguments as one line."""
    mounts: Maybe[Mapping[str, Maybe[str | None]]] = field(default_factory=lambda: MappingProxyType({}))
    """Mount path to volume name."""
    path: str = ""


@dataclass(frozen=True, kw_only=True)
class Pod:
    """Pods of one template. `count` is how many run at once."""

    role: str
    """`worker`, `launcher` …; the kind where there is one template only."""
    count: Maybe[int]
    containers: Maybe[tuple[Container, ...]]
    memory_volumes: Maybe[frozenset[str]] = frozenset()
    """Names of the emptyDir volumes that live in memory."""
    host_paths: Maybe[Mapping[str, Maybe[str | None]]] = field(default_factory=lambda: MappingProxyType({}))
    """Volume name to path on the node."""
    claims: Maybe[frozenset[str]] = frozenset()
    """Names of volumes that outlive the pod: claims, and volumes of CSI drivers and file servers."""
    tolerations: Maybe[tuple[Mapping[str, Maybe[str | None]], ...]] = ()
    node_selector: Maybe[Mapping[str, Maybe[str | None]]] = field(default_factory=lambda: MappingProxyType({}))
    bound_to_zone: Maybe[bool] = False
    """Whether affinity, node selector or a topology request keeps the pods in one zone or closer."""
    labels: Maybe[Mapping[str, Maybe[str | None]]] = field(default_factory=lambda: MappingProxyType({}))
    annotations: Maybe[Mapping[str, Maybe[str | None]]] = field(default_factory=lambda: MappingProxyType({}))
    priority_class: Maybe[str | None] = None
    scheduler: Maybe[str | None] = None
    path: str = ""


@dataclass(frozen=True, kw_only=True)
class Workload:
    """An object that makes pods."""

    urn: str
    kind: str
    name: Maybe[str]
    namespace: Maybe[str | None]
    manifest: Manifest = field(repr=False)
    pods: tuple[Pod, ...]
    runs_to_end: bool
    """Whether it ends by itself (jobs), or serves until it is deleted."""
    whole_restart: Maybe[bool] = False
    """Whether the loss of one pod restarts all of them."""
    deadline_s: Maybe[int | None] = None
    """After how many seconds the cluster ends it."""
    cluster: Maybe[str | None] = None


@dataclass(frozen=True, kw_only=True)
class AddOn:
    """An add-on that the managed service installs."""

    urn: str
    name: Maybe[str | None]
    version: Maybe[str | None]
    configuration: Maybe[Mapping[str, Value]]
    cluster: Maybe[str | None] = None


@dataclass(frozen=True, kw_only=True)
class ClusterAccess:
    """A provider through which in-cluster objects are made."""

    urn: str
    name: str
    fixed_identity: Maybe[bool]
    """Whether it is told the cluster's identity apart from the kubeconfig (H7)."""
    plain_credential: Maybe[str | None]
    """Which credential stands in a kubeconfig that the program does not keep secret; None without any."""


@dataclass(frozen=True, kw_only=True)
class StackOutput:
    """One output of the stack."""

    urn: str
    name: str
    secret: bool
    holds_kubeconfig: Maybe[bool]
