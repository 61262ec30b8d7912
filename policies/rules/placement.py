"""GPU-ZONE: nodes that belong together stand in one zone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from components.inventory import Cloud, NodePool
from components.unknown import Maybe, Unknown
from policies.finding import Level
from policies.readers.values import OUTSIDE, all_of, any_of, mapped

from .pools import place, with_efa
from .rule import Case, Rule, Scope, Verdict, judged, listed

CLUSTER = "cluster"
_GROUPS: Mapping[Cloud, str] = {
    "aws": "a cluster placement group",
    "gcp": "a compact placement policy",
    "azure": "a proximity placement group",
}
_PLACES: Mapping[Cloud, str] = {"aws": "subnet", "gcp": "zone", "azure": "zone"}
_CROSSING = "traffic between the nodes of a job crosses zones."
_SPREAD: Mapping[Cloud, str] = {
    "aws": f"The scaling group ends nodes to balance its zones, without draining them, and {_CROSSING}",
    "gcp": f"A regional group deletes machines to balance its zones unless updatePolicy.instanceRedistributionType is NONE, and {_CROSSING}",
    "azure": f"A machine that one zone lacks stays away, and {_CROSSING}",
}
"""What a pool over several zones comes to."""


def _several_zones(pool: NodePool) -> Maybe[bool]:
    """Subnets whose zone is not known may still share one."""
    if isinstance(pool.zones, Unknown) or len(pool.zones) < 2:
        return mapped(pool.zones, lambda _: False)
    if sum(isinstance(zone, str) for zone in pool.zones) > 1:
        return True
    return next(zone for zone in pool.zones if isinstance(zone, Unknown))


def _zones(pool: NodePool) -> str:
    return "several zones" if isinstance(pool.zones, Unknown) else listed(map(str, pool.zones))


def _tight(pool: NodePool) -> Maybe[bool]:
    """Whether the pool's placement group packs its nodes into one zone, as every proximity placement group does."""
    if pool.cloud == "azure":  # maps to at most one zone (Microsoft Learn, AKS, "reduce latency with proximity placement groups")
        return mapped(pool.placement_group, lambda group: group is not None)
    if pool.placement_group is None or pool.placement_strategy is not None:
        return mapped(pool.placement_strategy, lambda strategy: strategy == CLUSTER)
    return Unknown("placement.strategy", f"that of a placement group {OUTSIDE}")


def _packed(case: Case) -> Iterator[Verdict]:
    so = "it cannot be told whether its placement group spans several zones"
    for pool in case.inventory.pools:
        if pool.gke is not None:
            continue  # of GKE's compact placement GPU-GKE-15 speaks
        text = (
            f"{_GROUPS[pool.cloud]} over {_zones(pool)}. It holds instances of one zone alone: the first launch may settle in one, and the "
            f"next update finds no capacity. Give the pool one {_PLACES[pool.cloud]}."
        )
        yield from judged(all_of([_tight(pool), _several_zones(pool)]), place(pool, "placement"), text, so)


def _rebalanced(case: Case) -> Iterator[Verdict]:
    """F7, G10: mandatory where the nodes have a fast fabric, which is what one job over several nodes runs on."""
    so = "it cannot be told whether its nodes stand in one zone"
    for pool in case.inventory.gpu_pools:
        if pool.consolidation is not None or pool.gke is not None:
            continue  # Karpenter does not rebalance zones; of GKE's pools GPU-GKE-20 speaks
        fabric = any_of([with_efa(pool), _tight(pool)])
        level = None if fabric is True or isinstance(fabric, Unknown) else Level.ADVISORY
        text = f"GPU nodes over {_zones(pool)}. {_SPREAD[pool.cloud]} Make one pool a zone."
        yield from judged(_several_zones(pool), place(pool, "subnetIds"), text, so, level=level)


RULES = (
    Rule(
        id="GPU-ZONE-02",
        title="A cluster placement group lives in one zone",
        failures=("A8",),
        scope=Scope.STACK,
        check=_packed,
        fix="subnetIds with one subnet, beside placement in a group of strategy cluster",
    ),
    Rule(
        id="GPU-ZONE-03",
        title="GPU nodes of a pool stand in one zone",
        failures=("F7", "G10"),
        scope=Scope.STACK,
        check=_rebalanced,
        fix="one node group a zone, each with one subnet",
    ),
)
