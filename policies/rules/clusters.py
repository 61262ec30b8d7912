"""What stands in one cluster, found once for all rules: pools, charts and pods are judged against their own cluster alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from components.inventory import Chart, ControlPlane, GpuPool, NodePool, Pod, Workload
from components.unknown import Maybe, known
from policies.readers.charts import is_chart

from .pods import fits
from .rule import Case

T = TypeVar("T")


class ByCluster(Generic[T]):
    """Facts by cluster. One whose cluster is not told may stand in any, so it is found beside every one.

    Looking for a cluster's own among all facts would take the square of the clusters in time.
    """

    def __init__(self, facts: Iterable[tuple[Maybe[str | None], T]]) -> None:
        """`facts`: each after the cluster in which it stands, as far as that is told."""
        pairs = tuple(facts)
        self.every: tuple[T, ...] = tuple(fact for _, fact in pairs)
        self._own: dict[str, list[int]] = {}
        self._anywhere: list[int] = []
        for at, (cluster, _) in enumerate(pairs):
            (self._own.setdefault(cluster, []) if isinstance(cluster, str) else self._anywhere).append(at)
        self._found: dict[str, Sequence[T]] = {}

    def beside(self, cluster: Maybe[str | None]) -> Sequence[T]:
        """What may stand in `cluster`, in the program's order: all but what certainly stands in another."""
        if not isinstance(cluster, str):
            return self.every
        if cluster not in self._found:
            places = sorted([*self._own.get(cluster, ()), *self._anywhere])
            self._found[cluster] = [self.every[at] for at in places]
        return self._found[cluster]


def charts(case: Case, name: str) -> Sequence[Chart]:
    """Releases of the chart `name`. One whose chart is not known may be any and fails GPU-DRV-01 where it matters."""
    return case.once(_charts, name).every


def charts_of(case: Case, name: str, cluster: Maybe[str | None]) -> Sequence[Chart]:
    """Those that may be on `cluster`."""
    return case.once(_charts, name).beside(cluster)


def _charts(case: Case, name: str) -> ByCluster[Chart]:
    named = ((chart, is_chart(chart, name)) for chart in case.inventory.charts)
    return ByCluster((chart.cluster, chart) for chart, claim in named if known(claim) and claim)


def gpu_pools_of(case: Case, cluster: Maybe[str | None]) -> Sequence[GpuPool]:
    """GPU pools that may be in `cluster`."""
    return case.once(_gpu_pools).beside(cluster)


def _gpu_pools(case: Case) -> ByCluster[GpuPool]:
    return ByCluster((pool.cluster, pool) for pool in case.inventory.gpu_pools)


def pools_of(case: Case, cluster: Maybe[str | None]) -> Sequence[NodePool]:
    """Pools of every kind that may be in `cluster`."""
    return case.once(_pools).beside(cluster)


def _pools(case: Case) -> ByCluster[NodePool]:
    return ByCluster((pool.cluster, pool) for pool in case.inventory.pools)


def control_plane(case: Case, cluster: Maybe[str | None]) -> ControlPlane | None:
    """The planned cluster with the URN `cluster`."""
    return case.once(_control_planes).get(cluster)


def _control_planes(case: Case) -> Mapping[object, ControlPlane]:
    return {plane.urn: plane for plane in reversed(case.inventory.control_planes)}


def landing(case: Case, load: Workload, pod: Pod) -> list[GpuPool]:
    """GPU pools on whose nodes the pod may land."""
    return [pool for pool in gpu_pools_of(case, load.cluster) if fits(pod, pool)]
