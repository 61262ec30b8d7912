"""Who would install driver and container toolkit on a pool, read from its image and from the GPU Operator of its cluster (C1, C3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from components import catalog
from components.inventory import Chart, NodePool, Owner
from components.resource import read
from components.unknown import Maybe, Unknown

from .values import flag

OPERATOR = "gpu-operator"


def with_owners(pool: NodePool, charts: Sequence[Chart], clusters: frozenset[str]) -> NodePool:
    """`pool` with the owners of driver and toolkit. Pools outside Kubernetes have none to judge."""
    if pool.cluster is None or pool.image is None:
        return pool
    operators = tuple(_operators_of(pool, charts, clusters))
    return replace(
        pool,
        driver_owners=_owners(pool.image.driver, operators, "driver.enabled"),
        toolkit_owners=_owners(pool.image.toolkit, operators, "toolkit.enabled"),
    )


def _operators_of(pool: NodePool, charts: Sequence[Chart], clusters: frozenset[str]) -> Iterator[Chart | Unknown]:
    """Operators on the pool's cluster. One whose cluster cannot be told belongs to the only cluster there is."""
    for chart in charts:
        if isinstance(chart.chart, Unknown):
            yield chart.chart
        elif _is_operator(chart.chart) and (chart.cluster is None or isinstance(chart.cluster, Unknown)):
            yield chart if len(clusters) <= 1 else Unknown(f"{chart.name}.provider", "of a cluster that cannot be told")
        elif _is_operator(chart.chart) and chart.cluster == pool.cluster:
            yield chart


def _is_operator(chart: str) -> bool:
    """Charts are named plainly, with their repository, by registry address or by archive."""
    return chart.rstrip("/").rpartition("/")[2].partition(":")[0].removesuffix(".tgz").startswith(OPERATOR)


def _owners(in_image: Maybe[bool | None], operators: Sequence[Chart | Unknown], switch: str) -> Maybe[tuple[Owner, ...]] | None:
    if in_image is None:
        return None
    if isinstance(in_image, Unknown):
        return in_image
    owners = [Owner.IMAGE] if in_image else []
    for operator in operators:
        enabled = operator if isinstance(operator, Unknown) else _switched(operator, switch)
        if isinstance(enabled, Unknown):
            return enabled
        owners += [Owner.GPU_OPERATOR] if enabled else []
    return tuple(owners)


def _switched(operator: Chart, switch: str) -> Maybe[bool]:
    """The chart's switch as the program sets it, else the default of the pinned chart."""
    path = f"{operator.name}.values.{switch}"
    if isinstance(operator.values, Unknown):
        return Unknown(path, operator.values.reason)
    found = flag(read(operator.values, *switch.split(".")), path)
    return catalog.chart_defaults(OPERATOR, switch) is True if found is None else found
