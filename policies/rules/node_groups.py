"""GPU-NODE: managed node groups that can be created, updated and found again."""

from __future__ import annotations

from collections.abc import Iterator

from components.inventory import GpuPool, ManagedGroup, Market, NodePool
from components.unknown import Maybe, Unknown, known
from policies.finding import Level
from policies.readers.values import all_of, denied, mapped

from .clusters import control_plane, pools_of
from .pools import accelerated, place, rows
from .rule import Case, Place, Rule, Scope, Verdict, judged

RESERVED = (Market.RESERVATION, Market.CAPACITY_BLOCK)
TAGGED = ("instance", "volume")
"""What must carry the stack's tags to be found and billed to someone."""
_SPARSE = ("AL2023", "AL2")
"""Images whose nodes leave local disks alone unless told."""


def _managed(case: Case) -> Iterator[tuple[NodePool, ManagedGroup]]:
    for pool in case.inventory.pools:
        if pool.managed is not None:
            yield pool, pool.managed


def _managed_gpus(case: Case) -> Iterator[tuple[GpuPool, ManagedGroup]]:
    for pool in case.inventory.gpu_pools:
        if pool.managed is not None:
            yield pool, pool.managed


def _disk_twice(case: Case) -> Iterator[Verdict]:
    text = "diskSize on a group with a launch template, which EKS refuses. Give the disk in blockDeviceMappings of the template alone."
    for pool, group in _managed(case):
        yield from judged(
            all_of([group.template, group.group_disk]), place(pool, "diskSize"), text, "it cannot be told whether EKS takes its disk"
        )


def _small_disk(case: Case) -> Iterator[Verdict]:
    least = case.settings.limits.thresholds.root_disk_gib
    so = "it cannot be told whether images fit its disk"
    for pool in case.inventory.gpu_pools:
        if pool.root_disk_gib is None and not _default_is_small(pool):
            continue
        at = place(pool, "blockDeviceMappings")
        text = (
            f"a root disk of {_gib(pool.root_disk_gib)} on GPU nodes, less than {least} GiB (thresholds.root_disk_gib). Images of 10 to 20 GB "
            f"fill it{_CROWDED if _joins_a_cluster(pool) else ''}; each new node of a serving pool unpacks them anew. Give {at.path} 200 GiB and more, "
            "500 for training."
        )
        yield from judged(mapped(pool.root_disk_gib, lambda gib: (gib or 0) < least), at, text, so)


_CROWDED = ", and pods are evicted for disk pressure"
NODES_OF = "kubernetes.io/cluster/"
"""Begins the tag by which a cluster's controllers find self-managed nodes; the cluster's name follows."""


def _joins_a_cluster(pool: NodePool) -> bool:
    tags = pool.scaling_tags
    return pool.cluster is not None or (tags is not None and known(tags) and any(key.startswith(NODES_OF) for key in tags))


def _default_is_small(pool: NodePool) -> bool:
    """AKS takes a size after the machine's (pulumi-azure-native 3.29.0, AgentPool.osDiskSizeGB); outside clusters images differ."""
    return _joins_a_cluster(pool) and pool.cloud != "azure"


def _gib(size: Maybe[int | None]) -> str:
    return "the image's default size" if size is None else f"{size} GiB"


def _idle_nvme(case: Case) -> Iterator[Verdict]:
    so = "it cannot be told whether its local disks are used"
    for pool, group in _managed_gpus(case):
        disks = [row for row in rows(pool) if row.nvme_gib]
        kind = pool.image.kind if pool.image is not None else None
        if not disks or not known(kind) or not str(kind).startswith(_SPARSE):
            continue
        text = (
            f"{disks[0].name} has {disks[0].nvme_gib:,.0f} GiB of local disks that nothing formats: images and scratch files go to the root "
            "disk, and pods are evicted beside empty terabytes. Set localStorage.strategy RAID0 in the NodeConfig of the template's userData."
        )
        yield from judged(denied(group.raid0), place(pool, "launchTemplate.userData"), text, so)


def _surge(case: Case) -> Iterator[Verdict]:
    so = "it cannot be told whether an update needs nodes beside the reserved ones"
    for pool, group in _managed_gpus(case):
        if pool.market not in RESERVED or pool.nodes.maximum == 0:
            continue
        text = (
            "reserved capacity updated by the DEFAULT strategy, which starts new nodes before old ones end. There are none beside the reserved "
            "ones: the update hangs, or a node starts on demand. Set updateConfig.updateStrategy MINIMAL."
        )
        yield from judged(
            mapped(group.update_strategy, lambda word: word != "MINIMAL"), place(pool, "updateConfig.updateStrategy"), text, so
        )


def _untagged(case: Case) -> Iterator[Verdict]:
    so = "it cannot be told whether its instances and volumes carry tags"
    for pool, group in _managed_gpus(case):
        missing = mapped(group.tagged, lambda kinds: [kind for kind in TAGGED if kind not in kinds])
        text = (
            f"the launch template tags no {_missing(missing)}. Tags of a managed group stop at the group, so its machines have no owner in any "
            "cost report and no script finds them. Give tagSpecifications for instance, volume and network-interface."
        )
        yield from judged(mapped(missing, bool), place(pool, "launchTemplate.tagSpecifications"), text, so)


def _missing(kinds: Maybe[list[str]]) -> str:
    return " and no ".join(kinds) if known(kinds) else ""


