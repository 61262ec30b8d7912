"""What training and inference clusters share: everything is decided first, then built in the order in which it can stand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import pulumi

from components.addresses import AddressPlan
from components.decisions import Decisions, all_refusals, unsound
from components.handle import ClusterHandle
from components.k8s.efa import EfaPlugin, EfaPluginArgs
from components.k8s.gpu_operator import GpuOperator, GpuOperatorArgs
from components.naming import pool_name
from components.ordering import after
from components.ownership import FabricPlugin
from components.refusals import SpecError
from components.spec import InferenceSpec, TrainingSpec

from .addons import Addons, AddonsArgs
from .autoscaler import Autoscaler, AutoscalerArgs
from .capacity import Phase
from .cluster import Cluster, ClusterArgs
from .existing_network import ExistingNetwork, existing_network
from .fabric import Fabric, FabricArgs
from .kubeconfig import TokenCommand
from .network import Network, NetworkArgs
from .node_pool import NodePool, NodePoolArgs, pool_handle
from .outline import PoolOutline, address_plan, pool_outlines, system_outline
from .retention import log_types, retention_days
from .storage_outline import lustre_outline
from .support import support
from .unbuilt import refuse_unbuilt
from .unfit import refuse_unfit


def refusals(spec: TrainingSpec | InferenceSpec, region: str) -> list[SpecError]:
    """Everything about `spec` that is unsound, not built yet, or would be refused by AWS."""
    return all_refusals(unsound(spec, region), refuse_unbuilt(spec), lambda: refuse_unfit(spec))


class Assembly(Decisions):
    """All decisions about one cluster. Raises SpecErrors, before the first resource, with everything that AWS or this family refuses."""

    cloud = "aws"

    def refused(self) -> list[SpecError]:
        return refusals(self.spec, self.region)

    @cached_property
    def system(self) -> PoolOutline:
        return system_outline(self.spec)

    @cached_property
    def outlines(self) -> tuple[PoolOutline, ...]:
        """Every pool of the file."""
        return pool_outlines(self.spec)

    @cached_property
    def pools(self) -> tuple[PoolOutline, ...]:
        """The pools that stand. B15: one whose capacity block ended is taken down, since its group would try to start nodes for ever."""
        return tuple(pool for pool in self.outlines if pool.phase is not Phase.ENDED)

    @cached_property
    def addresses(self) -> AddressPlan:
        return address_plan(self.spec)


def warn_of_ended_blocks(plan: Assembly, cluster: pulumi.Resource) -> None:
    """Says which pools of the file do not stand, and what to do about them."""
    for pool in plan.outlines:
        if pool.window is not None and pool.phase is Phase.ENDED:
            text = (
                f"pool {pool.name}: its capacity block ended at {pool.window.ends.isoformat()}, so the pool is taken down and cannot grow: "
            )
            pulumi.log.warn(f"{text}remove it from the stack file, or give it the id and the window of a new block", cluster)


def build_network(name: str, plan: Assembly, opts: pulumi.ResourceOptions) -> Network | ExistingNetwork:
    """A network of the cluster's own, or the one that the file names."""
    network = plan.spec.network
    if network.existing is not None:
        return existing_network(plan.spec)
    lustre = lustre_outline(plan.spec, plan.outlines)
    args = NetworkArgs(
        region=plan.region,
        plan=plan.addresses,
        nat=plan.spec.nat,
        identity=plan.identity,
        endpoints=network.endpoints == "private",
        flow_log_days=retention_days(plan.spec) if network.flow_logs else None,
        kept_zone=lustre.zone if lustre else None,
    )
    return Network(name, args, opts)


def build_fabric(name: str, plan: Assembly, network: Network | ExistingNetwork, opts: pulumi.ResourceOptions) -> Fabric | None:
    """The group that EFA interfaces share, where a pool of the file has any; it stays while a block's pool is down."""
    if not any(pool.efa_interfaces for pool in plan.outlines):
        return None
    return Fabric(name, FabricArgs(vpc_id=network.vpc_id, identity=plan.identity), opts)


