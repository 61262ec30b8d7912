"""A pool of GPU nodes: an agent pool of its own, which is one virtual machine scale set."""

from __future__ import annotations

from dataclasses import dataclass

import pulumi
from pulumi_azure_native import compute, containerservice

from components.handle import PoolHandle
from components.inventory import Market
from components.naming import Identity

from .driver import DriverMode, needs_grid
from .outline import MANAGED_DISK, PoolOutline
from .scaling_tags import scaling_tags
from .spot import EVICTION, PRICE_DECIMALS

MARKETS = (Market.ON_DEMAND, Market.SPOT, Market.RESERVATION)
PATIENCE = "60m"
"""How long the first nodes of a pool may take; the driver's installation comes on top of the machine's own start."""


@dataclass(frozen=True, kw_only=True)
class NodePoolArgs:
    """The outline of a pool, and what of its cluster it needs. Raises ValueError for an outline that Azure would refuse."""

    outline: PoolOutline
    cluster_name: pulumi.Input[str]
    resource_group: pulumi.Input[str]
    region: str
    kubernetes_version: str
    subnet_id: pulumi.Input[str]
    identity: Identity

    def __post_init__(self) -> None:
        pool = self.outline
        spot = pool.market is Market.SPOT
        _refuse(pool.market not in MARKETS, pool, f"capacity {pool.market} is none of Azure's", "use one of " + ", ".join(MARKETS))
        _refuse(spot and pool.mode == "System", pool, "a spot pool as system pool (E3)", "use mode User")
        _refuse(spot and pool.surge > 0, pool, "a spot pool that surges (E4)", "use in_place")
        _refuse(spot != (pool.max_price_usd is not None), pool, "a highest price belongs to spot, and to spot alone", "give both or none")
        _refuse(
            pool.max_price_usd is not None and not price_taken(pool.max_price_usd),
            pool,
            f"highest price {pool.max_price_usd}",
            "give -1, or a price above 0 with five decimals at most",
        )
        _refuse(
            (pool.market is Market.RESERVATION) != (pool.reservation_group is not None),
            pool,
            "reserved capacity and its group",
            "give both or none",
        )
        _refuse(len(pool.machines) != 1, pool, "several machine sizes", "an agent pool has one")
        _refuse(bool(pool.gpus_per_node) != (pool.driver is not None), pool, "GPUs and the owner of their driver (C3)", "give both or none")
        _refuse(
            needs_grid(pool.machine) and pool.driver is not DriverMode.GRID,
            pool,
            "a share of a GPU without the GRID driver (E2)",
            "leave the driver to AKS",
        )
        _refuse(
            pool.infiniband > 0 and pool.driver is not DriverMode.OPERATOR,
            pool,
            "InfiniBand with AKS's driver, which loads no peer memory",
            "leave the driver to the operator",
        )
        _refuse(pool.infiniband > 0 and len(pool.zones) > 1, pool, "InfiniBand over several zones (E1)", "name one zone or none")
        _refuse(
            pool.mig_profile is not None and pool.driver is not DriverMode.AKS,
            pool,
            "GPUs that AKS divides without its driver",
            "leave the driver to AKS",
        )


def price_taken(usd: float) -> bool:
    """Whether Azure takes it as a spot pool's highest price."""
    return usd == -1 or (usd > 0 and round(usd, PRICE_DECIMALS) == usd)


def _refuse(broken: bool, pool: PoolOutline, what: str, instead: str) -> None:
    if broken:
        raise ValueError(f"pool {pool.name}: {what}: {instead}")