def _two_writers(case: Case) -> Iterator[Verdict]:
    so = "it cannot be told whether something else writes its size"
    for pool, group in _managed(case):
        moves = _moves(pool)
        repair = f"Set ignore_changes on scalingConfig.desiredSize at the node group itself{_misspelt(group)}."
        text = (
            "the autoscaler writes scalingConfig.desiredSize between minSize and maxSize, and so does every update of this program: applying it "
            f"drains nodes that are at work. {repair}"
        )
        wrong = False if group.desired_ignored else moves
        level = None if isinstance(pool, GpuPool) else Level.ADVISORY
        yield from judged(wrong, place(pool, "scalingConfig.desiredSize"), text, so, level=level)


def _misspelt(group: ManagedGroup) -> str:
    """Engines take any text as a path, and what lies below a property is spelt as providers spell it (pulumi#7081)."""
    return f": {group.desired_misspelt!r} is no path of the provider's" if group.desired_misspelt else ""


def _moves(pool: NodePool) -> Maybe[bool]:
    low, high = pool.nodes.minimum, pool.nodes.maximum
    return mapped(low, lambda least: mapped(high, lambda most: least != most))


def _fixed_name(case: Case) -> Iterator[Verdict]:
    so = "it cannot be told whether a replacement finds its name taken"
    for pool, group in _managed(case):
        text = (
            f"the fixed name {group.physical_name!r} on a group that is replaced by making the new one first. The name is taken, so the "
            "replacement fails; with delete-before-replace there are no nodes meanwhile. Leave nodeGroupName out and select nodes by labels."
        )
        named = mapped(group.physical_name, lambda name: name is not None)
        yield from judged(False if group.replaced_in_place else named, place(pool, "nodeGroupName"), text, so)


def _only_gpus(case: Case) -> Iterator[Verdict]:
    """F10. A cluster of which no pool is here, or that is only looked up, gets its system nodes elsewhere."""
    for urn in dict.fromkeys(pool.cluster for pool in case.inventory.gpu_pools if isinstance(pool.cluster, str)):
        plane = control_plane(case, urn)
        if plane is None or plane.existing or plane.cloud == "gcp":  # there GPU-GKE-45
            continue
        open_pools = [_takes_anything(pool) for pool in pools_of(case, urn) if pool.cluster == urn]
        if any(claim is True for claim in open_pools):
            continue
        unknown = next((claim for claim in open_pools if isinstance(claim, Unknown)), None)
        text = (
            "every node group of the cluster has GPUs or taints, and none two nodes for what the cluster itself runs. DNS, controllers and "
            "webhooks stay Pending and installs time out. Add a group of at least two untainted nodes without GPUs, and make it first."
        )
        so = "it cannot be told whether the cluster's own pods find a node"
        yield from judged(unknown if unknown is not None else True, Place(urn, plane.name), text, so)


def _takes_anything(pool: NodePool) -> Maybe[bool]:
    untainted = mapped(pool.taints, lambda taints: not [taint for taint in taints if not taint.endswith(":PREFER_NO_SCHEDULE")])
    return all_of([untainted, mapped(pool.nodes.maximum, lambda most: most >= 2), denied(accelerated(pool))])


RULES = (
    Rule(
        id="GPU-NODE-01",
        title="The disk stands in the group or in its launch template, not in both",
        failures=("B11",),
        scope=Scope.STACK,
        check=_disk_twice,
        fix="blockDeviceMappings in the template, no diskSize on the group",
    ),
    Rule(
        id="GPU-NODE-02",
        title="Root disks of GPU nodes hold their images",
        failures=("B11", "I8"),
        scope=Scope.STACK,
        check=_small_disk,
        fix="blockDeviceMappings: [{deviceName: /dev/xvda, ebs: {volumeSize: 500, volumeType: gp3}}]",
        level=Level.ADVISORY,
        parameters=("thresholds.root_disk_gib",),
    ),
    Rule(
        id="GPU-NODE-03",
        title="Local disks of GPU nodes are used",
        failures=("B13",),
        scope=Scope.STACK,
        check=_idle_nvme,
        fix="userData with a NodeConfig: spec.instance.localStorage.strategy RAID0",
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-NODE-04",
        title="Reserved nodes are updated in place",
        failures=("B14",),
        scope=Scope.STACK,
        check=_surge,
        fix="updateConfig: {updateStrategy: MINIMAL}",
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-NODE-05",
        title="Instances and volumes of GPU groups carry tags",
        failures=("B17",),
        scope=Scope.STACK,
        check=_untagged,
        fix="tagSpecifications: [{resourceType: instance, tags: {…}}, {resourceType: volume, tags: {…}}]",
    ),
    Rule(
        id="GPU-NODE-06",
        title="The desired size has one writer",
        failures=("H1",),
        scope=Scope.STACK,
        check=_two_writers,
        fix='ResourceOptions(ignore_changes=["scalingConfig.desiredSize"])',
    ),
    Rule(
        id="GPU-NODE-07",
        title="Node groups have no fixed name",
        failures=("H2",),
        scope=Scope.RESOURCE,
        check=_fixed_name,
        fix="no nodeGroupName; a label such as role: gpu to select by",
    ),
    Rule(
        id="GPU-NODE-08",
        title="The cluster has nodes for its own pods",
        failures=("F10",),
        scope=Scope.STACK,
        check=_only_gpus,
        fix="a node group of m7i.large, minSize 2, without taints",
    ),
)
