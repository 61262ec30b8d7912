"""AKS agent pools: resources of their own, and those inside a cluster's resource."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from components.inventory import AksPool, Image, MachineChoice, Market, NodeCount, NodePool
from components.resource import Resource, read
from components.unknown import Maybe, Unknown
from policies.readers import azure_types as types
from policies.readers.pools import classified
from policies.readers.program import Program
from policies.readers.values import OUTSIDE, first, given, items, number, text

from .pool_nodes import machines, nodes
from .pool_source import CLASSIC, NATIVE, PoolSource
from .references import awaited, meant, region_of

SPOT_TAINT = "kubernetes.azure.com/scalesetpriority=spot:NoSchedule"
"""Put on the nodes of spot pools by AKS; it cannot be removed (E6)."""
_PRIORITIES: Mapping[str, Market] = {"regular": Market.ON_DEMAND, "spot": Market.SPOT}
_INLINE = "agentPoolProfiles"
Facts = Iterator[NodePool | MachineChoice | AksPool]


def read_agent_pool(pool: Resource, program: Program) -> Facts:
    named = _cluster(pool, program, "resourceName")
    yield from _facts(PoolSource(pool, program), pool.name, named, _region(program, named))


def read_classic_pool(pool: Resource, program: Program) -> Facts:
    named = _cluster(pool, program, "kubernetesClusterId")
    yield from _facts(PoolSource(pool, program, CLASSIC), pool.name, named, _region(program, named))


def _region(program: Program, cluster: Maybe[str]) -> Maybe[str]:
    """That of the cluster. One that cannot be told is not this program's where the program makes none."""
    if isinstance(cluster, Unknown) and not program.resources.of_type(*types.CLUSTERS):
        return Unknown("location", f"that of a cluster {OUTSIDE}")
    return region_of(program, cluster, "cluster")


def _cluster(pool: Resource, program: Program, prop: str) -> Maybe[str]:
    return given(meant(program, pool, prop, pool.read(prop), *types.CLUSTERS), prop, "not given")


def read_inline_pools(cluster: Resource, program: Program, region: Maybe[str]) -> Facts:
    """The pools inside a ManagedCluster. A list that is not known may hold anything."""
    listed = items(cluster.read(_INLINE), _INLINE)
    if isinstance(listed, Unknown):
        yield classified(_unlisted(cluster, region, listed))
        return
    for i in range(len(listed)):
        source = PoolSource(cluster, program, NATIVE, (_INLINE, i))
        yield from _facts(source, _inline_name(source, i), cluster.urn, region)


def read_default_pool(cluster: Resource, program: Program, region: Maybe[str]) -> Facts:
    """The one pool inside a cluster of the classic provider."""
    source = PoolSource(cluster, program, CLASSIC, ("defaultNodePool",))
    yield from _facts(source, "default", cluster.urn, region)


def _inline_name(source: PoolSource, index: int) -> str:
    name = text(read(source.resource.read(*source.base), "name"), source.at)
    return name if isinstance(name, str) else f"{_INLINE}[{index}]"


def _unlisted(cluster: Resource, region: Maybe[str], missing: Unknown) -> NodePool:
    return NodePool(
        urn=cluster.urn,
        name=_INLINE,
        cloud="azure",
        region=region,
        machines=missing,
        market=missing,
        nodes=NodeCount(minimum=missing, desired=missing, maximum=missing, surge=missing),
        cluster=cluster.urn,
        paths={"machines": _INLINE},
    )


def _facts(source: PoolSource, name: str, cluster: Maybe[str], region: Maybe[str]) -> Facts:
    resource = source.resource
    own = _own(source, name, cluster)
    sizes = machines(source)
    yield classified(
        NodePool(
            urn=resource.urn,
            name=name,
            cloud="azure",
            region=region,
            machines=sizes,
            market=_market(source, own),
            nodes=nodes(source, spot=_is_spot(own.priority)),
            zones=source.listed("zones"),
            image=_image(source, own),
            cluster=cluster,
            placement_group=source.reference("placement", types.PLACEMENT_GROUP),
            reservation=own.capacity_group,
            labels=_labels(source),
            taints=_taints(source, own.priority),
            root_disk_gib=own.os_disk_gib,
            root_disk_kind=own.os_disk,
            cloud_driver=_installs(own),
            cloud_toolkit=_installs(own),
            paths=_paths(source),
        )
    )
    yield own
    yield from _choices(source, sizes, region)


def _choices(source: PoolSource, sizes: Maybe[Sequence[Maybe[str]]], region: Maybe[str]) -> Iterator[MachineChoice]:
    urn, path = source.resource.urn, source.path("machine")
    if isinstance(sizes, Unknown):
        yield MachineChoice(urn=urn, cloud="azure", region=region, machine=sizes, path=path)
        return
    yield from (MachineChoice(urn=urn, cloud="azure", region=region, machine=size, path=path) for size in sizes)


