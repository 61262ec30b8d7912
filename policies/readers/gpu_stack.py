"""Who would install driver and container toolkit on a pool, read from its image and from the GPU Operator of its cluster (C1, C3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from components.inventory import Chart, NodePool, Owner
from components.unknown import Maybe, Unknown

from .charts import is_chart, switched

OPERATOR = "gpu-operator"


@dataclass(frozen=True)
class Operators:
    """The GPU Operators of a program."""

    by_cluster: Mapping[str, tuple[Chart, ...]]
    of_the_only_cluster: tuple[Chart, ...]
    """Those whose cluster cannot be told, where there is one cluster at most."""
    doubt: Unknown | None
    """A chart that may be an operator, or an operator that may be anyone's."""

    def of(self, cluster: Maybe[str | None]) -> tuple[Chart | Unknown, ...]:
        own = self.by_cluster.get(cluster, ()) if isinstance(cluster, str) else ()
        return (*own, *self.of_the_only_cluster, *(() if self.doubt is None else (self.doubt,)))


def operators(charts: Sequence[Chart], clusters: frozenset[str]) -> Operators:
    """The operators among `charts`. One whose cluster cannot be told belongs to the only cluster there is."""
    by_cluster: dict[str, tuple[Chart, ...]] = {}
    stray: list[Chart] = []
    doubt: Unknown | None = None
    for chart in charts:
        operator = is_chart(chart, OPERATOR)
        if isinstance(operator, Unknown):
            doubt = operator
        elif operator and isinstance(chart.cluster, str):
            by_cluster[chart.cluster] = (*by_cluster.get(chart.cluster, ()), chart)
        elif operator:
            stray.append(chart)
    if stray and len(clusters) > 1:
        return Operators(by_cluster, (), Unknown(f"{stray[0].name}.provider", "of a cluster that cannot be told"))
    return Operators(by_cluster, tuple(stray), doubt)


def with_owners(pool: NodePool, found: Operators) -> NodePool:
    """`pool` with the owners of driver and toolkit. Pools outside Kubernetes have none to judge."""
    if pool.cluster is None or pool.image is None:
        return pool
    own = found.of(pool.cluster)
    return replace(
        pool,
        driver_owners=_owners(pool.image.driver, own, "driver.enabled", cloud=pool.cloud_driver),
        toolkit_owners=_owners(pool.image.toolkit, own, "toolkit.enabled", cloud=pool.cloud_toolkit),
    )


def _owners(
    in_image: Maybe[bool | None], installed: Sequence[Chart | Unknown], switch: str, *, cloud: Maybe[bool] = False
) -> Maybe[tuple[Owner, ...]] | None:
    if in_image is None:
        return None
    if isinstance(in_image, Unknown):
        return in_image
    if isinstance(cloud, Unknown):
        return cloud
    owners = [*([Owner.IMAGE] if in_image else []), *([Owner.CLOUD] if cloud else [])]
    for operator in installed:
        enabled = operator if isinstance(operator, Unknown) else switched(operator, OPERATOR, switch)
        if isinstance(enabled, Unknown):
            return enabled
        owners += [Owner.GPU_OPERATOR] if enabled else []
    return tuple(owners)
