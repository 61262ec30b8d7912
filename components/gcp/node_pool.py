"""A pool of nodes of one kind: a GKE node pool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
from pulumi_gcp import container

from components.handle import PoolHandle
from components.inventory import Market
from components.naming import Identity
from components.ownership import TPU

from .capacity import Phase
from .fabric import Attachment
from .node_config import node_config
from .outline import PoolOutline


@dataclass(frozen=True, kw_only=True)
class NodePoolArgs:
    """The outline of a pool, and what of its cluster it needs. Raises ValueError for an outline that GKE would refuse."""

    outline: PoolOutline
    cluster: pulumi.Input[str]
    location: str
    """Of the cluster."""
    node_account: pulumi.Input[str]
    attachments: Sequence[Attachment] = ()
    """Extra networks, in the order of a node's interfaces."""
    encryption_key: str | None = None
    identity: Identity

    def __post_init__(self) -> None:
        pool, bought = self.outline, self.outline.purchase
        extra = len(pool.fabric.interfaces) if pool.fabric else 0
        several = len(pool.zones) > 1
        _refuse(
            len(self.attachments) != extra, pool, f"{len(self.attachments)} extra networks for {extra} interfaces (D1, D2)", "give each"
        )
        _refuse(pool.dranet and bool(extra), pool, "extra networks beside DRANET", "give one of the two")
        _refuse(several and bool(pool.gpus_per_node), pool, "accelerators in several zones (A8, D7)", "name one zone")
        _refuse(several and pool.placement == "own", pool, "compact placement over several zones (A8)", "name one zone")
        _refuse(bought.bounded and pool.repair, pool, "repair of nodes with a bounded life", "turn it off")
        _refuse(bought.bounded and pool.nodes.min > 0, pool, "a least number of nodes that come when there is room", "set nodes.min 0")
        _refuse(bought.queued and pool.placement != "none", pool, "placement of queued nodes", "use none")
        _refuse(
            bought.reservation is not None and pool.placement == "own", pool, "a placement of its own beside the reservation's", "use none"
        )
        _refuse(pool.phase is Phase.ENDED, pool, "its window ended", "leave the pool out: no node would start")
        _refuse(bool(pool.accelerator) != bool(pool.driver_version), pool, "a GPU and its driver's version (D10)", "give both or none")


def _refuse(broken: bool, pool: PoolOutline, what: str, instead: str) -> None:
    if broken:
        raise ValueError(f"pool {pool.name}: {what}: {instead}")


class NodePool(pulumi.ComponentResource):
    """Nodes of one kind, from `nodes.min` up to `nodes.max` in all (D7), whose number the autoscaler decides.

    GPU nodes live in one zone, carry their whole fabric, and are closed to pods that ask for no GPU.
    """

    pool: container.NodePool
    handle: PoolHandle

    def __init__(self, name: str, args: NodePoolArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:gcp:NodePool", name, {}, opts)
        self.pool = self._node_pool(name, args)
        self.handle = pool_handle(args.outline, self.pool)
        self.register_outputs({"nodePool": self.pool.id})

    def _node_pool(self, name: str, args: NodePoolArgs) -> container.NodePool:
        """No name of its own (H2)."""
        pool = args.outline
        return container.NodePool(
            name,
            cluster=args.cluster,
            location=args.location,
            node_locations=list(pool.zones),
            initial_node_count=None if pool.purchase.bounded else pool.first_nodes_per_zone,
            autoscaling=container.NodePoolAutoscalingArgs(
                total_min_node_count=pool.bounds.min,
                total_max_node_count=pool.bounds.max,
                location_policy="BALANCED" if pool.market is Market.ON_DEMAND else "ANY",
            ),
            management=container.NodePoolManagementArgs(auto_repair=pool.repair, auto_upgrade=True),
            upgrade_settings=container.NodePoolUpgradeSettingsArgs(
                strategy="SURGE", max_surge=pool.surge, max_unavailable=1 if pool.in_place else 0
            ),
            network_config=_networks(args),
            placement_policy=_placement(pool),
            queued_provisioning=container.NodePoolQueuedProvisioningArgs(enabled=True) if pool.purchase.queued else None,
            node_config=node_config(pool, args.identity.tags(name, pool.name), account=args.node_account, key=args.encryption_key),
            # D11, H1: the service rewrites the first size, and a difference there would replace the pool
            opts=pulumi.ResourceOptions(parent=self, ignore_changes=["initialNodeCount", "nodeCount"]),
        )


def _networks(args: NodePoolArgs) -> container.NodePoolNetworkConfigArgs:
    """D1, D2: one entry for each interface, in the order of the catalogue; GKE's own DRANET takes none."""
    extra = [
        container.NodePoolNetworkConfigAdditionalNodeNetworkConfigArgs(network=attached.vpc, subnetwork=attached.subnetwork)
        for attached in args.attachments
    ]
    return container.NodePoolNetworkConfigArgs(
        enable_private_nodes=True,
        additional_node_network_configs=extra or None,
        accelerator_network_profile="auto" if args.outline.dranet else None,
    )


def _placement(pool: PoolOutline) -> container.NodePoolPlacementPolicyArgs | None:
    if pool.tpu and pool.tpu.several_hosts:
        return container.NodePoolPlacementPolicyArgs(type="COMPACT", tpu_topology=pool.tpu.topology)
    match pool.placement:
        case "none":
            return None
        case "own":
            return container.NodePoolPlacementPolicyArgs(type="COMPACT")
        case policy:
            return container.NodePoolPlacementPolicyArgs(type="COMPACT", policy_name=policy)


def pool_handle(outline: PoolOutline, pool: container.NodePool) -> PoolHandle:
    """The pool as the Kubernetes layer sees it; for a pool whose window ended `pool` is the system pool."""
    return PoolHandle(
        name=outline.name,
        machine=outline.machine.name,
        gpus_per_node=0 if outline.ownership == TPU else outline.gpus_per_node,
        fabric_devices=len(outline.fabric.interfaces) if outline.fabric else 0,
        most_nodes=outline.nodes.max,
        labels=outline.labels,
        taints=outline.taints,
        ownership=outline.ownership,
        sharing=outline.sharing,
        resource=pool,
    )