def _own(source: PoolSource, name: str, cluster: Maybe[str]) -> AksPool:
    count = ".".join(source.words["count"])
    return AksPool(
        urn=source.resource.urn,
        name=name,
        cluster=cluster,
        at=source.at,
        mode=source.word("mode"),
        priority=source.word("priority"),
        eviction_policy=source.word("eviction"),
        spot_max_price=_price(source),
        max_surge=_surge(source),
        autoscaled=source.autoscaled,
        given_name=_given_name(source),
        name_property="name" if source.base else ".".join(source.words["name"]),
        count=source.whole("count"),
        minimum=source.whole("minimum"),
        maximum=source.whole("maximum"),
        count_ignored=_ignored(source, count),
        driver=source.word("driver"),
        managed_gpu=_managed(source),
        gpu_slices=source.word("slices"),
        os_sku=source.word("os_sku"),
        os_disk=source.word("disk"),
        os_disk_gib=_disk_gib(source),
        scale_down=source.word("scale_down"),
        public_addresses=source.flag("public"),
        subnet=source.reference("subnet", types.SUBNET),
        capacity_group=source.reference("capacity_group", types.RESERVATION_GROUP),
        after=awaited(source.program, source.resource),
    )


def _given_name(source: PoolSource) -> Maybe[str | None]:
    """Inside a cluster every provider calls it `name`."""
    return text(source.resource.read(*source.base, "name"), f"{source.at}name") if source.base else source.word("name")


def _ignored(source: PoolSource, count: str) -> bool:
    """`ignoreChanges` names a property, a path below it, or everything above."""
    wanted = {count, f"{source.at}{count}", "*", *([_INLINE, f"{_INLINE}[*].{count}"] if source.base else [])}
    return bool(wanted & set(source.resource.options.ignore_changes))


def _price(source: PoolSource) -> Maybe[float | None]:
    """-1, "as much as on demand", is no amount of money but a word."""
    value = source.value("price")
    return -1.0 if value in (-1, "-1") else number(value, source.path("price"))


def _surge(source: PoolSource) -> Maybe[str | None]:
    value = source.value("surge")
    return text(str(value) if isinstance(value, int) and not isinstance(value, bool) else value, source.path("surge"))


def _managed(source: PoolSource) -> Maybe[bool]:
    mode = text(source.resource.read(*source.base, *NATIVE["managed_gpu"]), source.path("managed_gpu"))
    return mode if isinstance(mode, Unknown) else mode == "Managed"


def _disk_gib(source: PoolSource) -> Maybe[int | None]:
    """0 leaves the size to AKS, as leaving it out does."""
    gib = source.whole("disk_gib")
    return gib if isinstance(gib, Unknown) else gib or None


def _is_spot(priority: Maybe[str | None]) -> Maybe[bool]:
    return priority if isinstance(priority, Unknown) else (priority or "").casefold() == "spot"


def _market(source: PoolSource, own: AksPool) -> Maybe[Market]:
    if isinstance(own.priority, Unknown):
        return own.priority
    market = _PRIORITIES.get((own.priority or "Regular").casefold())
    if market is None:
        return Unknown(source.path("priority"), f"{own.priority!r}, which is neither Regular nor Spot")
    if market is Market.SPOT or own.capacity_group is None:
        return market
    return own.capacity_group if isinstance(own.capacity_group, Unknown) else Market.RESERVATION


def _image(source: PoolSource, own: AksPool) -> Image:
    """Image kinds ship neither driver nor toolkit: AKS puts both on a node when it starts, or neither."""
    os = source.word("os")
    kind = first(own.os_sku, os if os == "Windows" else None, "Ubuntu")
    return Image(kind=given(kind, source.path("os_sku"), "not given"), driver=False, toolkit=False, path=source.path("driver"))


def _installs(own: AksPool) -> Maybe[bool]:
    """C2: unless `gpuProfile.driver` is None, and always where AKS manages the whole GPU stack."""
    return own.managed_gpu if own.managed_gpu is True else _by_aks(own.driver)


def _by_aks(driver: Maybe[str | None]) -> Maybe[bool]:
    return driver if isinstance(driver, Unknown) else (driver or "Install").casefold() != "none"


def _labels(source: PoolSource) -> Maybe[Mapping[str, Maybe[str]]]:
    labels, path = source.value("labels"), source.path("labels")
    if labels is None or isinstance(labels, Unknown):
        return {} if labels is None else labels
    if not isinstance(labels, Mapping):
        return Unknown(path, "not readable: no object")
    return {str(key): given(text(read(value), f"{path}.{key}"), f"{path}.{key}", "empty") for key, value in labels.items()}


def _taints(source: PoolSource, priority: Maybe[str | None]) -> Maybe[tuple[str, ...]]:
    own = source.listed("taints")
    if isinstance(own, Unknown):
        return own
    unknown = next((taint for taint in own if isinstance(taint, Unknown)), None)
    if unknown is not None:
        return unknown
    spot = _is_spot(priority)
    if isinstance(spot, Unknown):
        return spot
    every = [*(str(taint) for taint in own), *([SPOT_TAINT] if spot else [])]
    return tuple(dict.fromkeys(every))


def _paths(source: PoolSource) -> Mapping[str, str]:
    autoscaled = source.autoscaled
    scaled = not isinstance(autoscaled, Unknown) and autoscaled
    return {
        "machines": source.path("machine"),
        "maximum": source.path("maximum" if scaled else "count"),
        "market": source.path("priority"),
        "zones": source.path("zones"),
        "subnetIds": source.path("zones"),
        "placement": source.path("placement"),
        "image": source.path("driver"),
        "surge": source.path("surge"),
        "scalingConfig.minSize": source.path("minimum" if scaled else "count"),
        "blockDeviceMappings": source.path("disk_gib"),
    }
