"""What training and inference clusters share: everything is decided first, then built in the order in which it can stand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import pulumi

from components.addresses import AddressPlan
from components.decisions import Decisions, all_refusals, unsound
from components.handle import ClusterHandle
from components.k8s.gpu_operator import GpuOperator, GpuOperatorArgs
from components.naming import pool_name
from components.refusals import SpecError
from components.spec import InferenceSpec, TrainingSpec

from .cluster import Cluster, ClusterArgs
from .existing_network import ExistingNetwork, existing_network
from .fabric import Fabric, FabricArgs
from .groups import Groups, resource_groups
from .network import Network, NetworkArgs
from .node_pool import NodePool, NodePoolArgs, pool_handle
from .outline import PoolOutline, address_plan, pool_outlines, system_outline
from .overlay import overlay
from .reservations import reserved_groups
from .retention import log_types, retention_days
from .storage_outline import keeps_data, lustre_outline
from .unbuilt import refuse_unbuilt
from .unfit import refuse_unfit
from .upgrades import upgrades


def refusals(spec: TrainingSpec | InferenceSpec, region: str) -> list[SpecError]:
    """Everything about `spec` that is unsound, not built yet, or would be refused by Azure."""
    return all_refusals(unsound(spec, region), refuse_unbuilt(spec), lambda: refuse_unfit(spec))


class Assembly(Decisions):
    """All decisions about one cluster. Raises SpecErrors, before the first resource, with everything that Azure or this family refuses."""

    cloud = "azure"

    def refused(self) -> list[SpecError]:
        return refusals(self.spec, self.region)

    @cached_property
    def system(self) -> PoolOutline:
        return system_outline(self.spec)

    @cached_property
    def pools(self) -> tuple[PoolOutline, ...]:
        """Every pool of the file."""
        return pool_outlines(self.spec)

    @cached_property
    def addresses(self) -> AddressPlan:
        return address_plan(self.spec)


@dataclass(frozen=True, kw_only=True)
class Ground:
    """What every pool of a cluster stands on."""

    groups: Groups
    network: Network | ExistingNetwork
    cluster: Cluster


def build_ground(name: str, plan: Assembly, parent: pulumi.Resource) -> Ground:
    """Resource groups, a network of the cluster's own or the one that the file names, and the control plane."""
    groups = resource_groups(name, plan.identity, region=plan.region, data=keeps_data(plan.spec), parent=parent)
    network = build_network(name, plan, groups, pulumi.ResourceOptions(parent=parent))
    cluster = build_cluster(name, plan, groups, network, pulumi.ResourceOptions(parent=parent))
    return Ground(groups=groups, network=network, cluster=cluster)


def build_network(name: str, plan: Assembly, groups: Groups, opts: pulumi.ResourceOptions) -> Network | ExistingNetwork:
    network = plan.spec.network
    if network.existing is not None:
        return existing_network(plan.spec)
    args = NetworkArgs(
        region=plan.region,
        resource_group=groups.cluster,
        plan=plan.addresses,
        nat=plan.spec.nat,
        identity=plan.identity,
        endpoints=network.endpoints == "private",
        kept_group=groups.home_of_data if lustre_outline(plan.spec) else None,
    )
    return Network(name, args, opts)


def build_cluster(name: str, plan: Assembly, groups: Groups, network: Network | ExistingNetwork, opts: pulumi.ResourceOptions) -> Cluster:
    spec = plan.spec
    args = ClusterArgs(
        cluster_name=spec.name,
        subscription=spec.account,
        region=plan.region,
        groups=groups,
        kubernetes_version=spec.kubernetes_version,
        system=plan.system,
        system_subnet_id=network.node_subnet_ids[plan.system.subnet],
        vnet_id=network.vnet_id,
        reserved_groups=reserved_groups(plan.pools),
        overlay=overlay(None if spec.network.existing else spec.network.cidr),
        api=spec.access.api,
        api_cidrs=spec.access.api_cidrs,
        egress_addresses=network.egress_addresses,
        admins=spec.access.admins,
        viewers=spec.access.viewers,
        protected=spec.protected,
        upgrades=upgrades(spec, plan.pools),
        log_types=log_types(spec.environment),
        log_retention_days=retention_days(spec),
        container_insights=spec.monitoring.metrics == "cloud",
        blob_driver=bool(spec.storage.buckets),
        owner=spec.owner,
        expires=spec.lease.expires.isoformat() if spec.lease else None,
        identity=plan.identity,
    )
    return Cluster(name, args, opts)


def build_pool(name: str, plan: Assembly, outline: PoolOutline, ground: Ground, opts: pulumi.ResourceOptions) -> NodePool:
    args = NodePoolArgs(
        outline=outline,
        cluster_name=ground.cluster.name_for_pools,
        resource_group=ground.groups.cluster,
        region=plan.region,
        kubernetes_version=plan.spec.kubernetes_version,
        subnet_id=ground.network.node_subnet_ids[outline.subnet],
        identity=plan.identity,
    )
    return NodePool(pool_name("azure", name, outline.name), args, opts)


def build_gpu_stack(name: str, plan: Assembly, cluster: ClusterHandle, opts: pulumi.ResourceOptions) -> None:
    """The fabric's operator where a pool has InfiniBand, then NVIDIA's GPU Operator, whose driver builds on the fabric's."""
    wired = any(pool.infiniband for pool in plan.pools)
    fabric = Fabric(f"{name}-fabric", FabricArgs(cluster=cluster), opts) if wired else None
    after = (fabric.ready,) if fabric else ()
    GpuOperator(f"{name}-gpu-operator", GpuOperatorArgs(cluster=cluster, after=after), opts)


def cluster_handle(plan: Assembly, ground: Ground, pools: list[NodePool]) -> ClusterHandle:
    """The cluster with every pool of the file; the pool that stands inline comes with the cluster."""
    cluster = ground.cluster
    return ClusterHandle(
        name=plan.spec.name,
        cloud="azure",
        region=plan.region,
        kubeconfig=cluster.kubeconfig,
        provider=cluster.kubernetes,
        cluster=cluster.resource,
        system=pool_handle(plan.system, cluster.resource),
        pools=tuple(pool.handle for pool in pools),
    )