def token_command(plan: Assembly) -> TokenCommand:
    """How people and the Kubernetes provider get their tokens."""
    asks = plan.spec.access.kubeconfig
    return TokenCommand(region=plan.region, profile=asks.profile, role=asks.role)


def build_cluster(name: str, plan: Assembly, network: Network | ExistingNetwork, opts: pulumi.ResourceOptions) -> Cluster:
    spec = plan.spec
    args = ClusterArgs(
        cluster_name=spec.name,
        region=plan.region,
        kubernetes_version=spec.kubernetes_version,
        subnet_ids=list(network.control_plane_subnet_ids),
        api=spec.access.api,
        api_cidrs=spec.access.api_cidrs,
        admins=spec.access.admins,
        viewers=spec.access.viewers,
        deletion_protection=spec.protected,
        support=support(spec),
        log_types=log_types(spec.environment),
        log_retention_days=retention_days(spec),
        owner=spec.owner,
        expires=spec.lease.expires.isoformat() if spec.lease else None,
        identity=plan.identity,
        token=token_command(plan),
        addon_versions=spec.addon_versions,
    )
    return Cluster(name, args, opts)


@dataclass(frozen=True, kw_only=True)
class Ground:
    """What every pool of a cluster stands on."""

    network: Network | ExistingNetwork
    cluster: Cluster
    fabric: Fabric | None = None


def build_pool(name: str, plan: Assembly, outline: PoolOutline, ground: Ground, opts: pulumi.ResourceOptions) -> NodePool:
    args = NodePoolArgs(
        outline=outline,
        cluster=plan.spec.name,
        cluster_name=ground.cluster.name_for_nodes,
        kubernetes_version=plan.spec.kubernetes_version,
        node_role_arn=ground.cluster.node_role_arn,
        subnet_ids=[ground.network.node_subnet_ids[zone] for zone in outline.zones],
        cluster_security_group_id=ground.cluster.security_group_id,
        fabric_security_group_id=ground.fabric.security_group_id if ground.fabric else None,
        identity=plan.identity,
    )
    return NodePool(pool_name("aws", name, outline.name), args, opts)


def build_node_services(name: str, plan: Assembly, ground: Ground, cluster: ClusterHandle, opts: pulumi.ResourceOptions) -> None:
    """What keeps nodes and volumes going, once there are nodes of the system pool: the remaining add-ons and the autoscaler."""
    cluster_name = after(ground.cluster.name, cluster.system.resource)
    addons = AddonsArgs(
        cluster=plan.spec.name,
        cluster_name=cluster_name,
        region=plan.region,
        identity=plan.identity,
        versions=plan.spec.addon_versions,
    )
    Addons(f"{name}-addons", addons, opts)
    args = AutoscalerArgs(
        cluster=cluster,
        cluster_name=ground.cluster.name_for_nodes,
        pools=(plan.system, *plan.outlines),
        offline=plan.spec.network.endpoints == "private",
        identity=plan.identity,
    )
    Autoscaler(f"{name}-autoscaler", args, opts)


def build_gpu_stack(name: str, plan: Assembly, cluster: ClusterHandle, opts: pulumi.ResourceOptions) -> None:
    """NVIDIA's operator, and the fabric's device plugin where a pool has a fabric."""
    GpuOperator(f"{name}-gpu-operator", GpuOperatorArgs(cluster=cluster), opts)
    if any(pool.ownership.fabric_plugin is FabricPlugin.CHART for pool in plan.outlines):
        EfaPlugin(f"{name}-efa-plugin", EfaPluginArgs(cluster=cluster), opts)


def cluster_handle(plan: Assembly, cluster: Cluster, system: NodePool, pools: list[NodePool]) -> ClusterHandle:
    """The cluster with every pool of the file: what runs in it stays as it is while the pool of an ended block is down."""
    down = [pool_handle(pool, system.group) for pool in plan.outlines if pool not in plan.pools]
    return ClusterHandle(
        name=plan.spec.name,
        cloud="aws",
        region=plan.region,
        kubeconfig=cluster.kubeconfig,
        provider=cluster.kubernetes,
        cluster=cluster.resource,
        system=system.handle,
        pools=(*(pool.handle for pool in pools), *down),
    )
