"""A pool of nodes: a managed node group on a launch template of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
from pulumi_aws import autoscaling, ec2, eks

from components import idle_tags
from components.handle import PoolHandle
from components.inventory import Market
from components.naming import Identity

from .capacity import Phase
from .launch_template import launch_template_args
from .outline import PoolOutline
from .scaling_tags import TAINT_VALUE, scaling_tags
from .schedule import schedule

CAPACITY_TYPES = {
    Market.ON_DEMAND: "ON_DEMAND",
    Market.SPOT: "SPOT",
    Market.RESERVATION: "ON_DEMAND",
    Market.CAPACITY_BLOCK: "CAPACITY_BLOCK",
}
"""B1, B3: what the group says; a reservation is on-demand capacity that the template targets."""
UNCHANGED = -1
"""What a scheduled action writes for a bound that it leaves alone; 0, the default, would forbid every node."""
OTHERS_TAGS = tuple(f'tags["{key}"]' for key in idle_tags.WRITTEN_BY_OTHERS)
RESERVED = (Market.RESERVATION, Market.CAPACITY_BLOCK)


@dataclass(frozen=True, kw_only=True)
class NodePoolArgs:
    """The outline of a pool, and what of its cluster it needs. Raises ValueError for an outline that AWS would refuse."""

    outline: PoolOutline
    cluster: str
    """Name of the cluster, as tags spell it."""
    cluster_name: pulumi.Input[str]
    kubernetes_version: str
    node_role_arn: pulumi.Input[str]
    subnet_ids: Sequence[pulumi.Input[str]]
    """One for each zone of the outline."""
    cluster_security_group_id: pulumi.Input[str]
    fabric_security_group_id: pulumi.Input[str] | None = None
    """A1: of the EFA group; required for a pool with EFA."""
    identity: Identity

    def __post_init__(self) -> None:
        pool = self.outline
        _refuse(
            pool.market not in CAPACITY_TYPES, pool, f"capacity {pool.market} is none of AWS's", "use one of " + ", ".join(CAPACITY_TYPES)
        )
        _refuse((pool.market in RESERVED) != (pool.target is not None), pool, "reserved capacity and its target (B2)", "give both or none")
        _refuse((pool.market is Market.CAPACITY_BLOCK) != (pool.window is not None), pool, "a block and its window", "give both or none")
        _refuse(pool.phase is Phase.ENDED, pool, "its capacity block ended (B15)", "leave the pool out: every launch would fail")
        _refuse(
            pool.target is not None and pool.placement == "own", pool, "a placement group of its own outside paid capacity (A9)", "use none"
        )
        _refuse(
            len(self.subnet_ids) != len(pool.zones), pool, f"{len(self.subnet_ids)} subnets for {len(pool.zones)} zones", "give one each"
        )
        several = len(pool.zones) > 1
        _refuse(several and bool(pool.gpus_per_node), pool, "GPU nodes in several zones (A8, F7)", "name one zone")
        _refuse(several and pool.placement != "none", pool, "a placement group over several zones (A8)", "name one zone")
        _refuse(len(pool.machines) > 1 and pool.market is not Market.SPOT, pool, "several machine types", "use them on spot only")
        _refuse(len(pool.machines) > 1 and pool.efa_interfaces > 0, pool, "several machine types with EFA (A2)", "name one machine")
        _refuse(pool.efa_interfaces > 0 and self.fabric_security_group_id is None, pool, "EFA without its security group (A1)", "pass it")


def _refuse(broken: bool, pool: PoolOutline, what: str, instead: str) -> None:
    if broken:
        raise ValueError(f"pool {pool.name}: {what}: {instead}")


class NodePool(pulumi.ComponentResource):
    """Nodes of one kind, from `nodes.min` up to `nodes.max`, whose number the autoscaler decides.

    GPU nodes live in one zone, carry their whole fabric, and are closed to pods that ask for no GPU.
    """

    group: eks.NodeGroup
    handle: PoolHandle

    def __init__(self, name: str, args: NodePoolArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:aws:NodePool", name, {}, opts)
        self._own = pulumi.ResourceOptions(parent=self)
        template = self._launch_template(name, args)
        self.group = self._node_group(name, args, template)
        self._tag_scaling_group(name, args)
        self._schedule(name, args.outline)
        self.handle = pool_handle(args.outline, self.group)
        self.register_outputs({"nodeGroup": self.group.id})

    def _placement_group(self, name: str, args: NodePoolArgs) -> pulumi.Input[str] | None:
        match args.outline.placement:
            case "none":
                return None
            case "own":
                tags = args.identity.tags(name, args.outline.name)
                return ec2.PlacementGroup(name, strategy="cluster", tags=tags, opts=self._own).name
            case existing:
                return existing

    def _launch_template(self, name: str, args: NodePoolArgs) -> ec2.LaunchTemplate:
        groups = [args.cluster_security_group_id]
        if args.fabric_security_group_id is not None and args.outline.efa_interfaces:
            groups.append(args.fabric_security_group_id)
        rendered = launch_template_args(args.outline, args.identity, name, groups=groups, placement_group=self._placement_group(name, args))
        return ec2.LaunchTemplate(name, rendered, opts=self._own)

    def _node_group(self, name: str, args: NodePoolArgs, template: ec2.LaunchTemplate) -> eks.NodeGroup:
        """No name and no disk of its own (H2, B11); machine types here or in a block's template, never in both (B12)."""
        pool, size = args.outline, args.outline.first_size
        return eks.NodeGroup(
            name,
            cluster_name=args.cluster_name,
            version=args.kubernetes_version,
            node_role_arn=args.node_role_arn,
            subnet_ids=list(args.subnet_ids),
            ami_type=pool.image_kind,
            capacity_type=CAPACITY_TYPES[pool.market],  # B3
            instance_types=None if pool.market is Market.CAPACITY_BLOCK else [m.name for m in pool.machines],
            launch_template=eks.NodeGroupLaunchTemplateArgs(id=template.id, version=template.latest_version.apply(lambda v: str(int(v)))),
            scaling_config=eks.NodeGroupScalingConfigArgs(min_size=size.minimum, max_size=size.maximum, desired_size=size.desired),
            update_config=eks.NodeGroupUpdateConfigArgs(
                max_unavailable=1,
                update_strategy="MINIMAL" if pool.in_place else "DEFAULT",  # B14: scarce nodes have no spare to surge into
            ),
            node_repair_config=eks.NodeGroupNodeRepairConfigArgs(enabled=pool.repair),
            labels=dict(pool.labels),
            taints=[eks.NodeGroupTaintArgs(key=key, value=TAINT_VALUE, effect="NO_SCHEDULE") for key in pool.taints],
            tags=args.identity.tags(name, pool.name),
            # H1: the autoscaler, or a block's schedule, writes the desired size; people and the idle watch write their tags
            opts=pulumi.ResourceOptions(parent=self, ignore_changes=["scalingConfig.desiredSize", *OTHERS_TAGS]),
        )

    def _tag_scaling_group(self, name: str, args: NodePoolArgs) -> None:
        owner = self.group.resources.apply(scaling_group)
        for tag in scaling_tags(args.outline, args.cluster, args.identity.user_tags):
            autoscaling.Tag(
                f"{name}/{tag.key}",
                autoscaling_group_name=owner,
                tag=autoscaling.TagTagArgs(key=tag.key, value=tag.value, propagate_at_launch=tag.reaches_instances),
                opts=self._own,
            )

    def _schedule(self, name: str, pool: PoolOutline) -> None:
        """B15: a block's nodes come with its window and go before its end."""
        for action in schedule(pool):
            autoscaling.Schedule(
                f"{name}-{action.name}",
                autoscaling_group_name=self.group.resources.apply(scaling_group),
                scheduled_action_name=f"gpukit-{action.name}",
                start_time=action.at.strftime("%Y-%m-%dT%H:%M:%SZ"),
                desired_capacity=action.nodes,
                min_size=UNCHANGED,
                max_size=UNCHANGED,
                opts=self._own,
            )


def scaling_group(made: Sequence[eks.outputs.NodeGroupResource]) -> str:
    """Name of the one scaling group that EKS made for the node group."""
    names = [group.name for resource in made for group in resource.autoscaling_groups or ()]
    if not names or names[0] is None:
        raise RuntimeError("EKS reports no scaling group for this node group: its hints and tags have nowhere to go")
    return names[0]


def pool_handle(outline: PoolOutline, group: eks.NodeGroup) -> PoolHandle:
    """The pool as the Kubernetes layer sees it; for a pool that is down between two capacity blocks `group` is the system pool's."""
    return PoolHandle(
        name=outline.name,
        machine=outline.machine.name,
        gpus_per_node=outline.gpus_per_node,
        fabric_devices=outline.efa_interfaces,
        most_nodes=outline.nodes.max,
        labels=outline.labels,
        taints=outline.taints,
        ownership=outline.ownership,
        sharing=outline.sharing,
        resource=group,
    )