class NodePool(pulumi.ComponentResource):
    """Nodes of one size, from `nodes.min` up to `nodes.max`, whose number AKS's own autoscaler decides.

    GPU nodes are closed to pods that ask for no GPU. With InfiniBand the pool is the fabric: one scale set, one partition key (E1).
    """

    pool: containerservice.AgentPool
    handle: PoolHandle

    def __init__(self, name: str, args: NodePoolArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:azure:NodePool", name, {}, opts)
        self.pool = self._agent_pool(name, args, self._placement(name, args))
        self.handle = pool_handle(args.outline, self.pool)
        self.register_outputs({"agentPool": self.pool.id})

    def _placement(self, name: str, args: NodePoolArgs) -> pulumi.Input[str] | None:
        match args.outline.placement:
            case "none":
                return None
            case "own":
                return compute.ProximityPlacementGroup(
                    name,
                    resource_group_name=args.resource_group,
                    location=args.region,
                    proximity_placement_group_type="Standard",
                    tags=args.identity.tags(name, args.outline.name),
                    opts=pulumi.ResourceOptions(parent=self),
                ).id
            case existing:
                return existing

    def _agent_pool(self, name: str, args: NodePoolArgs, placement: pulumi.Input[str] | None) -> containerservice.AgentPool:
        """H9: a resource of its own, so that taking the pool out of the file takes it out of Azure."""
        pool, spot = args.outline, args.outline.market is Market.SPOT
        return containerservice.AgentPool(
            name,
            agent_pool_name=pool.agent_pool,  # H2: the name follows whatever cannot change
            resource_group_name=args.resource_group,
            resource_name_=args.cluster_name,
            orchestrator_version=args.kubernetes_version,
            type="VirtualMachineScaleSets",
            mode=pool.mode,
            vm_size=pool.machine.name,
            os_type="Linux",
            os_sku=pool.image_kind,
            os_disk_size_gb=pool.disk_gib,
            os_disk_type=MANAGED_DISK,
            availability_zones=list(pool.zones) or None,
            vnet_subnet_id=args.subnet_id,
            enable_node_public_ip=False,
            enable_auto_scaling=True,
            count=pool.nodes.min,
            min_count=pool.nodes.min,
            max_count=pool.nodes.max,
            scale_down_mode="Delete",  # deallocated nodes bill their disks, and the operator's driver breaks after some of them
            scale_set_priority="Spot" if spot else "Regular",
            scale_set_eviction_policy=EVICTION if spot else None,
            spot_max_price=pool.max_price_usd,
            gpu_profile=containerservice.GPUProfileArgs(driver=pool.driver.api_word) if pool.driver else None,
            gpu_instance_profile=pool.mig_profile,
            capacity_reservation_group_id=pool.reservation_group,
            proximity_placement_group_id=placement,
            upgrade_settings=None if spot else _upgrade(pool),  # E4
            node_labels=dict(pool.labels),
            node_taints=list(pool.taint_texts),
            tags={**args.identity.tags(name, pool.name), **scaling_tags(pool)},
            opts=pulumi.ResourceOptions(
                parent=self,
                ignore_changes=["count"],  # H1: the autoscaler writes it
                custom_timeouts=pulumi.CustomTimeouts(create=PATIENCE, update=PATIENCE, delete=PATIENCE),
            ),
        )


def _upgrade(pool: PoolOutline) -> containerservice.AgentPoolUpgradeSettingsArgs:
    """In place: one node at a time goes before its successor comes, which scarce capacity has no room for (B14's counterpart)."""
    return containerservice.AgentPoolUpgradeSettingsArgs(
        max_surge=str(pool.surge),
        max_unavailable="1" if pool.in_place else "0",
        undrainable_node_behavior="Cordon",  # a node whose pods may not be evicted stays as it is and takes no new ones
    )


def pool_handle(outline: PoolOutline, resource: pulumi.CustomResource) -> PoolHandle:
    """The pool as the Kubernetes layer sees it; `resource` is the agent pool, or the cluster for the pool that stands inline."""
    return PoolHandle(
        name=outline.name,
        machine=outline.machine.name,
        gpus_per_node=outline.gpus_per_node,
        fabric_devices=outline.infiniband,
        most_nodes=outline.nodes.max,
        labels=outline.labels,
        taints=outline.taints,
        ownership=outline.ownership,
        sharing=outline.sharing,
        resource=resource,
    )
