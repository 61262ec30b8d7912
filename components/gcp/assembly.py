"""What training and inference clusters share: everything is decided first, then built in the order in which it can stand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import pulumi

from components import naming
from components.decisions import Decisions, all_refusals, unsound
from components.handle import ClusterHandle
from components.k8s.gke_fabric import FabricNetwork, GkeFabric, GkeFabricArgs
from components.k8s.gpu_operator import GpuOperator, GpuOperatorArgs
from components.naming import pool_name
from components.ownership import operator_values
from components.refusals import SpecError
from components.regional_addresses import RegionalPlan
from components.spec import InferenceSpec, TrainingSpec

from .capacity import Phase
from .cluster import Cluster, ClusterArgs
from .existing_network import ExistingNetwork, existing_network
from .fabric import Fabric, FabricArgs
from .fabric_choice import fabric_of
from .features import features
from .network import Network, NetworkArgs
from .node_pool import NodePool, NodePoolArgs, pool_handle
from .outline import PoolOutline, address_plan, installers, pool_outlines, system_outline
from .places import location, zones
from .unbuilt import refuse_unbuilt
from .unfit import refuse_unfit
from .upkeep import upkeep


def refusals(spec: TrainingSpec | InferenceSpec, region: str) -> list[SpecError]:
    """Everything about `spec` that is unsound, not built yet, or would be refused by Google."""
    return all_refusals(unsound(spec, region), refuse_unbuilt(spec), lambda: refuse_unfit(spec, region))


def _stack_name(stack: str) -> Iterator[SpecError]:
    """Everything carries the stack's name as a label: one that does not fit could not be found again."""
    for problem in naming.problems("gcp", {naming.tag_key("gcp", "stack"): stack}):
        yield SpecError(path="the stack's name", value=stack, message=problem)


class Assembly(Decisions):
    """All decisions about one cluster. Raises SpecErrors, before the first resource, with everything that Google or this family refuses."""

    cloud = "gcp"

    def refused(self) -> list[SpecError]:
        return [*refusals(self.spec, self.region), *_stack_name(self.stack)]

    @cached_property
    def location(self) -> str:
        return location(self.spec, self.region)

    @cached_property
    def system(self) -> PoolOutline:
        return system_outline(self.spec)

    @cached_property
    def outlines(self) -> tuple[PoolOutline, ...]:
        """Every pool of the file."""
        return pool_outlines(self.spec)

    @cached_property
    def pools(self) -> tuple[PoolOutline, ...]:
        """The pools that stand: not one whose window ended, as its reservation is gone."""
        return tuple(pool for pool in self.outlines if pool.phase is not Phase.ENDED)

    @cached_property
    def addresses(self) -> RegionalPlan:
        return address_plan(self.spec)


def warn_of_ended_windows(plan: Assembly, cluster: pulumi.Resource) -> None:
    """Says which pools of the file do not stand, and what to do about them."""
    for pool in plan.outlines:
        if pool.window is not None and pool.phase is Phase.ENDED:
            text = f"pool {pool.name}: its future reservation ended at {pool.window.ends.isoformat()}, so the pool is taken down: "
            pulumi.log.warn(f"{text}remove it from the stack file, or give it the name and the window of a new reservation", cluster)


def build_network(name: str, plan: Assembly, opts: pulumi.ResourceOptions) -> Network | ExistingNetwork:
    """A network of the cluster's own, or the one that the file names."""
    network = plan.spec.network
    if network.existing is not None:
        return existing_network(plan.spec, plan.region)
    args = NetworkArgs(
        region=plan.region,
        plan=plan.addresses,
        nat=plan.spec.nat != "none",
        flow_logs=network.flow_logs,
        kept=plan.spec.storage.shared_filesystem is not None,
    )
    return Network(name, args, opts)


def build_fabric(name: str, plan: Assembly, opts: pulumi.ResourceOptions) -> Fabric | None:
    """The extra networks, where a pool of the file has any; they stay while a window's pool is down."""
    outline = fabric_of(plan.spec)
    return Fabric(name, FabricArgs(outline=outline, project=plan.spec.account, region=plan.region), opts) if outline else None


def build_cluster(name: str, plan: Assembly, network: Network | ExistingNetwork, opts: pulumi.ResourceOptions) -> Cluster:
    spec = plan.spec
    args = ClusterArgs(
        cluster_name=spec.name,
        project=spec.account,
        location=plan.location,
        node_zones=zones(spec),
        kubernetes_version=spec.kubernetes_version,
        network=network.network,
        subnetwork=network.subnetwork,
        pod_range=network.pod_range,
        service_range=network.service_range,
        api=spec.access.api,
        api_cidrs=spec.access.api_cidrs,
        admins=spec.access.admins,
        viewers=spec.access.viewers,
        deletion_protection=spec.protected,
        upkeep=upkeep(spec),
        features=features(spec, plan.outlines),
        encryption_key=spec.encryption_key,
        owner=spec.owner,
        expires=spec.lease.expires.isoformat() if spec.lease else None,
        identity=plan.identity,
    )
    return Cluster(name, args, opts)


@dataclass(frozen=True, kw_only=True)
class Ground:
    """What every pool of a cluster stands on."""

    network: Network | ExistingNetwork
    cluster: Cluster
    fabric: Fabric | None = None


def build_pool(name: str, plan: Assembly, outline: PoolOutline, ground: Ground, opts: pulumi.ResourceOptions) -> NodePool:
    attachments = tuple(ground.fabric.attachments.values()) if ground.fabric and outline.fabric else ()
    args = NodePoolArgs(
        outline=outline,
        cluster=ground.cluster.name,
        location=plan.location,
        node_account=ground.cluster.node_account,
        attachments=attachments,
        encryption_key=plan.spec.encryption_key,
        identity=plan.identity,
    )
    return NodePool(pool_name("gcp", name, outline.name), args, opts)


def build_gpu_stack(name: str, plan: Assembly, ground: Ground, cluster: ClusterHandle, opts: pulumi.ResourceOptions) -> None:
    """NVIDIA's operator where pools leave the stack to it (GKE brings its own elsewhere), and the fabric's parts on the cluster."""
    owned = operator_values({pool.name: pool.ownership for pool in plan.outlines})
    if any(part["enabled"] for part in owned.values()):
        GpuOperator(f"{name}-gpu-operator", GpuOperatorArgs(cluster=cluster), opts)
    transports = installers(plan.outlines)
    if transports:
        networks = _fabric_networks(ground.fabric, plan) if ground.fabric else ()
        GkeFabric(f"{name}-fabric", GkeFabricArgs(cluster=cluster, networks=networks, transports=transports), opts)


def _fabric_networks(fabric: Fabric, plan: Assembly) -> tuple[FabricNetwork, ...]:
    outline = fabric_of(plan.spec)
    made = fabric.attachments
    return tuple(
        FabricNetwork(name=each.network, vpc=made[each.network].vpc, subnetwork=made[each.network].subnetwork, device_mode=each.device_mode)
        for each in (outline.interfaces if outline else ())
    )


def cluster_handle(plan: Assembly, cluster: Cluster, system: NodePool, pools: list[NodePool]) -> ClusterHandle:
    """The cluster with every pool of the file: what runs in it stays as it is while the pool of an ended window is down."""
    down = [pool_handle(pool, system.pool) for pool in plan.outlines if pool not in plan.pools]
    return ClusterHandle(
        name=plan.spec.name,
        cloud="gcp",
        region=plan.region,
        kubeconfig=cluster.kubeconfig,
        provider=cluster.kubernetes,
        cluster=cluster.resource,
        system=system.handle,
        pools=(*(pool.handle for pool in pools), *down),
    )
